import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { type AgentFile, readAgentFile, writeAgentFile } from "../../src/install/agent-files.ts";

function place(t: TestContext): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-agents-")));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function opened(path: string): AgentFile {
  const read = readAgentFile(path);
  assert.ok(read.ok, JSON.stringify(read));
  return read.file;
}

test("a file is replaced whole, with its mode, and a link to it stays a link", (t) => {
  const directory = place(t);
  const real = join(directory, "dotfiles/config.json");
  mkdirSync(join(directory, "dotfiles"));
  writeFileSync(real, "\uFEFF{}");
  chmodSync(real, 0o640);
  const link = join(directory, "config.json");
  symlinkSync("dotfiles/config.json", link);
  const file = opened(link);
  assert.deepEqual(file, { file: link, real, text: "\uFEFF{}" });
  assert.equal(writeAgentFile(file, "\uFEFF{ }"), null);
  assert.equal(lstatSync(link).isSymbolicLink(), true);
  assert.equal(readFileSync(real, "utf8"), "\uFEFF{ }");
  assert.equal(statSync(real).mode & 0o7777, 0o640);
  assert.deepEqual(readdirSync(join(directory, "dotfiles")), ["config.json"], "no draft is left");
});

test("a new file comes with its directories; a file is removed", (t) => {
  const directory = place(t);
  const path = join(directory, "a/b/config.json");
  assert.equal(writeAgentFile(opened(path), "{}\n"), null);
  assert.deepEqual([statSync(path).mode & 0o777, statSync(join(directory, "a")).mode & 0o777], [0o600, 0o700]);
  assert.equal(writeAgentFile(opened(join(directory, "p.json")), "{}\n", 0o644), null);
  assert.equal(statSync(join(directory, "p.json")).mode & 0o777, 0o644);
  assert.equal(writeAgentFile(opened(path), null), null);
  assert.equal(opened(path).text, null);
});

test("what changed since it was read is not written over", (t) => {
  const directory = place(t);
  const path = join(directory, "config.json");
  writeFileSync(path, "{}");
  const file = opened(path);
  writeFileSync(path, '{ "mine": 1 }');
  assert.match(writeAgentFile(file, "ours") ?? "", /changed in the meantime/);
  assert.equal(readFileSync(path, "utf8"), '{ "mine": 1 }');
  const none = opened(join(directory, "other.json"));
  writeFileSync(join(directory, "other.json"), "theirs");
  assert.match(writeAgentFile(none, "ours") ?? "", /changed in the meantime/);
  const elsewhere = join(directory, "elsewhere.json");
  writeFileSync(elsewhere, '{ "mine": 1 }');
  const again = opened(path);
  rmSync(path);
  symlinkSync(elsewhere, path);
  assert.match(writeAgentFile(again, "ours") ?? "", /changed in the meantime/, "a link was put there");
  assert.equal(readFileSync(elsewhere, "utf8"), '{ "mine": 1 }');
});

test("what is no text file is not read, and says why", (t) => {
  const directory = place(t);
  const reason = (name: string) => (readAgentFile(join(directory, name)) as { reason?: string }).reason;
  mkdirSync(join(directory, "directory"));
  writeFileSync(join(directory, "latin"), Buffer.from([0xe9, 0x20]));
  symlinkSync("nowhere", join(directory, "dangling"));
  symlinkSync("nowhere", join(directory, "gone"));
  symlinkSync("loop", join(directory, "loop"));
  assert.equal(spawnSync("mkfifo", [join(directory, "pipe")]).status, 0);
  assert.match(reason("directory") ?? "", /not a regular file/);
  assert.match(reason("pipe") ?? "", /not a regular file/);
  assert.match(reason("latin") ?? "", /not UTF-8/);
  assert.match(reason("dangling") ?? "", /link leads nowhere/);
  assert.match(reason("gone/config.json") ?? "", /link leads nowhere/);
  assert.match(reason("loop") ?? "", /link leads nowhere|ELOOP/);
  assert.match(reason("latin/config.json") ?? "", /a file stands where its directory should be/);
  assert.equal(reason("missing/config.json"), undefined);
});

test("a directory where nothing can be written: it says so, and nothing is left", (t) => {
  const directory = place(t);
  const path = join(directory, "config.json");
  writeFileSync(path, "{}");
  const file = opened(path);
  // A draft that is in the way: it is not ours, and stays.
  writeFileSync(`${path}.${process.pid}.draft`, "x");
  assert.match(writeAgentFile(file, "ours") ?? "", /cannot be written \(EEXIST\)/);
  assert.equal(readFileSync(path, "utf8"), "{}");
});

test("without permission: it is said, and nothing is written", (t) => {
  const directory = place(t);
  const [secret, shut] = [join(directory, "secret.json"), join(directory, "shut.json")];
  writeFileSync(secret, "{}");
  writeFileSync(shut, "{}");
  chmodSync(directory, 0o555);
  chmodSync(secret, 0o000);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534); // root is refused nothing
  try {
    assert.match((readAgentFile(secret) as { reason?: string }).reason ?? "", /cannot be read: no permission/);
    assert.match(writeAgentFile(opened(shut), "ours") ?? "", /cannot be written: no permission/);
    assert.match(
      writeAgentFile(opened(join(directory, "new/x.json")), "ours") ?? "",
      /cannot be written: no permission/,
    );
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(directory, 0o755);
  }
  assert.deepEqual(readdirSync(directory).toSorted(), ["secret.json", "shut.json"]);
});
