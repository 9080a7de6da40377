// Programs of a draft that take rights away, so that the gate cannot remove what is hidden. Root passes each test as it is: what counts is
// the user without rights in `test/sandbox/unprivileged-shield.test.ts`.

import assert from "node:assert/strict";
import { existsSync, readFileSync, renameSync } from "node:fs";
import test, { type TestContext } from "node:test";
import { limits } from "../../src/shared/limits.ts";
import { makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { draftOf, isMarked, longCall, upperOf } from "../fixtures/long-call.ts";
import { until } from "../fixtures/run.ts";

const files = {
  ".gitignore": "node_modules\n*.log\n",
  "a.txt": "one\n",
  "mixed/b.txt": "two\n",
  "mixed/run.log": "log\n",
  "node_modules/dep/index.js": "module.exports = 1;\n",
};
const places = ["", "mixed/", "node_modules/dep/"];
const secrets = places.map((place) => `${place}.env`);

function makeSecrets(project: Project): void {
  for (const path of secrets) project.write(path, "SECRET=1\n");
}

const give = "chmod 755 . mixed node_modules/dep";
const look = `${give}; cat ${secrets.join(" ")} 2> /dev/null || true; ls -A . mixed node_modules/dep`;

for (const mode of ["555", "000", "400", "100"])
  test(`what is hidden is removed from directories to which a program has given mode ${mode}`, async (t) => {
    const project = makeProject(t, files);
    const gate = openDraft(t, project, { hide: [".env"] });
    await gate.bash(`chmod ${mode} node_modules/dep mixed; chmod ${mode === "555" ? mode : "755"} .`);
    makeSecrets(project);
    const seen = await gate.bash(look);
    assert.doesNotMatch(seen, /SECRET|\.env/);
    assert.deepEqual(
      secrets.filter((path) => !isMarked(project, path)),
      [],
    );
  });

test("while a call runs, it is removed from such directories too", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { hide: [".env"] });
  const end = await longCall(gate, project, look, "chmod 555 . mixed; chmod 000 node_modules/dep");
  makeSecrets(project);
  for (const path of secrets) await until(`${path} is kept out`, () => isMarked(project, path));
  assert.doesNotMatch(String((await end())["stdout"]), /SECRET|\.env/);
});

test("control: without the guard a program reads all of it", async (t) => {
  withoutGuard(t);
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { hide: [".env"] });
  const end = await longCall(gate, project, look, "chmod 555 . mixed; chmod 000 node_modules/dep");
  makeSecrets(project);
  assert.equal(String((await end())["stdout"]).split("SECRET").length, 1 + secrets.length);
});

function withoutGuard(t: TestContext): void {
  const { draftGuardMs } = limits;
  Object.assign(limits, { draftGuardMs: 2 ** 30 });
  t.after(() => Object.assign(limits, { draftGuardMs }));
}

test("the project keeps its own rights, and the gate notes each path once", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { hide: [".env"] });
  await gate.bash("chmod 555 . mixed node_modules/dep");
  makeSecrets(project);
  for (let round = 0; round < 3; round += 1) await gate.bash("chmod 555 . mixed node_modules/dep");
  const noted = readFileSync(`${draftOf(project)}/shielded`, "utf8")
    .split("\0")
    .slice(0, -1);
  assert.deepEqual(noted.sort(), [...secrets].sort());
  assert.equal(project.read("mixed/.env"), "SECRET=1\n");
});

const { FOREIGN_FILES: foreign } = process.env;
const skip = foreign === undefined && "it needs files of another user: see test/sandbox/unprivileged-shield.test.ts";

/** A directory of another user appears in the project: its hidden file can be read by everybody, or nobody else can enter it. */
async function withForeign(project: Project, name: "open" | "closed", work: () => Promise<void>): Promise<void> {
  const place = `${project.path}/node_modules/${name}`;
  renameSync(`${foreign}/${name}`, place);
  try {
    await work();
  } finally {
    renameSync(place, `${foreign}/${name}`); // the next test has it too, and this user cannot remove it
  }
}

const secretOfOthers = "node_modules/open/dir/.env";

test("where it cannot be removed, no call begins, and another session goes on", { skip }, async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { hide: [".env"] });
  await gate.bash("echo mine > mine.txt");
  await withForeign(project, "open", async () => {
    assert.match(project.read(secretOfOthers), /SECRET/, "control: it can be read");
    for (let round = 0; round < 2; round += 1) {
      const refused = await gate.reply("Bash", { script: `cat ${secretOfOthers}` });
      assert.ok(!refused.ok);
      assert.equal(refused.error, "sandbox_unavailable");
      assert.match(refused.message, /cannot be hidden: .*node_modules\/open\/dir\/\.env/);
      assert.match(String(refused.hint), /another session/);
    }
    assert.equal(readFileSync(`${draftOf(project)}/shielded`, "utf8"), `${secretOfOthers}\0`);
    const other = openDraft(t, project, { hide: [".env"] }, { session: "s2" });
    assert.equal(await other.bash(`cat ${secretOfOthers} 2> /dev/null || echo hidden`), "hidden\n");
  });
});

test("what appears while a call runs and cannot be removed ends the call", { skip }, async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { hide: [".env"] });
  await gate.bash("echo mine > mine.txt");
  const running = gate.reply("Bash", { script: "echo > node_modules/ready; sleep 100" });
  await until("the call runs", () => existsSync(`${upperOf(project)}/node_modules/ready`));
  await withForeign(project, "open", async () => {
    const ended = await running;
    assert.ok(!ended.ok);
    assert.match(ended.message, /cannot be hidden/);
  });
});

test("what the user of the gate cannot read either keeps no call from beginning", { skip }, async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { hide: [".env"] });
  await gate.bash("echo mine > mine.txt");
  await withForeign(project, "closed", async () => {
    assert.equal(await gate.bash("ls node_modules/closed/dir 2> /dev/null || echo closed"), "closed\n");
  });
});
