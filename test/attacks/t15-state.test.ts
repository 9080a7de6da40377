// T15: no grant and no path in a box reaches the record, its key, or what decides about grants.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import test from "node:test";
import { GateError } from "../../src/index.ts";
import { makePlace, openGate } from "../fixtures/gate.ts";
import { bare, bash } from "../fixtures/run.ts";

test("a grant that covers, is or lies in the state or configuration directory opens no gate", (t) => {
  const place = makePlace();
  t.after(() => place.remove());
  mkdirSync(`${place.base}/config/sallyport`, { recursive: true, mode: 0o700 });
  symlinkSync(place.state, `${place.project}/state-link`);
  symlinkSync(`${place.base}/config/sallyport`, `${place.project}/config-link`);
  const forbidden = [
    place.base,
    place.state,
    `${place.state}/box`,
    `${place.base}/config/sallyport`,
    `${place.root}/../state`,
    `${place.project}/state-link`,
    `${place.project}/config-link`,
    "/",
    "/proc",
    "/dev",
    "/sys",
    "/proc/self/root",
  ];
  for (const path of forbidden) {
    for (const mode of ["r", "rw"] as const)
      assert.throws(() => openGate(place, { paths: [{ path, mode }] }), GateError, `${mode} ${path}`);
  }
  openGate(place, { paths: [{ path: place.root, mode: "rw" }] }).close(); // control: another directory does
});

test("what node keeps of the program, and runs at the next start, cannot be changed, wherever the state is", (t) => {
  const place = makePlace();
  t.after(() => place.remove());
  const before = process.env["XDG_STATE_HOME"];
  process.env["XDG_STATE_HOME"] = `${place.outside}/states`;
  t.after(() => {
    if (before === undefined) delete process.env["XDG_STATE_HOME"];
    else process.env["XDG_STATE_HOME"] = before;
  });
  const compiled = `${place.outside}/states/sallyport/compiled`;
  mkdirSync(compiled, { recursive: true });
  symlinkSync(compiled, `${place.project}/compiled-link`);
  for (const path of [place.outside, compiled, `${place.outside}/states/sallyport`, `${place.project}/compiled-link`])
    assert.throws(() => openGate(place, { paths: [{ path, mode: "rw" }] }), GateError, path);
  openGate(place, { paths: [{ path: `${place.outside}/states`, mode: "r" }] }).close(); // control: to read it is harmless
});

test("a program finds neither of them by any path", async (t) => {
  const place = makePlace();
  const gate = openGate(place);
  t.after(() => (gate.close(), place.remove()));
  symlinkSync(place.state, `${place.root}/link`);
  const journal = readdirSync(place.state).find((name) => name.endsWith(".sqlite")) as string;
  for (const path of [
    place.state,
    `${place.root}/link`,
    `${place.root}/../state`,
    `/proc/self/root${place.state}`,
    `/proc/1/root${place.state}`,
  ]) {
    const { stdout, exit_code } = await bash(gate, `cat ${path}/${journal}; ls -A ${path}/; echo x > ${path}/x`);
    assert.equal(stdout, "", path);
    assert.notEqual(exit_code, 0);
  }
  assert.equal(
    bare(["/bin/cat", `${place.root}/link/${journal}`]).status,
    0,
    "control: without us the link leads there",
  );
});

test("what boxes are made of is shown to them read-only", async (t) => {
  const place = makePlace();
  const gate = openGate(place);
  t.after(() => (gate.close(), place.remove()));
  writeFileSync(`${place.root}/new`, "");
  const { stdout } = await bash(
    gate,
    `for f in /dev/sallyport-init /etc/passwd /etc/hosts; do (echo x >> $f) 2>/dev/null && echo "$f"; (chmod 777 $f) 2>/dev/null && echo "$f"; (rm -f $f) 2>/dev/null && echo "$f"; done; true`,
  );
  assert.equal(stdout, "");
  assert.equal(
    (await bash(gate, "head -1 /etc/passwd")).stdout,
    "root:x:0:0:root:/tmp:/bin/sh\n",
    "control: they are there",
  );
});
