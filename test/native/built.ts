// The committed binaries of native/ are what their source says.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { type NativeProgram, readNativeProgram } from "../../src/sandbox/native-program.ts";
import { afterAllFiles } from "../fixtures/test-files.ts";

const root = join(import.meta.dirname, "../..");
const compilers = { x64: "x86_64-linux-gnu-gcc", arm64: "aarch64-linux-gnu-gcc" } as const;
const has = (program: string) => spawnSync("/bin/sh", ["-c", `command -v ${program}`]).status === 0;

/** For `skip`: why there is no binary for this processor. */
export const noBinary: string | false = !(arch() in compilers) && `there is none for ${arch()}`;

let built: string | undefined;
afterAllFiles(() => {
  if (built !== undefined) rmSync(built, { recursive: true, force: true });
});

/** All programs for all processors, built once. */
function buildAll(): string {
  if (built !== undefined) return built;
  const directory = mkdtempSync(join(tmpdir(), "sallyport-built-"));
  const { status, stderr } = spawnSync("bash", [join(root, "scripts/build-init.sh"), directory], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return (built = directory);
}

export function testBuilt(name: NativeProgram): void {
  for (const [architecture, compiler] of Object.entries(compilers)) {
    const skip = !has(compiler) && `there is no ${compiler}`;
    test(`${name}-${architecture} is what ${compiler} makes of native/${name}.c`, { skip }, (t) => {
      const ours = readFileSync(join(root, "native", `${name}-${architecture}`));
      const theirs = readFileSync(join(buildAll(), `${name}-${architecture}`));
      const { stdout: version } = spawnSync(compiler, ["-dumpfullversion"], { encoding: "utf8" });
      if (!ours.equals(theirs)) t.diagnostic(`compiler ${version.trim()}`);
      // Another compiler may order its code in another way; the one that the committed bytes came from must agree.
      if (version.startsWith("12.")) assert.deepEqual(theirs, ours);
      else
        assert.ok(
          Math.abs(theirs.length - ours.length) < 1024,
          `built by another compiler, ${version.trim()}: the bytes need not agree`,
        );
      assert.deepEqual(readNativeProgram(name, architecture), ours);
    });
  }
}
