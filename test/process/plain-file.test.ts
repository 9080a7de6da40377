// The one way to open what an agent could have made: no link, no device, no waiting, no more than the bound.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { hashFile } from "../../src/process/file-content.ts";
import { readPlainFile, withPlainFile } from "../../src/process/plain-file.ts";
import { limits } from "../../src/shared/limits.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-plain-")));
after(() => rmSync(root, { recursive: true, force: true }));
const at = (name: string): string => join(root, name);

mkdirSync(at("directory"));
writeFileSync(at("file"), "content\n");
writeFileSync(at("directory/inner"), "inner\n");
writeFileSync(at("empty"), "");
symlinkSync("file", at("link"));
symlinkSync("directory", at("linked"));
symlinkSync("/dev", at("devices"));
symlinkSync("/dev/zero", at("zero"));
spawnSync("mkfifo", [at("pipe")]);

describe("a plain file", () => {
  it("is read whole, up to the bound", () => {
    assert.equal(readPlainFile(at("file"), 100)?.toString(), "content\n");
    assert.equal(readPlainFile(at("file"), 8)?.toString(), "content\n");
    assert.equal(readPlainFile(at("file"), 7), null);
    assert.equal(readPlainFile(at("empty"), 0)?.toString(), "");
    assert.equal(readPlainFile(Buffer.from(at("directory/inner")), 100)?.toString(), "inner\n");
  });

  it("may say less than it holds, as files of /proc do", () => {
    assert.equal(
      readPlainFile("/proc/sys/kernel/ostype", 100)?.toString(),
      readFileSync("/proc/sys/kernel/ostype", "utf8"),
    );
    assert.equal(readPlainFile("/proc/sys/kernel/ostype", 2), null);
  });

  it("is found by its name in a directory that is held open", () => {
    const held = openSync(at("directory"), constants.O_RDONLY | constants.O_DIRECTORY);
    assert.equal(readPlainFile(`/proc/self/fd/${held}/inner`, 100)?.toString(), "inner\n");
    symlinkSync("inner", at("directory/other"));
    assert.equal(readPlainFile(`/proc/self/fd/${held}/other`, 100), null);
    closeSync(held);
  });

  it("is read while git replaces it", (t) => {
    // On a disk, as a repository is: in memory the mover is faster than any git, and than the reader's tries.
    const directory = mkdtempSync(join(import.meta.dirname, "../../node_modules/.cache/sallyport-plain-"));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const moved = join(directory, "moved");
    const mover = `const { renameSync, writeFileSync } = require("fs"); const end = Date.now() + 400;
      while (Date.now() < end) { writeFileSync(process.argv[1] + ".lock", "x"); renameSync(process.argv[1] + ".lock", process.argv[1]); }`;
    writeFileSync(moved, "x");
    const read = `const { readPlainFile } = await import(process.argv[1]); let read = 0, missed = 0; const end = Date.now() + 300;
      while (Date.now() < end) { if (readPlainFile(process.argv[2], 10) === null) missed++; else read++; }
      console.log(read > 0 && missed === 0 ? "all" : read + " and not " + missed);`;
    const shell = '"$0" -e "$1" "$2" & "$0" --input-type=module -e "$3" "$4" "$2"; wait';
    const source = new URL("../../src/process/plain-file.ts", import.meta.url).href;
    const words = [shell, process.execPath, mover, moved, read, source];
    assert.equal(spawnSync("sh", ["-c", ...words], { encoding: "utf8" }).stdout.trim(), "all");
  });
});

describe("anything else is not opened", () => {
  const others = {
    "a link": "link",
    "a link above it": "linked/inner",
    "a link to a device": "zero",
    "a device behind a link": "devices/null",
    "a named pipe": "pipe",
    "a directory": "directory",
    "nothing at all": "nothing",
  };
  for (const [what, name] of Object.entries(others))
    it(what, () => {
      assert.equal(readPlainFile(at(name), 100), null);
      assert.equal(hashFile(at(name)), null);
    });

  it("a socket", async () => {
    const server = createServer().listen(at("socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    assert.equal(readPlainFile(at("socket"), 100), null);
    server.close();
  });

  it("what the disk says is thrown to who asks for it", () => {
    assert.throws(() => withPlainFile(at("nothing"), () => 1), { code: "ENOENT" });
    assert.equal(
      withPlainFile(at("link"), () => 1),
      null,
    );
  });

  it("control: node's own way follows and reads them", () => {
    for (const name of ["link", "linked/inner"]) assert.notEqual(readFileSync(at(name), "utf8"), "");
    const waiting = spawnSync(process.execPath, ["-e", `fs.readFileSync(${JSON.stringify(at("pipe"))})`], {
      timeout: 1_500,
    });
    assert.equal(waiting.signal, "SIGTERM");
  });
});

it("a script of any size has a hash at once, and another one when it changes", () => {
  truncateSync(at("empty"), limits.hashedFileBytes * 4_000);
  const first = hashFile(at("empty"));
  assert.match(first ?? "", /^[0-9a-f]{64}$/);
  assert.equal(hashFile(at("empty")), first);
  writeFileSync(at("empty"), "x", { flag: "r+" });
  assert.notEqual(hashFile(at("empty")), first);
});
