// T16: an agent cannot turn its own grants: neither the links by which they are written, nor what they name.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import test from "node:test";
import { GateError } from "../../src/index.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { bare, bash } from "../fixtures/run.ts";

test("a grant that is written through a link which the agent may change opens no gate", (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  mkdirSync(`${directories.outside}/data`);
  symlinkSync(`${directories.outside}/data`, `${directories.root}/link`);
  symlinkSync(`${directories.outside}/data`, `${directories.project}/link`);
  const grants = (link: string) => ({
    paths: [
      { path: directories.root, mode: "rw" as const },
      { path: link, mode: "r" as const },
    ],
  });
  assert.throws(() => openGate(directories, grants(`${directories.root}/link`)), GateError);
  openGate(directories, grants(`${directories.project}/link`)).close(); // control: one that it may not change does
});

test("what is read-only, or hidden, inside what may be changed stays so in the next call", async (t) => {
  const directories = makeTestDirectories();
  mkdirSync(`${directories.root}/a/kept`, { recursive: true });
  mkdirSync(`${directories.root}/b/keys`, { recursive: true });
  writeFileSync(`${directories.root}/a/kept/file`, "as it was");
  writeFileSync(`${directories.root}/b/keys/key`, "secret");
  const gate = openGate(directories, {
    paths: [
      { path: "/usr", mode: "r" },
      { path: directories.root, mode: "rw", hide: ["b/keys/*"] },
      { path: `${directories.root}/a/kept`, mode: "r" },
    ],
  });
  t.after(() => (gate.close(), directories.remove()));
  const turn = `cd ${directories.root}; mv a a2; mkdir -p a/kept; mv b b2; mv b/keys keys2`;
  await bash(gate, turn);
  const { stdout } = await bash(
    gate,
    `cd ${directories.root}; find . -name file | while read f; do echo changed > $f; done; find . -name key -exec cat {} +`,
  );
  assert.equal(stdout, "");
  assert.equal(readFileSync(`${directories.root}/a/kept/file`, "utf8"), "as it was");

  bare(["/bin/bash", "-c", `cd ${directories.root}; mv b b3`]);
  assert.equal(
    (await bash(gate, `cat ${directories.root}/b3/keys/key`)).stdout,
    "secret",
    "control: moved without us, it is another path, and nobody hides it",
  );
});
