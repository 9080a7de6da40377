// Holds that an exported name is declared in one file of src/. The rule is also shown sources that break it.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { exportProblems, sharedExports } from "./export-rules.ts";

const src = join(import.meta.dirname, "../../src");
const sources = new Map(
  globSync("**/*.ts", { cwd: src }).map((path) => [path, readFileSync(join(src, path), "utf8")] as const),
);
const shared = [...sharedExports].flatMap(([name, paths]) =>
  paths.map((path) => [path, `export function ${name}() {}\n`] as const),
);
/** The promised names with these files besides; text of one path is put together. */
function withShared(...more: readonly (readonly [path: string, source: string])[]): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (const [path, source] of [...shared, ...more]) all.set(path, `${all.get(path) ?? ""}${source}`);
  return all;
}

test("an exported name is declared in one file", () => assert.deepEqual(exportProblems(sources), []));

test("the check sees what breaks the rule", async (t) => {
  const broken: [string, string][] = [
    ["export interface Twice {}", "export type Twice = string;"],
    ["export function twice() {}", "export const twice = 1;"],
    ["export async function* twice() {}", "export class twice {}"],
    ["export abstract class Twice {}", "export declare const Twice: string;"],
  ];
  for (const [one, other] of broken)
    await t.test(`${one} ${other}`, () => {
      const found = exportProblems(withShared(["store/a.ts", one], ["web/b.ts", other]));
      assert.match(found.join(), /^twice is exported by store\/a\.ts and web\/b\.ts$/i);
    });
  await t.test("a promised name in another file", () => {
    assert.equal(exportProblems(withShared(["web/a.ts", "export const gateTools = 1;"])).length, 1);
  });
  await t.test("a promise that is not kept any more", () => assert.ok(exportProblems(new Map()).length > 0));
});

test("the check leaves what is right", () => {
  const fine = [
    [
      "store/a.ts",
      "export interface One {}\nexport const One = {};\nexport function over(a: string): void;\nexport function over() {}",
    ],
    [
      "store/b.ts",
      'export { over } from "./a.ts";\n// export const over = 1;\nconst text = "\\nexport const over = 1";',
    ],
    ["web/c.ts", "const over = 1;\nfunction One() {}"],
  ] as const;
  assert.deepEqual(exportProblems(withShared(...fine)), []);
});
