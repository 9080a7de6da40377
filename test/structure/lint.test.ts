// The type-aware rules can go silent (a missing helper, an option renamed) without an error: here each must still fire.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

const root = join(import.meta.dirname, "../..");

const bad = `
declare function work(): Promise<number>;
type Kind = "a" | "b";
export function floats(): void {
  work();
}
export function misuses(): void {
  if (work()) [1].forEach(async () => { await work(); });
}
export function forgets(kind: Kind): number {
  switch (kind) {
    case "a": return 1;
  }
  return 0;
}
`;

const good = `
declare function work(): Promise<number>;
export async function waits(): Promise<number> {
  return await work();
}
`;

test("the linter sees floating and misused promises and forgotten cases", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-lint-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  copyFileSync(join(root, ".oxlintrc.json"), join(directory, ".oxlintrc.json"));
  writeFileSync(
    join(directory, "tsconfig.json"),
    '{ "compilerOptions": { "strict": true, "types": [] }, "include": ["*.ts"] }',
  );
  writeFileSync(join(directory, "bad.ts"), bad);
  writeFileSync(join(directory, "good.ts"), good);
  const done = spawnSync(process.execPath, [join(root, "node_modules/oxlint/bin/oxlint"), "--format=unix", "."], {
    cwd: directory,
    // The linter looks for its type-aware half near the sources and on the PATH.
    env: { ...process.env, PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}` },
    encoding: "utf8",
  });
  const found = [...done.stdout.matchAll(/^(?:\.\/)?(\w+\.ts):.*typescript\(([\w-]+)\)\]$/gm)].map(
    ([, file, rule]) => `${file} ${rule}`,
  );
  assert.deepEqual(
    new Set(found),
    new Set(["bad.ts no-floating-promises", "bad.ts no-misused-promises", "bad.ts switch-exhaustiveness-check"]),
    done.stdout + done.stderr,
  );
  assert.equal(done.status, 1);
});
