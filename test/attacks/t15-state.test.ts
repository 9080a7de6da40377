// T15: no grant and no path in a box reaches the record, its key, or what decides about grants.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import test from "node:test";
import { GateError } from "../../src/index.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { bare, bash } from "../fixtures/run.ts";

test("a grant that covers, is or lies in the state or configuration directory opens no gate", (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  mkdirSync(`${directories.base}/config/sallyport`, { recursive: true, mode: 0o700 });
  symlinkSync(directories.state, `${directories.project}/state-link`);
  symlinkSync(`${directories.base}/config/sallyport`, `${directories.project}/config-link`);
  const forbidden = [
    directories.base,
    directories.state,
    `${directories.state}/box`,
    `${directories.base}/config/sallyport`,
    `${directories.root}/../state`,
    `${directories.project}/state-link`,
    `${directories.project}/config-link`,
    "/",
    "/proc",
    "/dev",
    "/sys",
    "/proc/self/root",
  ];
  for (const path of forbidden) {
    for (const mode of ["r", "rw"] as const)
      assert.throws(() => openGate(directories, { paths: [{ path, mode }] }), GateError, `${mode} ${path}`);
  }
  openGate(directories, { paths: [{ path: directories.root, mode: "rw" }] }).close(); // control: another directory does
});

test("what node keeps of the program, and runs at the next start, cannot be changed, wherever the state is", (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const before = process.env["XDG_STATE_HOME"];
  process.env["XDG_STATE_HOME"] = `${directories.outside}/states`;
  t.after(() => {
    if (before === undefined) delete process.env["XDG_STATE_HOME"];
    else process.env["XDG_STATE_HOME"] = before;
  });
  const compiled = `${directories.outside}/states/sallyport/compiled`;
  mkdirSync(compiled, { recursive: true });
  symlinkSync(compiled, `${directories.project}/compiled-link`);
  for (const path of [
    directories.outside,
    compiled,
    `${directories.outside}/states/sallyport`,
    `${directories.project}/compiled-link`,
  ])
    assert.throws(() => openGate(directories, { paths: [{ path, mode: "rw" }] }), GateError, path);
  openGate(directories, { paths: [{ path: `${directories.outside}/states`, mode: "r" }] }).close(); // control: to read it is harmless
});

test("a program finds neither of them by any path", async (t) => {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  symlinkSync(directories.state, `${directories.root}/link`);
  const journal = readdirSync(directories.state).find((name) => name.endsWith(".sqlite")) as string;
  for (const path of [
    directories.state,
    `${directories.root}/link`,
    `${directories.root}/../state`,
    `/proc/self/root${directories.state}`,
    `/proc/1/root${directories.state}`,
  ]) {
    const { stdout, exit_code } = await bash(gate, `cat ${path}/${journal}; ls -A ${path}/; echo x > ${path}/x`);
    assert.equal(stdout, "", path);
    assert.notEqual(exit_code, 0);
  }
  assert.equal(
    bare(["/bin/cat", `${directories.root}/link/${journal}`]).status,
    0,
    "control: without us the link leads there",
  );
});

test("what boxes are made of is shown to them read-only", async (t) => {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  writeFileSync(`${directories.root}/new`, "");
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
