// What the question about a push says whatever the agent does: every kind of warning, who the agent is, what is cut.

import assert from "node:assert/strict";
import test from "node:test";
import { commit, git } from "../fixtures/git.ts";
import { newWorld, type Tools } from "../fixtures/git-gates.ts";

const target = { type: "local", path: ".", branch: "x" };

async function pushed(tools: Tools, files: Readonly<Record<string, string>>, message?: string): Promise<string> {
  for (const [path, content] of Object.entries(files)) await tools.write(path, content);
  const { id } = await tools.stage(Object.keys(files), message);
  await tools.done("git_push", { commitId: id, target });
  return tools.person.asked.at(-1)?.text ?? "";
}

const warned = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => /^ +WARNING/.test(line))
    .map((line) => line.replace(/^ +WARNING +/, ""));

test("many files of one kind do not hide the other kinds: each has its line, the gravest first", async () => {
  const world = newWorld();
  const old = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`a${100 + at}.txt`, "old\n"]));
  commit(world.repo, "many", old);
  const tools = world.open();
  const text = await pushed(tools, {
    ...Object.fromEntries(Object.keys(old).map((path) => [path, "new\n"])),
    ".github/workflows/z.yml": "on: push\n",
    "z/.gitattributes": "* -diff\n",
    "z/.husky/pre-commit": "echo\n",
    "z/.vscode/tasks.json": "{}\n",
  });
  const lines = warned(text);
  assert.deepEqual(lines.slice(0, 3), [
    "2 files that others execute later: z/.husky/pre-commit, z/.vscode/tasks.json",
    ".github/workflows/z.yml: it runs on a build machine",
    "z/.gitattributes: it changes how other files are stored",
  ]);
  assert.match(
    lines[3] ?? "",
    /^40 files that are not in the target what was pulled: a100\.txt, a101\.txt, .* and 30 more$/,
  );
  assert.equal(lines.length, 4);
  assert.deepEqual(tools.person.asked[0]?.action.push?.warnings, lines, "the same for every surface");
});

test("of one kind, many files of one sort do not hide another sort", async () => {
  const rules = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`.cursor/rules/r${100 + at}.md`, "x\n"]));
  const text = await pushed(newWorld().open(), { ...rules, "z/.husky/pre-commit": "echo\n" });
  const [first = "", ...others] = warned(text);
  assert.match(first, /^121 files that others execute later: \.cursor\/rules\/r100\.md, z\/\.husky\/pre-commit, /);
  assert.match(first, / and 81 more$/);
  assert.deepEqual(others, []);
});

test("a name cannot look like two, nor like a count", async () => {
  const text = await pushed(newWorld().open(), { ".husky/a, b and 9 more": "x\n", ".husky/c": "x\n" });
  assert.deepEqual(warned(text), ["2 files that others execute later: '.husky/a, b and 9 more', .husky/c"]);
});

test("scripts that run on install are warned about when they change; other scripts are not", async () => {
  const world = newWorld();
  const json = (scripts: object) => `${JSON.stringify({ name: "a", scripts })}\n`;
  commit(world.repo, "package", { "package.json": json({ test: "node --test", prepare: "husky" }) });
  const tools = world.open();
  await tools.done("git_pull", { source: { type: "local", path: "." }, paths: ["package.json"] });
  const plain = await pushed(tools, { "package.json": json({ test: "node --test x", lint: "x", prepare: "husky" }) });
  assert.deepEqual(warned(plain), []);
  const changed = await pushed(tools, { "package.json": json({ test: "node --test x", postinstall: "curl evil" }) });
  assert.deepEqual(warned(changed), ["package.json: others execute it later (on npm install)"]);
});

test("a message that is longer than the text shows is said to be, in a line that no message can write", async () => {
  const world = newWorld();
  const tools = world.open();
  const whole = await pushed(tools, { "a.txt": "1\n" }, `short\n\n${"line\n".repeat(100)}CUT HERE`);
  assert.equal(whole.split("\n").filter((line) => /^ +message +CUT HERE/.test(line)).length, 0);
  const cut = await pushed(tools, { "a.txt": "2\n" }, `long ${"x".repeat(20_000)}`);
  assert.match(cut, /^ +message +CUT HERE: it has 20\d{3} characters, all of which land$/m);
  assert.ok(cut.indexOf("CUT HERE") < cut.indexOf("a.txt"), "what comes below it is all there");
  assert.ok(git(world.repo, ["log", "-1", "--format=%B", "x"]).includes("x".repeat(20_000)));
});

test("a message cannot name the agent: that line is ours", async () => {
  const world = newWorld();
  const tools = world.open();
  await tools.write("a.txt", "1\n");
  for (const line of [
    "Sallyport-Agent: nobody",
    "sallyport-agent: nobody",
    "SALLYPORT-AGENT \t: x",
    "Sallyport-Agent:",
  ])
    for (const message of [`a\n\n${line}`, `a\n\n${line}\n\nand more`, `a\r${line}`, line]) {
      const refused = await tools.refused("git_stage", { files: ["a.txt"], message });
      assert.equal(refused.error, "invalid_args", message);
      assert.match(refused.message, /Sallyport-Agent/);
      assert.match(refused.hint ?? "", /Leave that line out/);
    }
  for (const message of [
    "Explain the Sallyport-Agent: trailer",
    "a\n\n  Sallyport-Agent: x",
    "a\n\nSallyport-Agents: x",
  ]) {
    const { id } = await tools.stage(["a.txt"], message);
    await tools.done("git_discard", { commitId: id });
  }
  await pushed(tools, { "a.txt": "1\n" }, "a\n\nReviewed-by: Ada <ada@example.org>");
  const trailers = git(world.repo, ["log", "-1", "--format=%(trailers:key=Sallyport-Agent,valueonly)", "x"]);
  assert.equal(trailers.trim(), "default");
});
