// What came of a call, as a person is told it.

import assert from "node:assert/strict";
import test from "node:test";
import { callEndOf } from "../../src/audit/call-end.ts";
import type { Entry, EntryDraft } from "../../src/audit/entry.ts";
import type { Json } from "../../src/shared/json.ts";

function entries(...drafts: readonly (readonly [event: EntryDraft["event"], outcome: Json])[]): Entry[] {
  return drafts.map(([event, outcome], index) => ({
    seq: index + 1,
    time: "2026-01-15T12:00:00.000Z",
    session: "s1",
    agent: "default",
    call_id: "c-1",
    event,
    tool: "Exec",
    args: null,
    digest: null,
    decision: null,
    because: null,
    outcome,
    prev: "",
    hash: "",
  }));
}

const run = (exit_code: number | null, more: Readonly<Record<string, Json>> = {}): Json => ({
  exit_code,
  duration_s: 2,
  ...more,
});
const sha = "0123456789abcdef".repeat(3).slice(0, 40);
const pushedTo = (place: string, more: Readonly<Record<string, Json>> = {}) =>
  callEndOf(
    entries(
      ["tool.call.dispatched", null],
      ["commit.pushed", { commit: "c-1", sha, place, branch: "fix", old: null, ...more }],
      ["tool.call.finished", { ok: true }],
    ),
  );

test("a call that has not ended has no end", () => {
  assert.equal(callEndOf([]), null);
  assert.equal(callEndOf(entries(["tool.call.received", null], ["approval.answered", { decision: "allow" }])), null);
  assert.equal(callEndOf(entries(["tool.call.dispatched", null])), null);
  assert.equal(callEndOf(entries(["commit.pushed", { sha, place: "/p", branch: "fix" }])), null, "it has not said so");
});

test("a program: its exit code, or what ended it", () => {
  const ran = (outcome: Json) => callEndOf(entries(["tool.call.dispatched", null], ["tool.call.finished", outcome]));
  assert.deepEqual(ran(run(0)), { isGood: true, text: "It ran: exit 0 after 2.0 s.", link: null });
  assert.deepEqual(ran(run(3)), { isGood: false, text: "It ran: exit 3 after 2.0 s.", link: null });
  assert.equal(
    ran(run(null, { signal: "SIGKILL", limit_hit: "memory" }))?.text,
    "It ran: ended by SIGKILL after 2.0 s, limit: memory.",
  );
  assert.equal(ran(run(null, { signal: "SIGTERM", timed_out: true }))?.isGood, false);
  assert.deepEqual(ran({ steps: [run(0), run(0)], duration_s: 4 }), {
    isGood: true,
    text: "It ran: 2 programs after 4.0 s.",
    link: null,
  });
  assert.deepEqual(ran({ steps: [run(0), run(7)], duration_s: 4 }), {
    isGood: false,
    text: "It ran: 2 programs after 4.0 s, one of them with exit code 7.",
    link: null,
  });
  assert.deepEqual(ran({ ok: true }), { isGood: true, text: "It is done.", link: null });
});

test("a push: the branch and the commit, with a link where the host is known", () => {
  assert.deepEqual(pushedTo("/home/ann/shop"), {
    isGood: true,
    text: "It landed on branch fix of /home/ann/shop as 0123456789ab.",
    link: null,
  });
  assert.equal(pushedTo("https://github.com/ann/shop.git")?.link, `https://github.com/ann/shop/commit/${sha}`);
  assert.equal(pushedTo("https://github.com/ann/shop")?.link, `https://github.com/ann/shop/commit/${sha}`);
  assert.equal(
    pushedTo("/p", { commits: ["a", "b", "c"] })?.text,
    "3 commits landed on branch fix of /p as 0123456789ab.",
  );
});

test("an agent that chooses the place makes no other link, and no control characters", () => {
  for (const place of [
    "javascript:alert(1)",
    "https://github.com.example.org/ann/shop",
    "https://github.com/ann/shop/../../other",
    "https://github.com@example.org/ann/shop",
    "http://github.com/ann/shop",
    "https://github.com/ann/shop?x",
    "https://github.com/ann/shop\nhttps://github.com/ann/shop",
  ])
    assert.equal(pushedTo(place)?.link, null, place);
  assert.equal(pushedTo("https://github.com/ann/shop", { sha: "../../settings" })?.link, null);
  assert.equal(pushedTo("/p\u001b[2J\u202e")?.text, "It landed on branch fix of /p\\x1b[2J\\u{202e} as 0123456789ab.");
});

test("a refusal after the yes says why, and a pull from where", () => {
  assert.deepEqual(
    callEndOf(
      entries(
        ["tool.call.dispatched", null],
        ["tool.call.denied", { error: "conflict", message: "The branch has moved." }],
      ),
    ),
    { isGood: false, text: "It failed: The branch has moved.", link: null },
  );
  assert.equal(
    callEndOf(entries(["files.pulled", { files: ["a", "b"], place: "/p" }], ["tool.call.finished", { ok: true }]))
      ?.text,
    "It pulled 2 files from /p.",
  );
});
