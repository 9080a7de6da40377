// One walk: who may judge, make a grant, build a box or start a program. Each rule is also shown a source that breaks it.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dirname, join as joinPosix, normalize } from "node:path/posix";
import test from "node:test";
import { codeOnly, withoutComments } from "./source-scan.ts";

const src = join(import.meta.dirname, "../../src");

/**
 * The module and what it exports, by pattern; and the files that may import it as a value. `browser.ts` gives judging and
 * asking to programs without a machine to start anything on: it makes no grant itself.
 */
const imports: readonly [module: string, names: RegExp, files: readonly string[]][] = [
  ["policy/evaluate.ts", /^judge$/, ["runtime/walk.ts", "browser.ts"]],
  ["approval/approve.ts", /^approve$/, ["runtime/walk.ts", "browser.ts"]],
  ["approval/grant.ts", /^grant[A-Z]/, ["approval/approve.ts", "runtime/walk.ts"]],
  ["sandbox/confine.ts", /^confine$/, ["sandbox/sandbox.ts"]],
  ["process/start.ts", /^runForPerson$/, ["runtime/remote-targets.ts"]],
  ["process/start.ts", /^runNotifier$/, ["notify/send-notice.ts"]],
  ["process/start.ts", /^startBox$/, ["sandbox/run-box.ts"]],
];

/**
 * Calls, and the files that may make them. The sandbox wraps its own starter: to notice when boxes can no longer be built,
 * and to report changes where no overlay can.
 */
const calls: readonly [what: string, call: RegExp, files: readonly string[]][] = [
  ["builds a box", /\.confine\s*\(/, ["runtime/walk.ts"]],
  [
    "starts a program",
    /\bstarter\s*\.\s*start\s*\(/,
    ["runtime/walk.ts", "sandbox/sandbox.ts", "sandbox/shared-trees.ts"],
  ],
  ["takes a starter", /\{[^{}]*\bstarter\b[^{}]*\}\s*=\s*(?:[\w.]*\.)?sandbox\b/, []],
  ["makes a launch", /\bnew\s+Launch\s*\(/, ["sandbox/confine.ts", "browser/wasm-sandbox.ts"]],
  ["makes a grant by itself", /\bnew\s+Grant\s*\(/, ["approval/grant.ts"]],
  ["begins a walk", /\bnew\s+Walk\s*\(/, ["runtime/run.ts"]],
];

/** `import { a, type B, c as d } from "./x.ts"`: the values by their own names; `*` for all of it. */
function valuesImported(path: string, source: string): { readonly from: string; readonly name: string }[] {
  const found: { from: string; name: string }[] = [];
  const statement =
    /\b(?:import|export)\s+(?!type\b)(?:(\{[^}]*\})|(\*(?:\s+as\s+\w+)?))\s*from\s*["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']/g;
  for (const [, list, , named, dynamic] of withoutComments(source).matchAll(statement)) {
    const from = normalize(joinPosix(dirname(path), named ?? dynamic ?? ""));
    const names = (list ?? "").replace(/[{}]/g, "").split(",");
    const values = names.map((each) => each.trim()).filter((each) => each !== "" && !each.startsWith("type "));
    if (list === undefined) found.push({ from, name: "*" });
    for (const each of values) found.push({ from, name: each.split(/\s+as\s+/)[0] ?? "" });
  }
  return found;
}

function walkProblems(path: string, source: string): string[] {
  const values = valuesImported(path, source);
  const code = codeOnly(source);
  return [
    ...imports
      .filter(([module, , files]) => path !== module && !files.includes(path))
      .flatMap(([module, names]) =>
        values
          .filter(({ from, name }) => from === module && (name === "*" || names.test(name)))
          .map(({ name }) => `${path} imports ${name} of ${module}: runtime/walk.ts does that for all`),
      ),
    ...calls
      .filter(([, call, files]) => !files.includes(path) && call.test(code))
      .map(([what]) => `${path} ${what}: runtime/walk.ts does that for all`),
  ];
}

test("one place judges, grants, builds boxes and starts", () => {
  const paths = globSync("**/*.ts", { cwd: src });
  assert.ok(paths.length > 5);
  assert.deepEqual(
    paths.flatMap((path) => walkProblems(path, readFileSync(join(src, path), "utf8"))),
    [],
  );
});

test("every file that is allowed something still does it", () => {
  for (const [module, names, files] of imports)
    for (const path of files) {
      const values = valuesImported(path, readFileSync(join(src, path), "utf8"));
      assert.ok(
        values.some(({ from, name }) => from === module && names.test(name)),
        `${path} takes nothing of ${module}`,
      );
    }
  for (const [what, call, files] of calls)
    for (const path of files)
      assert.match(codeOnly(readFileSync(join(src, path), "utf8")), call, `${path} no longer ${what}`);
});

test("the check sees what breaks the rules", async (t) => {
  const broken: [path: string, source: string][] = [
    ["runtime/gate.ts", 'import { judge } from "../policy/evaluate.ts";'],
    ["runtime/contact.ts", 'import { type A, judge as weigh } from "../policy/evaluate.ts";'],
    ["cli/a.ts", 'import * as evaluate from "../policy/evaluate.ts";'],
    ["runtime/contact.ts", 'import { approve } from "../approval/approve.ts";'],
    ["runtime/git-reader.ts", 'import { type Grant, grantByVerdict } from "../approval/grant.ts";'],
    ["tools/a.ts", 'const { grantToLand } = await import("../approval/grant.ts");'],
    ["mcp/a.ts", 'export { grantByAnswer } from "../approval/grant.ts";'],
    ["runtime/landing-git.ts", 'import { confine } from "../sandbox/confine.ts";'],
    ["runtime/landing-git.ts", "const confined = sandbox.confine(grant, step);"],
    ["runtime/git-reader.ts", "await sandbox.starter.start(launch, listener, dispatched);"],
    ["runtime/git-reader.ts", "const { starter } = this.context.session.backend.sandbox;"],
    ["git/a.ts", 'import { runForPerson } from "../process/start.ts";'],
    ["runtime/a.ts", 'import { startBox } from "../process/start.ts";'],
    ["runtime/a.ts", "const launch = new Launch(grant, step, confinement);"],
    ["runtime/a.ts", "const walk = new Walk(context);"],
    ["approval/approve.ts", "return new Grant(maker, action, who);"],
  ];
  for (const [path, source] of broken)
    await t.test(`${path}: ${source}`, () => assert.notDeepEqual(walkProblems(path, source), []));
  for (const [path, source] of [
    ["runtime/contact.ts", 'import type { Grant } from "../approval/grant.ts";'],
    ["runtime/perform.ts", 'import { Grant } from "../approval/grant.ts";'],
    ["runtime/contact.ts", 'const judged = walk.judge(draft); // judge from "../policy/evaluate.ts"'],
  ] as const)
    assert.deepEqual(walkProblems(path, source), [], source);
});
