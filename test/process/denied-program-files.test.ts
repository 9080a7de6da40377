// The files that rules about programs mean, on a tree of its own.

import assert from "node:assert/strict";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, test } from "node:test";
import { compileRule, type RuleText } from "../../src/policy/rule.ts";
import { deniedProgramFiles } from "../../src/process/denied-program-files.ts";

const tree = realpathSync(mkdtempSync(`${tmpdir()}/sallyport-programs-`));
after(() => rmSync(tree, { recursive: true }));
const program = (path: string) => writeFileSync(`${tree}/${path}`, "#!/bin/sh\n", { mode: 0o755 });
for (const directory of ["bin", "node_modules/.bin", "node_modules/x/bin", "src", "tools/deep", "bin/zz-taken"])
  mkdirSync(`${tree}/${directory}`, { recursive: true });
for (const path of [
  "bin/one",
  "node_modules/x/bin/cli.js",
  "src/one",
  "tools/a",
  "tools/deep/b",
  "bin/busybox",
  "bin/[x]",
])
  program(path);
writeFileSync(`${tree}/tools/data`, "");
writeFileSync(`${tree}/bin/zz-text`, "");
symlinkSync("../x/bin/cli.js", `${tree}/node_modules/.bin/cli`);
symlinkSync("busybox", `${tree}/bin/applet`);
linkSync(`${tree}/bin/one`, `${tree}/bin/uno`);

function files(...texts: Partial<RuleText>[]): string[] {
  const rules = texts.map((text) => {
    const rule = compileRule({ decide: "deny", effect: "run", ...text }, "r-1", "here");
    assert.ok(rule.ok);
    return rule.value;
  });
  return deniedProgramFiles(rules, [tree]).map((path) => path.replace(`${tree}/`, ""));
}

const cases: readonly (readonly [what: string, text: Partial<RuleText>, ...found: string[]])[] = [
  ["a name: every hard link to it, not a file of that name elsewhere", { program: "one" }, "bin/one", "bin/uno"],
  ["a link: what it leads to", { program: "cli" }, "node_modules/x/bin/cli.js"],
  ["a link to busybox: nothing", { program: "applet" }],
  ["busybox itself", { program: "busybox" }, "bin/busybox"],
  ["what is not executable, or a directory: nothing", { argv: ["zz-t*", "**"] }],
  ["odd characters", { argv: ["[x]", "**"] }, "bin/[x]"],
  ["a file by its path", { program: `${tree}/src/one` }, "src/one"],
  ["a directory: the programs in it", { program: `${tree}/tools` }, "tools/a", "tools/deep/b"],
  ["a pattern of paths", { program: `${tree}/tools/*` }, "tools/a", "tools/deep/b"],
  ["a pattern at any depth", { program: `${tree}/**/b` }, "tools/deep/b"],
  ["arguments: nothing", { argv: ["one", "x", "**"] }],
  ["a name that nobody has", { program: "nosuchprogram" }],
];
for (const [what, text, ...found] of cases) test(what, () => assert.deepEqual(files(text), found));

test("a directory with too many programs to list is hidden whole", () => {
  mkdirSync(`${tree}/many`);
  for (let count = 0; count < 510; count += 1) program(`many/p${count}`);
  assert.deepEqual(files({ program: `${tree}/many/*` }), ["many"]);
});

test("the system's own: a name that links lead from", () => {
  assert.deepEqual(files({ program: "sh" }), [realpathSync("/bin/sh")]);
});

test("a link in a tree of the agent hides nothing outside of that tree: by a name, a place or a path", () => {
  const outside = realpathSync(mkdtempSync(`${tmpdir()}/sallyport-outside-`));
  const own = `${outside}/own`;
  mkdirSync(`${own}/bin`, { recursive: true });
  mkdirSync(`${outside}/library`);
  for (const path of ["library/zz-library", "own/zz-here"])
    writeFileSync(`${outside}/${path}`, "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync("../../library/zz-library", `${own}/bin/zz-out`);
  symlinkSync("../zz-here", `${own}/bin/zz-in`);
  symlinkSync("../library", `${own}/sbin`);
  const deniedIn = (program: string, changeable: readonly string[]) => {
    const rule = compileRule({ decide: "deny", effect: "run", program }, "r-1", "here");
    assert.ok(rule.ok);
    return deniedProgramFiles([rule.value], [own], changeable);
  };
  try {
    for (const program of ["zz-out", "zz-library", `${own}/bin/zz-out`, `${own}/sbin`, `${own}/sbin/*`])
      assert.deepEqual(deniedIn(program, [own]), [], program);
    assert.deepEqual(deniedIn("zz-in", [own]), [`${own}/zz-here`]);
    // Control: a path of a tree that nobody changes is followed.
    assert.deepEqual(deniedIn(`${own}/bin/zz-out`, []), [`${outside}/library/zz-library`]);
  } finally {
    rmSync(outside, { recursive: true });
  }
});
