// T07: nobody can put another program in the place of those that boxes are made with.

import assert from "node:assert/strict";
import { chmodSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { arch } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { probe } from "../../src/sandbox/probe.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { bare } from "../fixtures/run.ts";

test("bubblewrap is taken from fixed places, never from the search path", (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  writeFileSync(`${directories.root}/bwrap`, "#!/bin/sh\necho bubblewrap 99.0.0 fake\n", { mode: 0o755 });
  const path = process.env["PATH"];
  t.after(() => (process.env["PATH"] = path));
  process.env["PATH"] = `${directories.root}:${path}`;
  assert.match(bare(["bwrap", "--version"]).stdout, /fake/, "control: the search path leads to the fake one");
  const { bubblewrap } = probe();
  assert.ok(
    bubblewrap !== null && bubblewrap.path.startsWith("/usr/") && !bubblewrap.version.startsWith("99"),
    JSON.stringify(bubblewrap),
  );
});

test("a bubblewrap that others could have changed is not taken", (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const own = `${directories.root}/bwrap`;
  cpSync("/usr/bin/bwrap", own);
  chmodSync(own, 0o755);
  assert.equal(probe({ bubblewrap: [own] }).bubblewrap?.path, own, "control: one of ours is");
  for (const mode of [0o775, 0o757, 0o777, 0o644]) {
    chmodSync(own, mode);
    const found = probe({ bubblewrap: [own] });
    assert.equal(found.bubblewrap, null, mode.toString(8));
    assert.match(found.problem?.message ?? "", /not installed|others may change it|belongs to user/);
  }
});

test("a first process with one changed byte is not used", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const root = join(import.meta.dirname, "../..");
  for (const path of [
    "src/sandbox",
    "src/process",
    "src/shared",
    "src/action",
    "src/approval",
    "src/policy",
    "native",
    "package.json",
  ])
    cpSync(join(root, path), join(directories.root, path), { recursive: true });
  const copy = pathToFileURL(`${directories.root}/src/sandbox/init-program.ts`).href;
  const { readInitProgram } = (await import(copy)) as typeof import("../../src/sandbox/init-program.ts");
  const file = `${directories.root}/native/init-${arch()}`;
  const bytes = readFileSync(file);
  assert.deepEqual(readInitProgram(arch()), bytes, "control: as it is, it is used");
  bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
  writeFileSync(file, bytes);
  assert.throws(() => readInitProgram(arch()), /pinned hash/);
  assert.throws(() => readInitProgram("mips"), /no native\/init/);
});
