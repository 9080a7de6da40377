// T16: an agent cannot turn its own grants: neither the links by which they are written, nor what they name.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import test from "node:test";
import { GateError } from "../../src/index.ts";
import { makePlace, openGate } from "../fixtures/gate.ts";
import { bare, bash } from "../fixtures/run.ts";

test("a grant that is written through a link which the agent may change opens no gate", (t) => {
  const place = makePlace();
  t.after(() => place.remove());
  mkdirSync(`${place.outside}/data`);
  symlinkSync(`${place.outside}/data`, `${place.root}/link`);
  symlinkSync(`${place.outside}/data`, `${place.project}/link`);
  const grants = (link: string) => ({
    paths: [
      { path: place.root, mode: "rw" as const },
      { path: link, mode: "r" as const },
    ],
  });
  assert.throws(() => openGate(place, grants(`${place.root}/link`)), GateError);
  openGate(place, grants(`${place.project}/link`)).close(); // control: one that it may not change does
});

test("what is read-only, or hidden, inside what may be changed stays so in the next call", async (t) => {
  const place = makePlace();
  mkdirSync(`${place.root}/a/kept`, { recursive: true });
  mkdirSync(`${place.root}/b/keys`, { recursive: true });
  writeFileSync(`${place.root}/a/kept/file`, "as it was");
  writeFileSync(`${place.root}/b/keys/key`, "secret");
  const gate = openGate(place, {
    paths: [
      { path: "/usr", mode: "r" },
      { path: place.root, mode: "rw", hide: ["b/keys/*"] },
      { path: `${place.root}/a/kept`, mode: "r" },
    ],
  });
  t.after(() => (gate.close(), place.remove()));
  const turn = `cd ${place.root}; mv a a2; mkdir -p a/kept; mv b b2; mv b/keys keys2`;
  await bash(gate, turn);
  const { stdout } = await bash(
    gate,
    `cd ${place.root}; find . -name file | while read f; do echo changed > $f; done; find . -name key -exec cat {} +`,
  );
  assert.equal(stdout, "");
  assert.equal(readFileSync(`${place.root}/a/kept/file`, "utf8"), "as it was");

  bare(["/bin/bash", "-c", turn]);
  assert.equal(
    (await bash(gate, `cat ${place.root}/b2/keys/key`)).stdout,
    "secret",
    "control: moved without us, it is another path, and nobody hides it",
  );
});
