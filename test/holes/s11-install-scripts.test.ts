// S11: what a package manager runs for whoever installs, and names that look like others, went by without a warning.
// The control of each is npm itself, on this machine and without a network: it runs what the file says.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { displayName, oddName } from "../../src/shared/odd-name.ts";
import { fileEntries, entryText } from "../../src/cli/review/review-files.ts";
import type { FilePair, FileSide } from "../../src/git/publish/diff.ts";
import type { Question } from "../../src/index.ts";
import { runsOnInstall } from "../../src/git/publish/warnings/install-warnings.ts";
import { makeGitGates } from "../fixtures/git-gates.ts";

type Files = Readonly<Record<string, string>>;

function makeProject(t: TestContext, files: Files): string {
  const place = mkdtempSync(join(tmpdir(), "sallyport-s11-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), content);
  }
  return place;
}

/** Whether plain npm starts something of it: a script that makes a file, or the build of an addon, which npm names. */
function npmRuns(t: TestContext, files: Files): boolean {
  return npmInstalls(makeProject(t, files));
}

function npmInstalls(place: string): boolean {
  const flags = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts=false", "--foreground-scripts"];
  const { stdout } = spawnSync("npm", ["install", ...flags], {
    cwd: place,
    env: {
      PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
      HOME: place,
      npm_config_nodedir: "/nonexistent", // no build looks for one elsewhere
      npm_config_update_notifier: "false",
    },
    encoding: "utf8",
    timeout: 60_000,
  });
  return existsSync(join(place, "PWNED")) || /^> node-gyp rebuild$/m.test(stdout);
}

async function pushed(
  t: TestContext,
  files: Files,
  pulled: readonly string[] = [],
  links: Files = {},
): Promise<Question> {
  const way = makeGitGates();
  t.after(() => way.close());
  const tools = way.open();
  if (pulled.length > 0) await tools.done("git_pull", { source: { type: "local", path: way.repo }, paths: pulled });
  for (const [path, content] of Object.entries(files))
    await tools.done("write_file", {
      path,
      content: Buffer.from(content).toString("base64"),
      encoding: "base64",
    });
  for (const [path, target] of Object.entries(links))
    await tools.done("Bash", { script: `ln -s ${target} ${path}`, cwd: "/workspace" });
  const { id } = await tools.stage([...Object.keys(files), ...Object.keys(links)], "Add a package");
  tools.person.says = () => ({ decision: "deny" });
  await tools.call("git_push", { commitId: id, target: { type: "local", path: way.repo, branch: "agent/x" } });
  return tools.person.asked.at(-1) as Question;
}

const touch = "node -e \"require('fs').writeFileSync('PWNED','')\"";
const dependency = { "dep/package.json": '{"name":"dep","version":"1.0.0"}' };
const withScript = (name: string, more: object = {}): string =>
  JSON.stringify({ name: "x", version: "1.0.0", scripts: { [name]: touch }, ...more });

for (const [title, files, named] of [
  ["scripts.postinstall", { "package.json": withScript("postinstall") }, "package.json"],
  [
    "scripts.dependencies",
    { "package.json": withScript("dependencies", { dependencies: { dep: "file:dep" } }), ...dependency },
    "package.json",
  ],
  ["binding.gyp", { "package.json": '{"name":"x","version":"1.0.0"}', "binding.gyp": '{"targets":[]}' }, "binding.gyp"],
  [
    "a package.json over 1 MiB",
    { "package.json": withScript("postinstall", { padding: "x".repeat(1_200_000) }) },
    "package.json",
  ],
] as const)
  test(`${title}: npm runs it on install, and the question says so`, async (t) => {
    assert.ok(npmRuns(t, files), "the control: npm runs it");
    const { action } = await pushed(t, files);
    const warnings = action.push?.warnings ?? [];
    assert.ok(
      warnings.some((line) => line.startsWith(`${named}: others execute it later (`)),
      warnings.join("\n"),
    );
  });

test("a link under such a name leads to what npm runs: it is said, where the file that it leads to has another name", async (t) => {
  const place = makeProject(t, { "lib/p.txt": withScript("postinstall") });
  symlinkSync("lib/p.txt", join(place, "package.json"));
  assert.ok(npmInstalls(place), "the control: npm follows it");
  const linked = (name: string): FilePair => ({
    path: name,
    before: null,
    after: { mode: "120000", id: "0".repeat(40) as FileSide["id"], content: Buffer.from("lib/p.txt") },
  });
  for (const name of ["package.json", "a/composer.json", "pyproject.toml", "Cargo.toml"])
    assert.match(runsOnInstall(linked(name)) ?? "", /^on .*, what this link leads to$/, name);
  assert.equal(runsOnInstall(linked("setup.py")), "pip install runs it");
  assert.equal(runsOnInstall(linked("tsconfig.json")), null);
  const { action } = await pushed(t, { "lib/p.txt": withScript("postinstall") }, [], { "package.json": "lib/p.txt" });
  assert.deepEqual(action.push?.warnings, [
    "package.json: others execute it later (on npm install, what this link leads to)",
  ]);
});

test("other managers' programs too; what they do not run is not warned about", async (t) => {
  const { action } = await pushed(t, {
    "setup.py": "import os\n",
    "pyproject.toml": '[project]\nname = "x"\n\n[build-system]\nbuild-backend = "evil"\nbackend-path = ["."]\n',
    "composer.json": '{"scripts":{"post-install-cmd":"touch PWNED"}}',
    "crate/build.rs": "fn main() {}\n",
    "crate/Cargo.toml": '[package]\nname = "x"\nbuild = "other.rs"\n',
    "package.json": '{"scripts":{"test":"node --test"}}',
    "other/composer.json": '{"scripts":{"test":"phpunit"}}',
    "other/pyproject.toml": '[project]\nname = "y"\n',
    "other/Cargo.toml": '[package]\nname = "y"\n',
  });
  const [line = "", ...rest] = action.push?.warnings ?? [];
  assert.deepEqual(rest, []);
  assert.match(line, /^5 files that others execute later: /);
  for (const name of ["setup.py", "pyproject.toml", "composer.json", "crate/build.rs", "crate/Cargo.toml"])
    assert.ok(line.includes(name), name);
});

test("a name that looks like another is shown by its numbers, and said before the rest", async (t) => {
  const { action, diff } = await pushed(t, { "p\u0430ckage.json": "{}\n", "run.sh ": "echo\n", "a.md": "a\n" });
  assert.match(
    action.push?.warnings[0] ?? "",
    /^2 files whose names are not what they look like: "p\\u\{430\}ckage\.json" \(some of its letters.*"run\.sh\\x20" \(it ends in a blank\)/,
  );
  const listed = fileEntries(action.push?.files ?? [], diff).map(entryText);
  assert.deepEqual(listed, [
    "+ a.md (2 B, +1 -0)",
    '+ "p\\u{430}ckage.json" (3 B, +1 -0)',
    '+ "run.sh\\x20" (5 B, +1 -0)',
  ]);
});

test("ordinary names in every script are what they look like; names that deceive are not", () => {
  for (const name of [
    "src/a-b_c.ts",
    "README.md",
    ".env.example",
    "[id]/page.tsx",
    "a b/c d.txt",
    "отчёт за год.txt",
    "über/naïve café.md",
    "設定config.json",
    "ファイル2.txt",
    "한국어.md",
    "αβγ-δοκιμή.txt",
    "Ελλάδα/readme.md",
    "yazılım.txt",
    "nº1.txt",
    "😀.md",
    "x²+1.tex",
    "Δt.py",
    "@scope/pkg+1.tgz",
    "../up",
  ])
    assert.equal(oddName(name), null, name);
  for (const [name, shown] of [
    ["p\u0430ckage.json", "p\\u{430}ckage.json"],
    ["\u0430\u0440\u0440/\u0445.js", "\\u{430}\\u{440}\\u{440}/\\u{445}.js"],
    ["\uff50ackage.json", "\\u{ff50}ackage.json"],
    ["packa\u0261e.json", "packa\\u{261}e.json"],
    ["a.js ", "a.js\\x20"],
    ["a.js.", "a.js\\x2e"],
    [" a.js", "\\x20a.js"],
    ["dir /a.js", "dir\\x20/a.js"],
    ["a\u200b.js", "a\\u{200b}.js"],
    ["a\u202ejs.txt", "a\\u{202e}js.txt"],
  ] as const) {
    assert.equal(displayName(name), shown);
    assert.notEqual(oddName(name), null, name);
  }
});
