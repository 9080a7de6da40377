// Who may take back what a device has begun, and whose code it was.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { systemClock } from "../../src/shared/clock.ts";
import { Devices } from "../../src/store/devices.ts";
import { Pairing } from "../../src/web/pairing.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";

const phone = { name: "Phone", kind: "browser", origin: "https://gate.example:7443", address: "192.0.2.7" } as const;

function openPairing(t: TestContext): {
  readonly pairing: Pairing;
  readonly devices: Devices;
  readonly begin: () => { id: string; claim: string };
} {
  const directories = makeTestDirectories();
  const devices = new Devices(directories.state);
  t.after(() => {
    devices.close();
    directories.remove();
  });
  const pairing = new Pairing({ clock: systemClock, devices, record: () => undefined });
  return {
    pairing,
    devices,
    begin() {
      const asked = pairing.ask(pairing.newCode().code, phone);
      const view = pairing.view();
      assert.ok(asked !== null && view?.state === "asks");
      return { id: view.id, claim: asked.claim };
    },
  };
}

test("T81: a yes can be taken back until the device has picked its token up; control: otherwise it is paired", (t) => {
  const { pairing, devices, begin } = openPairing(t);
  const late = begin();
  assert.equal(pairing.answer(late.id, "all", "ann"), true);
  pairing.takeBack(late.id);
  assert.deepEqual(pairing.pickUp(late.claim), { state: "ended", why: "it was ended" });
  assert.equal(devices.list().length, 0);

  const quick = begin();
  pairing.answer(quick.id, "all", "ann");
  assert.equal(pairing.pickUp(quick.claim).state, "paired");
  pairing.takeBack(quick.id);
  assert.equal(devices.list().length, 1, "it has its token");
});

test("T81: a terminal asks only about the device that sent its own code", (t) => {
  const { pairing } = openPairing(t);
  const older = pairing.newCode().code;
  const newer = pairing.newCode().code;
  assert.equal(pairing.isAskedWith(older), false);
  assert.notEqual(pairing.ask(newer, phone), null);
  assert.deepEqual([pairing.isAskedWith(older), pairing.isAskedWith(newer)], [false, true]);
});
