import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { newCliUser, noTerminal, onTerminal, runner } from "../../fixtures/cli.ts";

const claims = [
  /Hello from inside the box/,
  /id_ed25519: No such file or directory/,
  /the program got 7, all made for it/,
  /Network is unreachable/,
  /refused \(fs_denied\)/,
  /Read-only file system/,
  /made\.txt is on your disk, the hook is not\./,
  /Still alive of it: 0\./,
  /verify: in order, \d+ entries/,
  /verify: NOT in order: entry 1 was changed/,
  /What next/,
];

test("the tour goes as it tells, plain in a pipe, and leaves nothing behind", (t) => {
  const person = newCliUser(t, undefined, { hasState: false });
  const temporary = join(person.root, "tmp");
  mkdirSync(temporary);
  const done = person.run(["demo"], { env: { TMPDIR: temporary } });
  assert.deepEqual([done.code, done.err], [0, ""], done.out);
  for (const claim of claims) assert.match(done.out, claim);
  assert.ok(!done.out.includes("\u001b"));
  assert.deepEqual(readdirSync(temporary), []);
  assert.equal(existsSync(person.state), false, "the person's own record is not touched");
});

const isRoot = process.getuid?.() === 0;

test(
  "it goes the same for someone without privileges",
  { skip: isRoot ? false : "these tests run unprivileged anyway" },
  (t) => {
    const person = newCliUser(t);
    const temporary = join(person.root, "tmp");
    mkdirSync(temporary);
    chmodSync(person.root, 0o755);
    for (const path of [temporary, person.home, person.project]) chownSync(path, 65534, 65534);
    const command = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, runner, "demo"];
    const done = spawnSync("setpriv", command, {
      cwd: temporary,
      env: { ...person.env, TMPDIR: temporary },
      encoding: "utf8",
    });
    if (/EACCES|Cannot find module/.test(done.stderr)) return t.skip("this clone cannot be read by other users");
    assert.deepEqual([done.status, done.stderr], [0, ""], done.stdout);
    for (const claim of claims) assert.match(done.stdout, claim);
    assert.deepEqual(readdirSync(temporary), []);
  },
);

test("on a terminal it is in colour, and Ctrl-C ends it without a trace", { skip: noTerminal }, async (t) => {
  const person = newCliUser(t);
  const temporary = join(person.root, "tmp");
  mkdirSync(temporary);
  const { code, screen } = await onTerminal(person, ["demo"], {
    env: { TMPDIR: temporary },
    type: { after: "Held by the kernel", keys: "\u0003" },
  });
  assert.equal(code, 130);
  assert.ok(screen.includes("\u001b[1mA tour of Sallyport"));
  assert.doesNotMatch(screen, /What next/);
  assert.deepEqual(readdirSync(temporary), []);
});
