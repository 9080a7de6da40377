// `sallyport devices`: what is paired is listed, and one is revoked, with an entry in the record.

import assert from "node:assert/strict";
import test from "node:test";
import { Devices } from "../../../src/store/devices.ts";
import { newAsker } from "../../fixtures/asking.ts";

test("devices are listed, and revoked by name", (t) => {
  const person = newAsker(t);
  assert.match(person.run(["devices"]).out, /^No device is paired\./);
  assert.deepEqual(JSON.parse(person.run(["devices", "list", "--json"]).out), { devices: [] });
  const store = new Devices(person.state);
  t.after(() => store.close());
  const origin = `chrome-extension://${"a".repeat(32)}`;
  const [keep, end] = ["d-00000001", "d-00000002"].map((id) =>
    store.add({ id, name: `Panel ${id}`, kind: "extension", allowance: "all", origin, address: null }),
  );
  assert.match(person.run(["devices"]).out, /d-00000001 +Panel d-00000001 +extension +all/);
  const { devices } = JSON.parse(person.run(["devices", "--json"]).out) as {
    devices: { id: string; origin: string }[];
  };
  assert.deepEqual(
    devices.map(({ id, origin: from }) => [id, from]).toSorted(([one = ""], [other = ""]) => one.localeCompare(other)),
    [
      ["d-00000001", origin],
      ["d-00000002", origin],
    ],
  );
  const ended = person.run(["devices", "revoke", "d-00000002"]);
  assert.deepEqual([ended.code, ended.err], [0, ""]);
  assert.match(ended.out, /^Revoked d-00000002\./);
  assert.equal(store.withToken(end as string), undefined, "the server sees it at once");
  assert.equal(store.withToken(keep as string)?.id, "d-00000001", "the control");
  const [entry] = person.events("device.revoked");
  assert.deepEqual([entry?.outcome["device"], entry?.outcome["name"]], ["d-00000002", "Panel d-00000002"]);
  const again = person.run(["devices", "revoke", "d-00000002"]);
  assert.equal(again.code, 1);
  assert.match(again.err, /ID: no paired device is named d-00000002\.[^]*`sallyport devices` lists them/);
  assert.equal(person.run(["devices", "revoke"]).code, 2);
});
