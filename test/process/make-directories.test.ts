import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { makeDirectories } from "../../src/process/make-directories.ts";

const root = mkdtempSync(join(tmpdir(), "sallyport-directories-"));
after(() => rmSync(root, { recursive: true, force: true }));

test("what is missing is made with the mode, and what is there is kept", () => {
  const modeOf = (name: string) => statSync(join(root, name)).mode & 0o777;
  makeDirectories(join(root, "a"), 0o750);
  makeDirectories(join(root, "a/b/c"), 0o700);
  assert.deepEqual(["a", "a/b", "a/b/c"].map(modeOf), [0o750, 0o700, 0o700]);
  symlinkSync("a", join(root, "link"));
  makeDirectories(join(root, "link/b/d/"), 0o700);
  assert.equal(modeOf("a/b/d"), 0o700);
  makeDirectories("/", 0o700);
});

test("a file or a link to nowhere in its place, or on the way, is an error", () => {
  writeFileSync(join(root, "file"), "");
  symlinkSync("nowhere", join(root, "dangling"));
  for (const [name, code] of [
    ["file", "EEXIST"],
    ["file/x/y", "ENOTDIR"],
    ["dangling", "EEXIST"],
    ["dangling/x", "EEXIST"],
  ] as const)
    assert.throws(() => makeDirectories(join(root, name), 0o700), { code }, name);
});

test("under /proc, where nothing can be made, it ends", () => {
  const source = join(import.meta.dirname, "../../src/process/make-directories.ts");
  const script = `import { makeDirectories } from ${JSON.stringify(source)};
    for (const path of ["/proc/x", "/proc/x/y/z"])
      try { makeDirectories(path, 0o700); } catch ({ code }) { console.log(code); }`;
  const done = spawnSync(process.execPath, ["--input-type=module-typescript", "--eval", script], {
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.deepEqual([done.signal, done.stdout], [null, "ENOENT\nENOENT\n"], done.stderr);
});
