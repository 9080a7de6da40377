import assert from "node:assert/strict";
import test from "node:test";
import { type Entry, entryEvents } from "../../../src/audit/entry.ts";
import { argumentFacts, endFacts, startedFacts } from "../../../ui/log/facts.ts";
import { storyOf } from "../../../ui/log/story.ts";

function entry(seq: number, event: Entry["event"], more: Partial<Entry> = {}): Entry {
  return {
    seq,
    time: new Date(Date.UTC(2026, 0, 1, 0, 0, seq)).toISOString(),
    session: "s-1",
    agent: "default",
    call_id: "c-1",
    event,
    tool: "Bash",
    args: null,
    digest: null,
    decision: null,
    because: null,
    outcome: null,
    prev: "",
    hash: "",
    ...more,
  };
}

const received = entry(1, "tool.call.received", { args: { script: "echo hi" } });
const dispatched = entry(4, "tool.call.dispatched", {
  args: {
    argv: ["/usr/bin/bash", "-c", "echo hi"],
    program: "/usr/bin/bash",
    cwd: "/workspace",
    env: { A: "1" },
    timeout_s: 60,
  },
  because: ["use the tool Bash: tool_grants"],
});
const ended = { exit_code: 0, signal: null, duration_s: 0.018, timed_out: false, cancelled: false, limit_hit: null };
const finished = entry(5, "tool.call.finished", { outcome: { ...ended, stdout_bytes: 3, stderr_bytes: 0 } });

test("a call that ran: asked, decided, started, ended, with the time between", () => {
  const story = storyOf([received, dispatched, finished]);
  assert.deepEqual(
    story.chapters.map(({ title, afterMs }) => [title, afterMs]),
    [
      ["default asked for Bash", null],
      ["Allowed by the rules", 3_000],
      ["It was started", null],
      ["Ended with exit 0 after 18 ms", 1_000],
    ],
  );
  assert.deepEqual([story.state.tone, story.tookMs, story.session], ["good", 4_000, "s-1"]);
});

test("a person's answer is told with who gave it, how far it goes, and why", () => {
  const asked = entry(2, "approval.requested", {
    because: ["reach the network"],
    outcome: { question: "q-1", severity: "high" },
  });
  const answer = { question: "q-1", who: "someone", decision: "allow", scope: "session", reason: "for the tests" };
  const answered = entry(3, "approval.answered", { outcome: answer });
  const by = { ...dispatched, because: ["use the tool Bash: tool_grants", "allowed by someone"] };
  const { chapters } = storyOf([received, asked, answered, by, finished]);
  assert.deepEqual(chapters.map(({ title }) => title).slice(1, 4), [
    "A person was asked",
    "someone said yes, for this session",
    "Allowed by someone",
  ]);
  assert.deepEqual([chapters[1]?.question, chapters[1]?.because], ["q-1", ["reach the network"]]);
  assert.equal(chapters[2]?.says, "for the tests");
  const no = storyOf([received, asked, entry(3, "approval.answered", { outcome: { ...answer, decision: "deny" } })]);
  assert.equal(no.chapters[2]?.title, "someone said no, for this session");
});

test("a refusal says what, why, and what would pass", () => {
  const outcome = { error: "net_denied", message: "Not allowed.", hint: "Ask.", because: ["x"] };
  const { chapters, state } = storyOf([
    received,
    entry(2, "tool.call.denied", { outcome, because: ["not in net_grants"] }),
  ]);
  const { title, says, hint, because, facts } = chapters[1] as (typeof chapters)[number];
  assert.deepEqual(
    [title, says, hint, because, facts],
    ["Refused: network not granted", "Not allowed.", "Ask.", ["not in net_grants"], []],
  );
  assert.equal(state.text, "Refused");
});

test("a call without an end is not told as one that ended", () => {
  assert.match(storyOf([received, dispatched]).state.text, /^No end yet/);
  assert.equal(storyOf([received, dispatched]).tookMs, null);
  assert.equal(storyOf([received, entry(2, "approval.requested")]).state.text, "Waits for an answer");
  assert.equal(storyOf([]).chapters.length, 0);
});

test("what the gate does itself is told as begun: the record has it before it is done", () => {
  const operation = { name: "write_file", path: "/workspace/a", mode: "rw", details: {} };
  const { chapters } = storyOf([
    received,
    { ...dispatched, args: operation },
    entry(5, "tool.call.finished", { outcome: { ok: true } }),
  ]);
  assert.deepEqual(chapters.map(({ title }) => title).slice(1), [
    "Allowed by the rules",
    "The gate itself began it",
    "Done",
  ]);
});

test("several commands are decided once and told one by one", () => {
  const second = { ...dispatched, seq: 5, args: { argv: ["ls"] } };
  const steps = [ended, { ...ended, exit_code: 2 }];
  const { chapters } = storyOf([received, dispatched, second, { ...finished, seq: 6, outcome: { steps } }]);
  assert.deepEqual(
    chapters.map(({ title }) => title),
    [
      "default asked for Bash",
      "Allowed by the rules",
      "It was started",
      "It was started",
      "1 of 2 commands did not end with exit 0",
    ],
  );
});

test("every event has a chapter, also one that holds nothing we know", () => {
  for (const event of entryEvents)
    for (const outcome of [null, "text", 7, ["a"], { strange: { deep: [1] } }]) {
      const { chapters } = storyOf([entry(1, event, { outcome, args: outcome })]);
      assert.ok(chapters.length >= 1 && chapters.every(({ title }) => title !== ""), event);
    }
});

test("arguments become command lines, texts, lists and fields, and none is lost", () => {
  const facts = argumentFacts({
    argv: ["ls", "-l"],
    script: "a\nb",
    files: ["x"],
    timeout_s: 5,
    needs: { network: true },
  });
  assert.deepEqual(
    facts.map(({ kind, name }) => [kind, name]),
    [
      ["command", "argv"],
      ["block", "script"],
      ["list", "files"],
      ["field", "timeout_s"],
      ["field", "needs"],
    ],
  );
  assert.deepEqual(argumentFacts(["odd"]), [{ kind: "block", name: "arguments", text: '["odd"]' }]);
});

test("what was started is told as a person would: the command, where, how long at most", () => {
  const facts = startedFacts(dispatched.args);
  assert.deepEqual(facts, [
    { kind: "command", name: "command", argv: ["/usr/bin/bash", "-c", "echo hi"] },
    { kind: "field", name: "in", text: "/workspace" },
    { kind: "field", name: "time-out", text: "1 min" },
    { kind: "list", name: "environment", items: ["A=1"], isFolded: true },
  ]);
  const operation = startedFacts({
    name: "write_file",
    path: "/workspace/a",
    mode: "rw",
    details: { size: 5, executable: null },
  });
  assert.deepEqual(operation, [
    { kind: "field", name: "does", text: "write_file" },
    { kind: "field", name: "changes", text: "/workspace/a" },
    { kind: "field", name: "size", text: "5" },
  ]);
});

test("an end is told with exit code or signal, time, and what was printed and changed", () => {
  const outcome = {
    ...ended,
    exit_code: null,
    signal: "SIGKILL",
    timed_out: true,
    stdout_bytes: 300_000,
    stdout_truncated: true,
    stderr_bytes: 12,
    artifacts: [{ path: "/workspace/a", operation: "create", size: 5 }],
    artifact_count: 3,
    quarantined: ["/workspace/.git/hooks/x"],
  };
  const told = storyOf([{ ...finished, outcome }]).chapters[0];
  assert.equal(told?.title, "Ended by SIGKILL, its time was up after 18 ms");
  assert.deepEqual(endFacts({ steps: [ended] }), [{ kind: "field", name: "1. ended", text: "exit 0 after 18 ms" }]);
  assert.deepEqual(endFacts(outcome), [
    { kind: "field", name: "output", text: "300 KB, cut for the agent" },
    { kind: "field", name: "errors", text: "12 bytes" },
    { kind: "list", name: "changed", items: ["create /workspace/a, 5 bytes", "and 2 more"], isFolded: false },
    { kind: "list", name: "quarantined", items: ["/workspace/.git/hooks/x"], isFolded: false },
  ]);
});
