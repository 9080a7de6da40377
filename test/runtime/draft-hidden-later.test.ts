// What a person makes in the project after a draft began, and the grants hide: wherever the project shows through, and nowhere else.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import test from "node:test";
import { namesIn } from "../../src/process/names-in.ts";
import { limits } from "../../src/shared/limits.ts";
import { sealedDirectories } from "../../src/sandbox/draft-directory.ts";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";
import { draftOf, isMarked, longCall } from "../fixtures/long-call.ts";
import { until } from "../fixtures/run.ts";

const files = {
  ".gitignore": "node_modules\nbuild\n*.log\n",
  "src/a.txt": "one\n",
  "mixed/b.txt": "two\n",
  "mixed/run.log": "log\n",
  "mixed/deep/c.txt": "three\n",
  "node_modules/dep/index.js": "module.exports = 1;\n",
};

test("files that are hidden and made later show in no directory, whether the project shows through there or not", async (t) => {
  const project = makeProject(t, files);
  mkdirSync(`${project.path}/empty`);
  const gate = openDraft(t, project, { hide: [".env"] });
  // The session's own directories in those of the project: a new one, and one that is gone and comes again.
  await gate.bash("mkdir node_modules/own; rm -r mixed/deep; mkdir mixed/deep; mv src moved; ls -aR > /dev/null");
  const places = [
    "src",
    "mixed",
    "mixed/deep",
    "empty",
    "node_modules/dep",
    "node_modules/own",
    "node_modules/new/deep",
    "build/new",
    "mixed/build",
  ];
  for (const place of places) {
    project.write(`${place}/.env`, "SECRET=later\n");
    project.write(`${place}/seen.log`, "log\n");
  }
  const found = await gate.bash("find . -name .git -prune -o -type f -print0 | sort -z | xargs -0 grep -H ''");
  assert.ok(!found.includes("SECRET"), found);
  // Ignored files show through, but not in directories that were copied or that the session made.
  const seen = [...found.matchAll(/^\.\/(.*)\/seen\.log:/gm)].map(([, place]) => place);
  assert.deepEqual(seen, ["build/new", "empty", "mixed/build", "mixed", "node_modules/dep", "node_modules/new/deep"]);
});

test("a file made later in a directory that was looked at before is kept out", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project);
  const look = "ls . mixed";
  await gate.bash("echo mine > mine.txt"); // a draft without changes begins anew instead
  const seen = await gate.bash(look);
  await new Promise((resolve) => setTimeout(resolve, 150)); // now the directories' times are old enough to be relied on
  assert.equal(await gate.bash(look), seen);
  for (const round of [1, 2]) {
    project.write(`mixed/later-${round}.txt`, "later\n");
    project.write(`later-${round}.txt`, "later\n");
    assert.equal(await gate.bash(look), seen);
    assert.equal(await gate.bash(look), seen);
  }
  assert.deepEqual(
    readdirSync(`${project.path}/mixed`).filter((name) => name.startsWith("later")),
    ["later-1.txt", "later-2.txt"],
    "control: they are in the project",
  );
});

test("a directory in which all new names were judged is read again when it has another, whatever they were", async (t) => {
  const project = makeProject(t, {
    ".gitignore": "*.log\n",
    "d/a.txt": "a\n",
    "d/x.log": "x\n",
    "e/a.txt": "a\n",
    "e/x.log": "x\n",
  });
  const gate = openDraft(t, project);
  await gate.bash("echo mine > mine.txt; rm -r e");
  const settled = () => new Promise((resolve) => setTimeout(resolve, 200)); // longer than a directory counts as changed just now
  const rounds = [1, 2, 3];
  for (const round of rounds) {
    for (const name of ["d", "e"]) {
      project.write(`${name}/later-${round}.log`, "ignored\n");
      project.write(`${name}/later-${round}.txt`, "not ignored\n");
    }
    await settled();
    for (let call = 0; call < 3; call += 1)
      assert.equal(
        await gate.bash("ls d; ls e 2>/dev/null || true"),
        `a.txt\n${rounds
          .slice(0, round)
          .map((one) => `later-${one}.log\n`)
          .join("")}x.log\n`,
      );
  }
  await gate.bash("echo '!*.log' >> .gitignore; echo own > d/later-3.txt");
  project.write("d/later-4.log", "not ignored in the draft any more\n");
  assert.equal(await gate.bash("cat d/later-3.txt; ls d/later-4.log 2>/dev/null || true"), "own\n");
});

test("directories that hide the project's are those of the layer in which nothing shows through", (t) => {
  const { outside } = makeProject(t, {}, false);
  for (const path of ["src/deep", "mixed/deep/deeper", "mixed/open"])
    mkdirSync(`${outside}/upper/${path}`, { recursive: true });
  const sealed = sealedDirectories(outside, ["", "mixed", "mixed/open", "not/copied"]);
  assert.deepEqual(sealed, ["src", "mixed/deep"]);
});

test("in a project that is too large to copy, what lies beside a hidden file is there", async (t) => {
  const project = makeProject(t, { ...files, "src/deep/d.txt": "four\n" });
  project.write("src/.env", "SECRET=beside\n");
  project.write("src/deep/.env", "SECRET=deep\n");
  const { draftFiles } = limits;
  Object.assign(limits, { draftFiles: 3 });
  t.after(() => Object.assign(limits, { draftFiles }));
  const gate = openDraft(t, project, { hide: [".env"] });
  const first = await gate.result("Bash", { script: "cat src/a.txt src/deep/d.txt; git status --short" });
  assert.equal(first["stdout"], "one\nfour\n");
  assert.match(String(first["workspace"]), /too many files to copy/);
  assert.equal((await gate.result("Bash", { script: "true" }))["workspace"], undefined, "the agent is told once");
  project.write("src/a.txt", "changed\n");
  project.write("mixed/deep/.env", "SECRET=later\n");
  assert.equal(await gate.bash("cat src/a.txt mixed/deep/c.txt; find . -name .env"), "changed\nthree\n");
});

test("a hidden file in a copied directory is not even listed, and does not keep the directory from being removed or copied", async (t) => {
  const project = makeProject(t, {
    "a.txt": "a\n",
    "sub/b.txt": "b\n",
    "sub/secret.env": "TOKEN=1\n",
    "with/x.log": "x\n",
    ".gitignore": "*.log\n",
    "with/secret.env": "TOKEN=2\n",
  });
  const gate = openDraft(t, project, { hide: ["*.env"] });
  assert.equal(
    await gate.bash(
      "ls sub; find . -name '*.env' -not -path './.git/*'; cp -r sub copy; tar -cf /dev/null sub; rm -r sub; ls",
    ),
    "b.txt\na.txt\ncopy\nwith\n",
  );
  assert.equal(await gate.bash("ls with; cat with/secret.env || echo gone"), "x.log\ngone\n");
});

const commit = "git -c user.name=A -c user.email=a@example.org commit -q --allow-empty -m mine";

test("a person who makes the project a repository later leaves the session its own", async (t) => {
  const project = makeProject(t, files, false);
  const gate = openDraft(t, project, { hide: [".env"] });
  await gate.bash(`git checkout -q -b own; ${commit}`);
  const end = await longCall(gate, project, "git log -1 --format=%s; git branch --show-current");
  project.git("init", "--quiet");
  project.write("later.txt", "later\n");
  await until("the guard has looked", () => isMarked(project, "later.txt"));
  assert.equal((await end())["stdout"], "mine\nown\n");
  assert.equal(await gate.bash("git status --short; git log -1 --format=%s"), "mine\n");
  assert.ok(
    existsSync(`${project.path}/.git/HEAD`),
    "control: the names of the session's repository are in the person's",
  );
});

test("a glob that matches a branch of the person leaves the session's branch of that name", async (t) => {
  const project = makeProject(t, files);
  const { draftFiles } = limits;
  Object.assign(limits, { draftFiles: 3 }); // the project shows through, so that the gate walks all of it
  t.after(() => Object.assign(limits, { draftFiles }));
  const gate = openDraft(t, project, { hide: ["secret"] });
  await gate.bash(`git checkout -q -b secret; ${commit}`);
  project.git("branch", "secret");
  project.write("src/secret", "SECRET\n");
  assert.equal(await gate.bash("git log -1 --format=%s; cat src/secret 2> /dev/null || echo hidden"), "mine\nhidden\n");
});

test("a hidden file whose name is not UTF-8 keeps calls from beginning, and does not keep the others from being hidden", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { hide: ["*.env"] });
  await gate.bash("echo mine > mine.txt");
  const end = await longCall(gate, project, "cat mixed/a.env node_modules/dep/b.env 2> /dev/null || echo hidden");
  const unnameable = Buffer.concat([Buffer.from(`${project.path}/mixed/`), Buffer.from([0xff]), Buffer.from(".env")]);
  writeFileSync(unnameable, "SECRET\n");
  for (const path of ["mixed/a.env", "node_modules/dep/b.env"]) project.write(path, "SECRET\n");
  for (const path of ["mixed/a.env", "node_modules/dep/b.env"])
    await until(`${path} is kept out`, () => isMarked(project, path));
  assert.equal((await end())["stdout"], "hidden\n");
  const refused = await gate.reply("Bash", { script: "true" });
  assert.ok(!refused.ok);
  assert.match(refused.message, /not UTF-8/);
});

test("while a large tree is removed, others have their turn", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project);
  await gate.bash("echo mine > mine.txt");
  const names = Array.from({ length: 2_000 }, (_, index) => `${index}`);
  mkdirSync(`${project.path}/tree`);
  for (const name of names) writeFileSync(`${project.path}/tree/${name}`, "");
  const turns: number[] = [];
  const listed = () => namesIn(`${draftOf(project)}/upper/tree`).length;
  let isOver = false;
  const turn = (): void => {
    turns.push(listed());
    if (!isOver) setImmediate(turn);
  };
  turn();
  assert.equal(await gate.bash("ls -d tree 2> /dev/null || echo none"), "none\n");
  isOver = true;
  const between = new Set(turns.filter((count) => count > 0 && count < names.length));
  assert.ok(between.size >= 5, `${[...between].join()} of ${names.length} entries were removed at a turn of others`);
});
