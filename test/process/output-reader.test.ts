import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { OutputCapture } from "../../src/process/output.ts";
import { readOutput } from "../../src/process/output-reader.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-reader-"));
after(() => rmSync(directory, { recursive: true, force: true }));

function pipe(name: string): { readFd: number; writeFd: number } {
  const path = join(directory, name);
  execFileSync("/usr/bin/mkfifo", [path]);
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { readFd, writeFd: openSync(path, constants.O_WRONLY) };
}

test("what stands in the pipe is read although the process was too busy to look in time", async () => {
  const { readFd, writeFd } = pipe("busy");
  const capture = new OutputCapture(1024);
  const reader = readOutput("stdout", readFd, capture, {});
  writeSync(writeFd, "printed before the end");
  closeSync(writeFd);
  const finished = reader.finish(20);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  await finished;
  assert.equal(capture.result().text, "printed before the end");
});

test("a writer that is left is not waited for", async () => {
  const { readFd, writeFd } = pipe("left");
  const capture = new OutputCapture(1024);
  const reader = readOutput("stdout", readFd, capture, {});
  writeSync(writeFd, "so far");
  await reader.finish(20);
  assert.equal(capture.result().text, "so far");
  closeSync(writeFd);
});
