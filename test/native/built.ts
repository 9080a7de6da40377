// The committed binaries of native/ are what their source says.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { type NativeProgram, readNativeProgram } from "../../src/sandbox/native-program.ts";

const root = join(import.meta.dirname, "../..");
const compilers = { x64: "x86_64-linux-gnu-gcc", arm64: "aarch64-linux-gnu-gcc" } as const;
const has = (program: string) => spawnSync("/bin/sh", ["-c", `command -v ${program}`]).status === 0;

/** For `skip`: why there is no binary for this processor. */
export const noBinary: string | false = !(arch() in compilers) && `there is none for ${arch()}`;

export function testBuilt(name: NativeProgram): void {
  for (const [architecture, compiler] of Object.entries(compilers)) {
    const skip = !has(compiler) && `there is no ${compiler}`;
    test(`${name}-${architecture} is what ${compiler} makes of native/${name}.c`, { skip }, (t) => {
      const directory = mkdtempSync(join(tmpdir(), "sallyport-built-"));
      t.after(() => rmSync(directory, { recursive: true, force: true }));
      const built = spawnSync("bash", [join(root, "scripts/build-init.sh"), directory], { encoding: "utf8" });
      assert.equal(built.status, 0, built.stderr);
      const ours = readFileSync(join(root, "native", `${name}-${architecture}`));
      const theirs = readFileSync(join(directory, `${name}-${architecture}`));
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
