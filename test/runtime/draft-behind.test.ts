// What a person changes in the project and does not commit: a draft without changes begins anew, and another says what it is behind.

import assert from "node:assert/strict";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { readDraftRecord } from "../../src/sandbox/draft-directory.ts";
import { discardUntouched } from "../../src/sandbox/draft-discard.ts";
import { readHolder } from "../../src/sandbox/draft-holder.ts";
import { hasRunningBoxes } from "../../src/sandbox/draft-in-use.ts";
import { lookPause } from "../../src/sandbox/draft-seen.ts";
import { replyText } from "../../src/runtime/reply-text.ts";
import { limits } from "../../src/shared/limits.ts";
import { type DraftGate, type DraftGrants, makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { until } from "../fixtures/run.ts";

const files = {
  ".gitignore": "build\n*.log\n",
  "a.txt": "a\n",
  "src/b.txt": "b\n",
  "src/deep/c.txt": "c\n",
  "src/run.sh": "echo run\n",
  "build/out": "out\n",
  "lib/d.txt": "d\n",
  "lib/x.log": "log\n",
};

function draftOf({ state }: Project): string {
  const [name = ""] = readdirSync(join(state, "drafts"));
  return join(state, "drafts", name);
}

interface Behind {
  readonly text: unknown;
  readonly files: readonly string[];
}

/** A draft in which something was changed. */
async function touchedDraft(t: TestContext, grants: DraftGrants = {}, isRepository = true) {
  const project = makeProject(t, files, isRepository);
  const gate = openDraft(t, project, grants);
  await gate.bash("echo mine > mine.txt; echo mine >> src/b.txt");
  const behind = async (): Promise<Behind> => {
    await lookIsDue(project);
    const status = await gate.result("git_status", {});
    const { inProject = [] } = status as { inProject?: { path: string; status: string }[] };
    return { text: status["behind"], files: inProject.map((one) => `${one.status} ${one.path}`) };
  };
  return { project, gate, behind };
}

/** Looks are not made one right after another. */
async function lookIsDue({ state }: Project): Promise<void> {
  for (const name of readdirSync(join(state, "drafts"))) {
    const looked = join(state, "drafts", name, "looked");
    if (!existsSync(looked)) continue;
    const { at, tookMs } = JSON.parse(readFileSync(looked, "utf8")) as { at: number; tookMs: number };
    await until("the next call looks", () => Date.now() > at + lookPause * tookMs);
  }
}

test("a touched draft says what the person has changed, keeps its view, and git_status lists the files", async (t) => {
  const { project, gate, behind } = await touchedDraft(t);
  const at = (name: string) => join(project.path, name);
  assert.deepEqual(await behind(), { text: undefined, files: [] });

  project.write("build/out", "changed\n");
  project.write("build/new", "new\n");
  project.write("lib/new.log", "new\n");
  project.write(".git/info/exclude", "private.txt\n");
  project.write("src/private.txt", "new\n");
  utimesSync(at("a.txt"), 1_000, 1_234);
  assert.deepEqual(await behind(), { text: undefined, files: [] }, "ignored, or the same content");

  project.write("a.txt", "A\n"); // edits in place
  assert.deepEqual(await behind(), {
    text: "The project has 1 changed file since this draft began; git_status lists the files, and git_pull {} brings them.",
    files: ["modified /workspace/a.txt"],
  });
  project.write("tmp", "C\n");
  renameSync(at("tmp"), at("src/deep/c.txt")); // saves by rename
  rmSync(at("lib/d.txt"));
  chmodSync(at("src/run.sh"), 0o755);
  project.write("src/new.txt", "new\n");
  project.write("made/in/new.txt", "new\n");
  project.write("made/x.log", "ignored\n");
  mkdirSync(at("made/nothing"));
  project.git("init", "--quiet", at("made/repository"));
  project.write("made/repository/r.txt", "of another repository\n");
  const listed = [
    "modified /workspace/a.txt",
    "deleted /workspace/lib/d.txt",
    "new /workspace/made/in/new.txt",
    "modified /workspace/src/deep/c.txt",
    "new /workspace/src/new.txt",
    "modified /workspace/src/run.sh",
  ];
  const six =
    "The project has 6 changed files since this draft began; git_status lists the files, and git_pull {} brings them.";
  assert.deepEqual(await behind(), { text: six, files: listed });
  assert.equal(await gate.bash("cat a.txt src/deep/c.txt lib/d.txt; ls src"), "a\nc\nd\nb.txt\ndeep\nrun.sh\n");
  const reply = await gate.reply("Bash", { script: "true" });
  assert.ok(replyText(reply).endsWith(`\n${six}`));
  const status = replyText(await gate.reply("git_status", {}));
  assert.match(
    status,
    /^Changed in the project since this draft began: modified \/workspace\/a\.txt, .*, modified \/workspace\/src\/run\.sh$/m,
  );

  project.git("add", "a.txt");
  project.git("commit", "--quiet", "--message=second");
  assert.deepEqual(await behind(), {
    text: "The project has 1 new commit and 5 other changed files since this draft began; git_status lists the files, and git_pull {} brings them.",
    files: listed,
  });
  project.write("a.txt", "a\n");
  project.git("reset", "--quiet", "--soft", "HEAD~");
  assert.equal((await behind()).files.length, 5, "what was changed back has not changed");
});

test("hidden files are not named, and do not count", async (t) => {
  const { project, behind } = await touchedDraft(t, { hide: [".env", "secrets/**"] });
  project.write(".env", "SECRET=1\n");
  project.write("src/.env", "SECRET=2\n");
  project.write("secrets/key", "SECRET=3\n");
  assert.deepEqual(await behind(), { text: undefined, files: [] });
  project.write("shown.txt", "control\n");
  assert.deepEqual((await behind()).files, ["new /workspace/shown.txt"]);
});

test("a project that is no repository, and one that is too large to copy", async (t) => {
  const { project, gate, behind } = await touchedDraft(t, {}, false);
  project.write("a.txt", "A\n");
  project.write("later.txt", "later\n");
  project.write("later.log", "ignored\n");
  assert.deepEqual((await behind()).files, ["modified /workspace/a.txt", "new /workspace/later.txt"]);
  assert.equal(await gate.bash("cat a.txt"), "a\n");

  const { draftFiles } = limits;
  Object.assign(limits, { draftFiles: 3 });
  t.after(() => Object.assign(limits, { draftFiles }));
  const live = await touchedDraft(t);
  live.project.write("a.txt", "A\n");
  assert.deepEqual(await live.behind(), { text: undefined, files: [] });
  assert.equal(await live.gate.bash("cat a.txt"), "A\n", "it shows through");
});

/** What each tool sees of a file. */
async function seenBy(gate: DraftGate, path: string): Promise<readonly unknown[]> {
  const shell = await gate.result("Shell", { command: `cat ${path}` });
  return [
    (await gate.result("Bash", { script: `cat ${path}` }))["stdout"],
    (await gate.result("Python", { code: `print(open("${path}").read(), end="")` }))["stdout"],
    (await gate.result("Exec", { argv: ["/usr/bin/cat", path] }))["stdout"],
    (shell["results"] as { stdout: string }[])[0]?.stdout,
    (await gate.result("read_file", { path }))["content"],
  ];
}

test("a draft without changes begins anew with the edit, in one gate and across gates", async (t) => {
  for (const isRepository of [true, false]) {
    const project = makeProject(t, files, isRepository);
    const gate = openDraft(t, project);
    assert.equal(await gate.bash("cat a.txt"), "a\n");
    await lookIsDue(project);
    project.write("a.txt", "edited\n");
    assert.deepEqual(
      await seenBy(gate, "a.txt"),
      Array.from({ length: 5 }, () => "edited\n"),
    );
    assert.equal(await gate.bash("git status --short"), "");
    await lookIsDue(project);
    rmSync(join(project.path, "lib/d.txt"));
    project.write("src/new.txt", "new\n");
    assert.equal(await gate.bash("ls lib; cat src/new.txt"), "x.log\nnew\n");
    gate.close();
    await gate.closed;

    appendFileSync(join(project.path, "a.txt"), "again\n");
    await lookIsDue(project);
    const second = openDraft(t, project);
    const result = await second.result("Bash", { script: "cat a.txt" });
    assert.deepEqual([result["stdout"], result["behind"]], ["edited\nagain\n", undefined]);
  }
});

test("a dry run says what the draft is behind, and changes nothing", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project);
  await gate.bash("cat a.txt");
  await lookIsDue(project);
  writeFileSync(join(project.path, "a.txt"), "edited\n");
  const before = project.digest();
  const drafts = readdirSync(join(project.state, "drafts"));
  const planned = await gate.plan({ tool: "Bash", args: { script: "cat a.txt" } });
  assert.equal(
    planned.ok && planned.value.behind,
    "The project has 1 changed file since this draft began; git_status lists the files, and git_pull {} brings them.",
  );
  assert.equal(project.digest(), before);
  assert.deepEqual(readdirSync(join(project.state, "drafts")), drafts);
  assert.equal(await gate.bash("cat a.txt"), "edited\n", "the call begins the draft anew");
});

test("a draft in which a program still runs does not begin anew, and keeps what that program writes", async (t) => {
  const project = makeProject(t, { "a.txt": "a\n" });
  const gate = openDraft(t, project);
  await gate.bash("true");
  const running = gate.bash("sleep 2; echo mine > mine.txt; cat a.txt");
  // The box is there when its lock is.
  await until("the program runs", () => hasRunningBoxes(draftOf(project)));
  project.write("a.txt", "changed by the person\n");
  await lookIsDue(project);
  const other = await gate.result("Bash", { script: "cat a.txt" });
  assert.deepEqual(
    [other["stdout"], other["behind"]],
    [
      "a\n",
      "The project has 1 changed file since this draft began; git_status lists the files, and git_pull {} brings them.",
    ],
  );
  assert.equal(await running, "a\n");
  assert.equal(await gate.bash("cat mine.txt"), "mine\n");
});

test("what is removed to begin anew is the draft that was looked at, and nothing that was changed in it meanwhile", async (t) => {
  const project = makeProject(t, { "a.txt": "a\n" });
  const gate = openDraft(t, project);
  await gate.bash("true");
  gate.close();
  const directory = draftOf(project);
  const record = readDraftRecord(directory);
  assert.ok(record !== null);
  assert.equal(discardUntouched(directory, { ...record, begunAt: record.begunAt - 1 }), false, "another draft");
  writeFileSync(join(directory, "upper/mine.txt"), "mine\n");
  assert.equal(discardUntouched(directory, record), false, "changed meanwhile");
  assert.equal(await openDraft(t, project).bash("cat mine.txt"), "mine\n");
});

test("control: an untouched draft that nobody uses is removed", async (t) => {
  const project = makeProject(t, { "a.txt": "a\n" });
  const gate = openDraft(t, project);
  await gate.bash("true");
  const directory = draftOf(project);
  const record = readDraftRecord(directory);
  assert.ok(record !== null);
  assert.equal(discardUntouched(directory, record), false, "its holder lives");
  gate.close();
  await until("the holder has ended", () => readHolder(directory) === 0);
  assert.equal(discardUntouched(directory, record), true);
  assert.deepEqual(readdirSync(join(project.state, "drafts")), []);
});

const touches = {
  "deletes a file": "rm old.txt",
  "deletes a directory": "rm -r src",
  "deletes an ignored file": "rm x.log",
  "makes a tag": "git tag mine",
  "changes a setting": "git config alias.st status",
  "writes an object": "echo mine | git hash-object -w --stdin",
  "makes a directory": "mkdir empty",
  "changes a mode": "chmod +x a.txt",
} as const;

test("a draft is kept if a program only deletes, or changes its git directory; reading is no change", async (t) => {
  const project = makeProject(t, {
    ".gitignore": "*.log\n",
    "a.txt": "a\n",
    "old.txt": "o\n",
    "src/b.txt": "b\n",
    "x.log": "x\n",
  });
  const gates = Object.entries({ ...touches, "only reads": "git status; cat a.txt src/b.txt; ls -lR >/dev/null" }).map(
    ([name, script]) => ({ name, script, gate: openDraft(t, project, {}, { session: name.replaceAll(" ", "-") }) }),
  );
  for (const { gate, script } of gates) await gate.bash(script);
  // After a kill, nobody has noted what was changed.
  for (const name of readdirSync(join(project.state, "drafts")))
    rmSync(join(project.state, "drafts", name, "touched"), { force: true });
  project.write("a.txt", "changed by the person\n");
  await lookIsDue(project);
  for (const { gate, name } of gates) {
    const text = await gate.bash("cat a.txt");
    assert.equal(text, name === "only reads" ? "changed by the person\n" : "a\n", name);
  }
});

test("a draft that a killed gate held back has its name again", async (t) => {
  const project = makeProject(t, { "a.txt": "a\n" });
  const gate = openDraft(t, project);
  await gate.bash("echo mine > mine.txt");
  gate.close();
  const directory = draftOf(project);
  await until("the holder has ended", () => readHolder(directory) === 0);
  renameSync(directory, `${directory}.4194303-abc-1.held`);
  assert.equal(await openDraft(t, project).bash("cat mine.txt"), "mine\n");
});
