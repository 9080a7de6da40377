// Files of other owners in a project: what is copied becomes the gate's own, and what shows through keeps its owner and stays as it is.
// As a user it needs files that root has made, in one directory for each test: test/sandbox/unprivileged-drafts.slow.ts makes them.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { renameSync, statSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { type DraftGate, makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { makeForeignFiles, SECOND_GROUP, STRANGER } from "../fixtures/foreign-files.ts";

const isRoot = process.getuid?.() === 0;
const foreign = process.env["FOREIGN_FILES"];
const skip = !isRoot && foreign === undefined && "only root can make files of other owners";
const own = `${process.getuid?.()}:${process.getgid?.()}`;
/** Who is not in the box is nobody there. */
const NOBODY = "65534";

let made = 0;

function projectOfMany(t: TestContext, names = ["tracked", "ignored"]): Project {
  const project = makeProject(t, { ".gitignore": "ignored/\n", "a.txt": "a\n" });
  made += 1;
  const room = isRoot ? makeForeignFiles(join(project.outside, "foreign"), 0) : `${foreign}/${made}`;
  for (const name of names) renameSync(join(room, name), join(project.path, name));
  return project;
}

const ownerOf = (project: Project, path: string) => {
  const { uid, gid } = statSync(join(project.path, path));
  return `${uid}:${gid}`;
};

interface Ran {
  readonly exit_code: number;
  readonly stderr: string;
  readonly hint?: string;
}

const run = async (gate: DraftGate, script: string) => (await gate.result("Bash", { script })) as unknown as Ran;

test("a project with files of other owners: copies are the gate's own, and the rest is read", { skip }, async (t) => {
  const project = projectOfMany(t);
  const before = project.digest();
  const gate = openDraft(t, project);
  const seen = await gate.bash("stat -c '%n %u:%g' tracked tracked/*; for f in tracked/*; do echo more >> $f; done");
  const names = ["", "/closed", "/group", "/open"];
  assert.equal(seen, names.map((name) => `tracked${name} ${own}\n`).join(""));
  assert.equal(
    await gate.bash("cat tracked/group; cd ignored; cat closed group open dir/file"),
    "group\nmore\nclosed\ngroup\nopen\nfile\n",
  );
  const uid = isRoot ? NOBODY : String(process.getuid?.());
  assert.equal(
    await gate.bash("cd ignored; stat -c '%n %u:%g' *"),
    `closed ${NOBODY}:${NOBODY}\ndir ${uid}:${NOBODY}\ngroup ${uid}:${NOBODY}\nopen ${NOBODY}:${NOBODY}\n`,
  );
  await gate.bash("git add -A; git commit -qm mine");
  const { unstaged } = await gate.result("git_status", {});
  assert.equal((unstaged as unknown[]).length, 3);
  await gate.result("git_stage", { files: ["tracked/open", "tracked/group"], message: "x" });
  assert.equal(project.digest(), before);
  assert.deepEqual(
    ["tracked/open", "tracked/group"].map((path) => ownerOf(project, path)),
    [`${STRANGER}:${STRANGER}`, `${isRoot ? STRANGER : process.getuid?.()}:${SECOND_GROUP}`],
    "control: these are of other owners",
  );
});

test("a file of another owner that shows through cannot be written, but replaced and deleted", { skip }, async (t) => {
  const project = projectOfMany(t);
  const before = project.digest();
  const gate = openDraft(t, project);
  const closed = await run(gate, "echo x >> ignored/closed");
  assert.deepEqual([closed.exit_code, /Permission denied/.test(closed.stderr)], [1, true]);
  assert.match(closed.hint ?? "", /belongs to another user or group/);
  // The kernel copies a file into the layer with its owner. A user's layer cannot hold another owner; root's can.
  for (const script of [
    "echo x >> ignored/open",
    "echo x >> ignored/group",
    "echo x > ignored/dir/new",
    "chmod 600 ignored/group",
  ]) {
    const ran = await run(gate, script);
    if (isRoot && script.includes("open")) assert.equal(ran.exit_code, 0, ran.stderr);
    else if (isRoot) assert.match(ran.stderr, /denied|not permitted/, script);
    else assert.match(ran.stderr, /Value too large for defined data type/, script);
    if (ran.exit_code !== 0) assert.match(ran.hint ?? `${script}: no hint`, /belongs to another user or group/);
  }
  await gate.bash("cd ignored; cp group copy; echo x >> copy; mv -f copy group; rm closed; echo new > closed");
  assert.equal(
    await gate.bash("cd ignored; cat group closed; stat -c %u:%g group closed"),
    `group\nx\nnew\n${own}\n${own}\n`,
  );
  const written = await gate.reply("write_file", { path: "ignored/open", content: "tool\n" });
  if (!isRoot)
    assert.match(JSON.stringify(written), /belongs to another user or group\. Nothing was changed.*mv -f COPY FILE/);
  assert.equal(await gate.bash("cat ignored/open"), isRoot ? "tool\n" : "open\n");
  assert.equal(project.digest(), before);
  for (const path of ["ignored/open", "ignored/group", "ignored/dir/new"])
    assert.equal(
      spawnSync("sh", ["-c", `echo x >> '${join(project.path, path)}'`]).status,
      0,
      "control: without a box it can",
    );
  const plain = spawnSync("sh", ["-c", `echo x >> '${join(project.path, "ignored/closed")}'`]).status;
  assert.equal(plain === 0, isRoot, "control: root writes everything, and a user does not");
});

test("a file that only its owner may read is left out for a user, and copied for root", { skip }, async (t) => {
  const project = projectOfMany(t, ["secret"]);
  const gate = openDraft(t, project);
  const { stdout, workspace } = await gate.result("Bash", { script: "cat secret" });
  if (isRoot) assert.deepEqual([stdout, workspace], ["secret\n", undefined]);
  else assert.deepEqual([stdout, /"secret"/.test(String(workspace))], ["", true]);
});
