// The gate's worker ended in the middle of its work: nothing is lost, nothing lands twice, and it says what it knows.

import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import test from "node:test";
import type { FileList } from "../../../src/web/api-work.ts";
import type { QueueView } from "../../../src/web/api.ts";
import { until } from "../../fixtures/run.ts";
import { noExtension } from "../browser.ts";
import { call, type CallReply, openOwnGate, type OwnGate, readText } from "./open-gate.ts";

/** Holds back the first request of that kind until it is let go. */
function holding(pattern: RegExp) {
  let isHeld = false;
  let isOpen = true;
  return {
    play({ method, url }: { method?: string | undefined; url?: string | undefined }): boolean {
      if (!isOpen || !pattern.test(`${method} ${url}`)) return false;
      isHeld = true;
      return true; // never answered
    },
    get isHeld() {
      return isHeld;
    },
    letGo() {
      isOpen = false;
    },
  };
}

async function commits(gate: OwnGate): Promise<readonly { sha: string; commit: { message: string } }[]> {
  const answer = await fetch(`${gate.emulatorUrl}/repos/octo/r0/commits?sha=main`);
  return (await answer.json()) as { sha: string; commit: { message: string } }[];
}

test("ended in the middle of a push: the same push lands once", { skip: noExtension }, async (t) => {
  const held = holding(/^PATCH .*\/git\/refs\//);
  const gate = await openOwnGate(t, { play: (request) => held.play(request) });
  if (gate === null) return;
  await gate.signIn();
  await gate.open();
  await gate.ask("PUT", "/api/work/file", { path: "a.txt", text: "a\n", hash: null });
  const staged = await call(gate, "git_stage", { files: ["a.txt"], message: "Add a" });
  const commitId = String(staged.result?.["id"]);
  const push = gate.withYes(
    gate.ask<CallReply>("POST", "/api/work/call", { tool: "git_push", arguments: { commitId } }),
  );
  await until("the branch is about to move", async () => held.isHeld);
  await gate.kill();
  assert.equal((await push).value.status, 0, "the panel hears that it ended");
  held.letGo();
  const { open } = await gate.state();
  assert.equal(open?.repository, "octo/r0", "the draft is as it was");
  assert.equal((await gate.ask<FileList>("GET", "/api/work/files")).body.files.length, 2);
  assert.deepEqual(
    (await gate.ask<QueueView>("GET", "/api/queue")).body.staged.map(({ id }) => id),
    [commitId],
  );
  const stats = (await gate.ask<{ calls_without_end: { tool: string }[] }>("GET", "/api/stats")).body;
  assert.deepEqual(
    stats.calls_without_end.map(({ tool }) => tool),
    ["git_push"],
    "the record says what has no end",
  );
  const again = await call(gate, "git_push", { commitId });
  assert.ok(again.ok, again.message);
  const there = await commits(gate);
  assert.equal(there[0]?.sha, again.result?.["commitSha"]);
  assert.equal(there.filter(({ commit }) => commit.message.startsWith("Add a")).length, 1);
  assert.equal((await gate.ask("GET", "/api/verification")).body["ok"], true);
});

test(
  "ended after the branch has moved: the same push finds it, and makes no second commit",
  { skip: noExtension },
  async (t) => {
    let emulatorUrl = "";
    let isMoved = false;
    let isOpen = true;
    const gate = await openOwnGate(t, {
      // GitHub moves the branch, and its answer never comes.
      play(request) {
        const { method, url = "", headers } = request;
        if (!isOpen || method !== "PATCH" || !url.includes("/git/refs/")) return false;
        const { authorization = "" } = headers;
        void buffer(request)
          .then((body) =>
            fetch(`${emulatorUrl}${url.replace(/^\/api\/v3/, "")}`, {
              method,
              headers: { authorization, "content-type": "application/json" },
              body: new Uint8Array(body),
            }),
          )
          .then(({ ok }) => (isMoved = ok));
        return true;
      },
    });
    if (gate === null) return;
    ({ emulatorUrl } = gate);
    await gate.signIn();
    await gate.open();
    await gate.ask("PUT", "/api/work/file", { path: "a.txt", text: "a\n", hash: null });
    const staged = await call(gate, "git_stage", { files: ["a.txt"], message: "Add a" });
    const commitId = String(staged.result?.["id"]);
    const push = call(gate, "git_push", { commitId });
    await until("the branch has moved", async () => isMoved);
    const moved = await commits(gate);
    assert.equal(moved.filter(({ commit }) => commit.message.startsWith("Add a")).length, 1);
    await gate.kill();
    assert.equal(await push, null, "the panel hears no answer");
    isOpen = false;
    const again = await call(gate, "git_push", { commitId });
    assert.ok(again.ok, again.message);
    assert.equal(again.result?.["commitSha"], moved[0]?.sha, "the commit that is there");
    assert.deepEqual(await commits(gate), moved, "no second one");
    assert.deepEqual((await gate.ask<QueueView>("GET", "/api/queue")).body.staged, [], "nothing waits to be pushed");
    assert.equal((await gate.ask("GET", "/api/verification")).body["ok"], true);
  },
);

test(
  "ended in the middle of a pull: nothing counts as open, and it can be opened anew",
  { skip: noExtension },
  async (t) => {
    const held = holding(/^GET .*\/git\/blobs\//);
    const gate = await openOwnGate(t, { play: (request) => held.play(request) });
    if (gate === null) return;
    await gate.signIn();
    const opening = gate.withYes(gate.ask("POST", "/api/work/open", { repository: "octo/r0", branch: "main" }));
    await until("a file is asked for", async () => held.isHeld);
    assert.equal((await gate.state()).opening?.repository, "octo/r0");
    await gate.kill();
    assert.equal((await opening).value.status, 0);
    held.letGo();
    assert.equal((await gate.state()).open, null);
    await gate.open();
    assert.equal((await gate.state()).open?.changed, 0);
    assert.equal((await gate.ask("GET", "/api/verification")).body["ok"], true);
  },
);

test("ended in the middle of writes: every one that was answered is there", { skip: noExtension }, async (t) => {
  const gate = await openOwnGate(t);
  if (gate === null) return;
  await gate.signIn();
  await gate.open();
  for (let round = 0; round < 3; round += 1) {
    let last = 0;
    let isKilled = false;
    const writing = (async () => {
      // A request after the end opens the gate anew, which is what the next reading does.
      for (let number = 1; !isKilled; number += 1) {
        const args = { path: `round${round}.txt`, content: `${number} `.repeat(2_000) };
        const { status } = await gate.ask("POST", "/api/work/call", { tool: "write_file", arguments: args });
        if (status !== 200) return;
        last = number;
      }
    })();
    await until("some were answered", async () => last >= 3);
    isKilled = true;
    await gate.kill();
    await writing;
    const text: string = await readText(gate, `round${round}.txt`);
    const number = Number(text.split(" ")[0]);
    assert.equal(text, `${number} `.repeat(2_000), "one write, whole");
    assert.ok(number === last || number === last + 1, `${last} answered, ${number} found`);
  }
  assert.equal((await gate.ask("GET", "/api/verification")).body["ok"], true);
});
