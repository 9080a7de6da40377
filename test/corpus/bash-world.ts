// The world of a script's case: that of a shell case, and what scripts name besides.

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { writeFiles } from "../fixtures/git.ts";
import { makeShellWorld } from "./shell-world.ts";
import type { World } from "./world.ts";

let archive: Buffer | undefined;

export function makeBashWorld(name: string): World {
  const world = makeShellWorld(name);
  const { repo, root } = world;
  writeFiles(repo, {
    Makefile: "test:\n\t@seq 1 30\n",
    "one.ts": "1\n",
    "two.ts": "1\n2\n",
    "list.txt": "first\nsecond\n",
    "-f": "a file of that name\n",
    "build/tmp.txt": "temporary\n",
    "build/a.o": "object\n",
    "build/keep.c": "source\n",
    "dist/x.js": "built\n",
    "logs/x.log": "before\n",
    "node_modules/c/c.ts": "export const c = 1;\n",
    "package-lock.json": JSON.stringify({ name: "x", lockfileVersion: 3, packages: { "": { name: "x" } } }),
    "scripts/gen.py": "import sys\nopen(sys.argv[2], 'w').write('generated\\n')\n",
  });
  mkdirSync(`${repo}/.git/hooks`, { recursive: true });
  mkdirSync(`${repo}/.git/info`, { recursive: true });
  mkdirSync(`${repo}/.ourtool`);
  writeFiles(repo, { ".ourtool/policy.json": "deny\n" });
  // Out of the root by one name, as `../../out` is in the corpus: the world's own.
  writeFiles(root, {
    "evil.patch": "--- /dev/null\n+++ ../out/PWNED\n@@ -0,0 +1 @@\n+x\n",
    "evil.zip": (archive ??= makeArchive()),
  });
  return world;
}

/** One whose first file would lie outside of where it is unpacked. */
function makeArchive(): Buffer {
  const slip = [
    "import io, sys, zipfile",
    "made = io.BytesIO()",
    "z = zipfile.ZipFile(made, 'w')",
    "z.writestr('../out/PWNED', 'x')",
    "z.writestr('inside.txt', 'x')",
    "z.close()",
    "sys.stdout.buffer.write(made.getvalue())",
  ].join("\n");
  const made = spawnSync("/usr/bin/python3", ["-I", "-c", slip]);
  if (made.status !== 0) throw new Error(`no archive was made: ${String(made.stderr)}`);
  return made.stdout;
}
