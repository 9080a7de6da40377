// What sessions have not landed, on the page: the list, each diff, and what a person decides about it.

import assert from "node:assert/strict";
import test from "node:test";
import { newChanger } from "../fixtures/changed-session.ts";
import { openChangerPage } from "../fixtures/changer-page.ts";
import type { ChangesView, LandingView } from "../../src/web/api-changes.ts";
import type { FileHunks } from "../../src/web/api.ts";

test("the list has each session with work that has not landed, and a session its diff, file by file", async (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("idle", "cat a.txt");
  person.bash("fix", "echo two >> a.txt; git commit -qam 'inside'; echo n > new.txt");
  const page = openChangerPage(t, person);
  const { sessions, more, discarded } = await page.list();
  assert.deepEqual([sessions.length, more, discarded], [1, 0, []]);
  const [row] = sessions;
  assert.deepEqual(
    [row?.session, row?.agent, row?.project, row?.files, row?.added, row?.removed, row?.commits, row?.use],
    ["fix", "default", person.project, 2, 2, 0, 1, null],
  );
  const view = await page.view();
  assert.equal(view.digest, row?.digest);
  assert.deepEqual(
    [view.branch, view.place, view.message],
    ["sallyport/fix", person.project, "Changes of session fix"],
  );
  assert.deepEqual(
    view.made.map(({ message }) => message.trim()),
    ["inside"],
  );
  assert.deepEqual(
    view.view.map(({ path, operation }) => [path, operation]),
    [
      ["a.txt", "update"],
      ["new.txt", "create"],
    ],
  );
  const hunks = await page.get<FileHunks>(`/api/changes/${view.draft}@${view.digest}/files/0`);
  assert.deepEqual(
    hunks.hunks[0]?.lines.map(({ sign, text }) => sign + text),
    [" one", "+two"],
  );
  // Looking leaves nothing in the record, and no other digest has files.
  assert.equal(person.events("tool.call.received").length, 2);
  await page.refused(404, "GET", `/api/changes/${view.draft}@${"0".repeat(64)}/files/0`);
  await page.refused(404, "GET", "/api/changes/none");
});

test("one commit on a branch: what would land is shown first, lands by the answer, and only once", async (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("fix", "echo two >> a.txt");
  const page = openChangerPage(t, person);
  const view = await page.view();
  const landing = await page.land(view, { how: "commit", branch: "topic", message: "Mend it" });
  assert.deepEqual(
    [landing.how, landing.push?.branch, landing.push?.place, landing.end],
    ["branch", "topic", person.project, null],
  );
  assert.match(landing.push?.message ?? "", /^Mend it\n/);
  const at = `/api/landings/${landing.id}`;
  const { hunks } = await page.get<FileHunks>(`${at}/files/0`);
  assert.deepEqual(
    hunks[0]?.lines.map(({ sign, text }) => sign + text),
    [" one", "+two"],
  );
  assert.equal(person.git("branch", "--list", "topic"), "", "nothing lands before the answer");
  await page.refused(409, "POST", `${at}/answer`, { decision: "allow", digest: "0".repeat(64) });
  const done = await page.post<LandingView>(`${at}/answer`, { decision: "allow", digest: landing.digest });
  assert.equal(done.end?.state, "landed");
  assert.equal(done.end.state === "landed" && done.end.commit?.id, person.git("rev-parse", "topic").trim());
  assert.equal(person.git("log", "--format=%an %s", "-1", "topic"), "Ann Mend it\n");
  await page.refused(409, "POST", `${at}/answer`, { decision: "allow", digest: landing.digest });
  const [event] = person.events("session.landed");
  assert.equal(event?.outcome["who"], "ann at the web page");
  assert.deepEqual((await page.list()).sessions, []);
  assert.equal((await page.get<LandingView>(at)).end?.state, "landed", "it can be read again");
});

test("a no leaves everything, and nothing stays staged; the series has its commits", async (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("fix", "echo two >> a.txt; git commit -qam first; echo b > b.txt; git add b.txt; git commit -qm second");
  const page = openChangerPage(t, person);
  const view = await page.view();
  const landing = await page.land(view, { how: "series" });
  assert.deepEqual(
    landing.push?.commits?.map(({ message }) => message.split("\n")[0]),
    ["first", "second"],
  );
  assert.deepEqual(
    landing.view.map(({ path, commit }) => [path, commit?.number]),
    [
      ["a.txt", 1],
      ["b.txt", 2],
    ],
  );
  const no = await page.post<LandingView>(`/api/landings/${landing.id}/answer`, {
    decision: "deny",
    digest: landing.digest,
  });
  assert.deepEqual(no.end, { state: "left" });
  assert.equal(person.git("branch", "--list", "sallyport/*"), "");
  assert.equal(person.run(["review", "--json", "--staged"]).out, "[]\n");
  const again = await page.land(view, { how: "series" });
  await page.post(`/api/landings/${again.id}/answer`, { decision: "allow", digest: again.digest });
  assert.equal(person.git("log", "--format=%s", "main..sallyport/fix"), "second\nfirst\n");
});

test("here: merged, conflicting and left files are named first; a yes writes them, without a commit", async (t) => {
  const person = newChanger(t, { "a.txt": "1\n2\n3\n4\n5\n6\n7\n", "b.txt": "b\n", "c.txt": "c\n" });
  person.bash("fix", "sed -i s/7/seven/ a.txt; echo agent > b.txt; rm c.txt; echo n > n.txt");
  person.write("a.txt", "one\n2\n3\n4\n5\n6\n7\n");
  person.write("b.txt", "mine\n");
  person.write("c.txt", "mine too\n");
  const page = openChangerPage(t, person);
  const landing = await page.land(await page.view(), { how: "here" });
  assert.deepEqual(
    [landing.merged, landing.conflicts, landing.left.map(({ path }) => path)],
    [["a.txt"], ["b.txt"], ["c.txt"]],
  );
  assert.equal(person.read("b.txt"), "mine\n");
  const done = await page.post<LandingView>(`/api/landings/${landing.id}/answer`, {
    decision: "allow",
    digest: landing.digest,
  });
  assert.equal(done.end?.state, "landed");
  assert.equal(person.read("a.txt"), "one\n2\n3\n4\n5\n6\nseven\n");
  assert.match(person.read("b.txt"), /^<<<<<<< here\nmine\n/);
  assert.deepEqual([person.read("c.txt"), person.read("n.txt")], ["mine too\n", "n\n"]);
  assert.equal(person.git("log", "--format=%s"), "first\n");
});

test("discard and restore, and a session in memory", async (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  const write = JSON.stringify({ path: "b.txt", content: "b\n" });
  assert.equal(person.run(["call", "write_file", write, "--session", "notes", "--workspace", "memory"]).code, 0);
  const page = openChangerPage(t, person);
  const view = await page.view();
  assert.deepEqual([view.session, view.project, view.place], ["notes", null, null]);
  const refused = await page.refused(400, "POST", `/api/changes/${view.draft}/land`, {
    digest: view.digest,
    how: "commit",
  });
  assert.match(refused.message, /Nobody knows in which repository/);
  await page.post(`/api/changes/${view.draft}/discard`, { digest: view.digest });
  const list = await page.list();
  assert.deepEqual([list.sessions.length, list.discarded.map(({ session }) => session)], [0, ["notes"]]);
  await page.refused(404, "GET", `/api/changes/${view.draft}`);
  await page.post(`/api/discarded/${list.discarded[0]?.name}/restore`, {});
  assert.equal((await page.get<ChangesView>(`/api/changes/${view.draft}`)).files, 1);
  await page.refused(404, "POST", `/api/discarded/${view.draft}/restore`, {});
  assert.deepEqual(
    ["session.discarded", "session.restored"].map((name) => person.events(name)[0]?.outcome["who"]),
    ["ann at the web page", "ann at the web page"],
  );
});

test("if the session goes on meanwhile, nothing lands or is discarded that was not shown", async (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("fix", "echo two >> a.txt");
  const page = openChangerPage(t, person);
  const view = await page.view();
  const branch = await page.land(view, { how: "commit" });
  const here = await page.land(view, { how: "here" });
  person.bash("fix", "echo evil >> a.txt");
  for (const how of ["commit", "here"])
    assert.match(
      (await page.refused(409, "POST", `/api/changes/${view.draft}/land`, { digest: view.digest, how })).message,
      /has changed something since you looked/,
    );
  await page.refused(409, "POST", `/api/changes/${view.draft}/discard`, { digest: view.digest });
  const answer = (landing: LandingView) =>
    page.post<LandingView>(`/api/landings/${landing.id}/answer`, { decision: "allow", digest: landing.digest });
  // What was frozen when it was shown lands as it was; what was not frozen does not land.
  assert.equal((await answer(branch)).end?.state, "landed");
  assert.equal(person.git("show", "sallyport/fix:a.txt"), "one\ntwo\n");
  const failed = (await answer(here)).end;
  assert.match(failed?.state === "failed" ? failed.message : "", /has changed something since you looked/);
  assert.equal(person.read("a.txt"), "one\n");
  // The control: looked at anew, it lands.
  const anew = await page.land(await page.view(), { how: "commit", branch: "anew" });
  assert.equal((await answer(anew)).end?.state, "landed");
  assert.equal(person.git("show", "anew:a.txt"), "one\ntwo\nevil\n");
});
