// Every test file that tries less in the ordinary run, in full: those that import `runs` or `isFull`, themselves or
// through a file of theirs. Each has a process of its own, as in the ordinary run: some set the environment.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";

const directory = import.meta.dirname;
const runsFile = join(directory, "fixtures/runs.ts");
const { NODE_TEST_CONTEXT: _, ...rest } = process.env; // else node does not start the tests of a test
const env = { ...rest, SALLYPORT_TESTS_FULL: "1" };

/** The files of `test/` that a file imports, directly or not, with itself. */
function withImports(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path) || !path.startsWith(directory) || !existsSync(path)) return found;
  found.add(path);
  for (const [, name = ""] of readFileSync(path, "utf8").matchAll(/ from "(\..*\.ts)"/g))
    withImports(resolve(path, "..", name), found);
  return found;
}

const run = promisify(execFile);

describe("in full", { concurrency: 2 }, () => {
  for (const file of globSync("**/*.test.ts", { cwd: directory }).sort()) {
    const path = join(directory, file);
    if (!withImports(path).has(runsFile)) continue;
    test(file, async () => {
      const words = ["--test", "--test-reporter=spec", path];
      await run(process.execPath, words, { env, maxBuffer: 2 ** 28 }).catch((error: Error & { stdout?: string }) =>
        assert.fail(error.stdout?.slice(-20_000) ?? error.message),
      );
    });
  }
});
