// T29, T33: nobody lands, discards or reads what sessions have not landed but whoever opened the page's link, and only as it was shown.

import assert from "node:assert/strict";
import test from "node:test";
import type { LandingView } from "../../src/web/api-changes.ts";
import { newChanger } from "../fixtures/changed-session.ts";
import { openChangerPage } from "../fixtures/changer-page.ts";

test("without the token, from another site, or not as JSON, no route tells or does anything", async (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("fix", "echo two >> a.txt");
  const page = openChangerPage(t, person);
  const view = await page.view();
  const landing = await page.land(view, { how: "commit" });
  const at = `/api/changes/${view.draft}`;
  const answer = { decision: "allow", digest: landing.digest };
  const reads = ["/api/changes", at, `${at}@${view.digest}/files/0`, `/api/landings/${landing.id}`];
  const writes = [
    [`${at}/land`, { digest: view.digest, how: "here" }],
    [`${at}/discard`, { digest: view.digest }],
    [`/api/discarded/${view.draft}/restore`, {}],
    [`/api/landings/${landing.id}/answer`, answer],
  ] as const;
  const foreign = { origin: "http://evil.example", "sec-fetch-site": "cross-site" };
  for (const path of reads) {
    await page.refused(401, "GET", path, undefined, { authorization: null });
    await page.refused(401, "GET", path, undefined, { authorization: `Bearer ${"A".repeat(43)}` });
    await page.refused(403, "GET", path, undefined, foreign);
    await page.refused(403, "GET", path, undefined, { host: "evil.example:7117" });
  }
  for (const [path, body] of writes) {
    await page.refused(401, "POST", path, body, { authorization: null });
    await page.refused(403, "POST", path, body, foreign);
    await page.refused(403, "POST", path, body, { origin: null });
    await page.refused(415, "POST", path, body, { "content-type": "text/plain" });
    await page.refused(413, "POST", path, { ...body, padding: "x".repeat(70_000) });
    await page.refused(400, "POST", path, { ...body, more: 1 });
  }
  assert.deepEqual([person.git("branch", "--list", "sallyport/*"), person.read("a.txt")], ["", "one\n"]);
  assert.equal(person.events("session.landed").length + person.events("session.discarded").length, 0);
  // The control: the same answer with all of it lands.
  assert.equal((await page.post<LandingView>(`/api/landings/${landing.id}/answer`, answer)).end?.state, "landed");
  assert.equal(person.git("show", "sallyport/fix:a.txt"), "one\ntwo\n");
});

test("a session that is discarded while somebody looks at it is gone: nothing of it lands or is shown", async (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("fix", "echo two >> a.txt");
  const page = openChangerPage(t, person);
  const view = await page.view();
  const at = `/api/changes/${view.draft}`;
  assert.equal((await page.ask("GET", at)).status, 200, "the control: it was there");
  assert.equal(person.changes("discard", "fix", "--yes").code, 0);
  for (const how of ["here", "commit"]) {
    const answer = await page.ask("POST", `${at}/land`, { digest: view.digest, how });
    assert.ok(answer.status >= 400 && answer.status < 500, `${how}: ${answer.status} ${await answer.text()}`);
  }
  const gone = await page.ask("GET", at);
  assert.ok(gone.status >= 400 && gone.status < 500, `${gone.status}`);
  assert.deepEqual([person.git("branch", "--list", "sallyport/*"), person.read("a.txt")], ["", "one\n"]);
  assert.equal(person.events("session.landed").length, 0);
});

test("a huge diff comes bounded, and a hostile name only as JSON", async (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("fix", "seq 1 400000 > many.txt; echo x > '<img src=x onerror=alert(1)>.txt'");
  const page = openChangerPage(t, person);
  const view = await page.view();
  const answer = await page.ask("GET", `/api/changes/${view.draft}`);
  const text = await answer.text();
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  assert.equal(view.added, 400_001, "the control: all of it is there");
  assert.ok(text.length < 200_000, `${text.length} characters`);
});
