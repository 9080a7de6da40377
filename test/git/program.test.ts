// Which git is taken: one that nobody else can change, and that is new enough.

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { findGit } from "../../src/git/program.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-program-"));
after(() => rmSync(directory, { recursive: true, force: true }));

function fakeGit(name: string, says: string, mode = 0o755): string {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\necho '${says}'\n`);
  chmodSync(path, mode);
  return path;
}

test("the system's git is found", () => {
  assert.deepEqual(findGit(), { ok: true, value: "/usr/bin/git" });
});

test("none at all: tool_failed, with what to install", () => {
  const found = findGit([join(directory, "nothing")]);
  assert.ok(!found.ok);
  assert.equal(found.failure.error, "tool_failed");
  assert.match(found.failure.message, /git is not installed/);
  assert.match(found.failure.hint ?? "", /git 2\.34 or newer, like: sudo apt-get install -y git/);
});

test("too old: tool_failed, with its version and what to install", () => {
  for (const version of ["1.9.5", "2.33.8", "2.4.0"]) {
    const found = findGit([fakeGit("old", `git version ${version}`)]);
    assert.ok(!found.ok, version);
    assert.equal(found.failure.error, "tool_failed");
    assert.match(
      found.failure.message,
      new RegExp(`is git ${version.split(".").slice(0, 2).join("\\.")}, which is too old`),
    );
    assert.match(found.failure.hint ?? "", /2\.34 or newer/);
  }
});

test("new enough, however it spells its version", () => {
  for (const version of ["2.34.0", "2.39.5 (Apple Git-154)", "2.47.1.windows.1", "2.100.0-rc1", "3.0.0"]) {
    const path = fakeGit("new", `git version ${version}`);
    assert.deepEqual(findGit([path]), { ok: true, value: path }, version);
  }
});

test("the first that is new enough counts", () => {
  const old = fakeGit("a-old", "git version 2.20.1");
  const recent = fakeGit("b-new", "git version 2.50.0");
  assert.deepEqual(findGit([old, recent]), { ok: true, value: recent });
});

test("what says no version, or what others can change, is not git", () => {
  assert.ok(!findGit([fakeGit("mute", "hello")]).ok);
  assert.ok(!findGit([fakeGit("open", "git version 2.50.0", 0o777)]).ok);
  assert.ok(!findGit([fakeGit("plain", "git version 2.50.0", 0o644)]).ok);
  symlinkSync(fakeGit("target", "git version 2.50.0", 0o775), join(directory, "link"));
  assert.ok(!findGit([join(directory, "link")]).ok);
});
