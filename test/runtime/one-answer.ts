// One answer for every door: on random trees, grants and rules, the file tools and a box see and change the same files, and a box
// does so under both names of the workspace.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { TestContext } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { createGate, createRegistry, type Gate, registerBashTool, registerBuiltinTools } from "../../src/index.ts";
import { makeTestDirectories, type TestDirectories } from "../fixtures/gate.ts";
import { ran } from "../fixtures/run.ts";

const names = ["a", "b", "lib", ".env", ".env.local", "key.pem", ".vscode", ".npmrc"];
const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const hide = fc.uniqueArray(fc.constantFrom(".env*", "*.pem", "lib/*", "/a", "b/**/lib", "lib"), { maxLength: 2 });

const world = fc.record({
  files: fc.uniqueArray(path, { minLength: 4, maxLength: 10 }),
  links: fc.uniqueArray(fc.tuple(path, fc.nat()), { maxLength: 3, selector: ([at]) => at }),
  rootHide: hide,
  islands: fc.uniqueArray(fc.tuple(path, fc.constantFrom("r" as const, "rw" as const), hide), {
    maxLength: 2,
    selector: ([at]) => at,
  }),
  rules: fc.array(fc.tuple(fc.constantFrom("read" as const, "write" as const), path), { maxLength: 2 }),
});

type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

/** The paths that could be made: a file may be in the way of another, and a grant may lie in what is hidden. */
function build(root: string, { files, links }: World): string[] {
  const made: string[] = [];
  const attempt = (at: string, make: (place: string) => void) => {
    try {
      mkdirSync(dirname(join(root, at)), { recursive: true });
      make(join(root, at));
      made.push(at);
    } catch {} // something else is there
  };
  for (const at of files) attempt(at, (place) => writeFileSync(place, "old\n", { flag: "wx" }));
  const targets = [...made];
  for (const [at, nth] of links) {
    const target = targets[nth % targets.length] as string;
    attempt(at, (place) => symlinkSync(relative(dirname(place), join(root, target)), place));
  }
  return made;
}

function openOn(directories: TestDirectories, root: string, { rootHide, islands, rules }: World): Gate | null {
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerBashTool(registry);
  const grants = [
    { path: "/usr", mode: "r" },
    { path: root, mode: "rw", hide: rootHide },
    ...islands.map(([at, mode, hidden]) => ({ path: join(root, at), mode, hide: hidden })),
  ];
  const configText = JSON.stringify({
    version: 1,
    agents: { default: { tool_grants: ["*"], fs_grants: grants } },
    workspace: { kind: "directory", path: root },
    policy: { rules: rules.map(([effect, at]) => ({ decide: "deny", effect, path: join(root, at) })) },
  });
  try {
    return createGate({ registry, configText, statePath: directories.state, project: root });
  } catch {
    return null; // a grant inside of what another one hides is refused when it is read
  }
}

interface Seen {
  readonly read: string[];
  readonly changed: string[];
}

const script = `while IFS= read -r p; do
  cat "$ROOT/$p" >/dev/null 2>&1 && echo "read $p"
  { printf x >> "$ROOT/$p"; } 2>/dev/null
done; :`;

async function byBox(gate: Gate, disk: string, root: string, paths: readonly string[]): Promise<Seen> {
  const stdin = paths.map((at) => `${at}\n`).join("");
  const before = paths.map((at) => textAt(disk, at));
  const { stdout } = ran(await gate.call({ tool: "Bash", args: { script, stdin, env: { ROOT: root } } }));
  const lines = stdout.split("\n");
  const those = (word: string) => lines.filter((line) => line.startsWith(word)).map((line) => line.slice(word.length));
  // What a program changes in its layer counts once it has landed.
  return { read: those("read "), changed: paths.filter((at, index) => textAt(disk, at) !== before[index]) };
}

function textAt(root: string, at: string): string | null {
  try {
    return readFileSync(join(root, at), "utf8");
  } catch {
    return null; // a link that leads nowhere
  }
}

async function byTools(gate: Gate, paths: readonly string[]): Promise<Seen> {
  const read: string[] = [];
  const changed: string[] = [];
  for (const at of paths) {
    if ((await gate.call({ tool: "read_file", args: { path: at } })).ok) read.push(at);
    if ((await gate.call({ tool: "write_file", args: { path: at, content: "new\n" } })).ok) changed.push(at);
  }
  return { read, changed };
}

/** Throws at the first difference. */
export async function compareOnRandomTrees(t: TestContext, numRuns: number): Promise<void> {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  let compared = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(world, async (shape) => {
      const root = mkdtempSync(join(directories.base, "tree-"));
      const paths = build(root, shape);
      const gate = openOn(directories, root, shape);
      if (gate === null) return;
      try {
        const own = await byBox(gate, root, root, paths);
        const shown = await byBox(gate, root, "/workspace", paths);
        const tools = await byTools(gate, paths);
        assert.deepEqual(shown, own, "at /workspace as at its own path");
        assert.deepEqual(tools, own, "in the file tools as in a box");
        compared += paths.length;
        refused += 2 * paths.length - own.read.length - own.changed.length;
        for (const at of own.changed) assert.match(readFileSync(join(root, at), "utf8"), /new/);
      } finally {
        gate.close();
        rmSync(root, { recursive: true, force: true });
      }
    }),
    { numRuns },
  );
  assert.ok(compared > numRuns && refused > numRuns, `control: ${compared} files, ${refused} refusals`);
}
