// What must and must not reach the log, whatever an agent says.

import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { createGate, type Entry, type Gate, GateError, type Reply } from "../../src/index.ts";
import { journalPath } from "../../src/store/sqlite.ts";
import { scripted } from "../fixtures/approver.ts";
import { withApprovalGate } from "./approval-bench.ts";
import { configOf, createToolRegistry, type ExecArgs, openGate, ran, usualGrants } from "./bench.ts";
import { sleep } from "./leftovers.ts";
import type { World } from "./world.ts";

export interface Recording {
  readonly world: World;
  readonly gate: Gate;
  readonly input: unknown;
}

type Fields = Record<string, unknown>;

/** What an agent can put into a call, and what the log is made of besides. */
const fields = [
  "seq",
  "time",
  "session",
  "agent",
  "call_id",
  "event",
  "tool",
  "args",
  "digest",
  "decision",
  "because",
  "outcome",
  "prev",
  "hash",
];

export const recorded: Readonly<Record<string, (recording: Recording) => Promise<void>>> = {
  "audit-ansi": escaped,
  "audit-u2028": escaped,
  "audit-nul": escaped,
  "audit-secret-env": (recording) => redacted(recording, "canary-secret", /"TOKEN":/),
  "audit-secret-url": (recording) => redacted(recording, "canary", /https:\/\/[^"]*@h\/x/),
  "audit-flood": ({ world }) => flood(world, 1_500), // all hundred thousand: flood.slow.ts
  "audit-dispatched-logged": dispatched,
  "audit-log-in-root": logOutOfReach,
  "audit-cyclic": hostileObjects,
  "audit-time-forge": forgedFields,
  "audit-invalid-utf8": rawBytes,
  "audit-result-link": oneIdForAll,
  "audit-approval-logged": whoApprovedWhat,
  "audit-bigint": infinite,
  "audit-ok-quotes": keptWhole,
  "audit-ok-long-10k": keptWhole,
  "audit-ok-empty": keptWhole,
};

async function say(gate: Gate, args: unknown): Promise<{ reply: Reply; entries: Entry[]; lines: string[] }> {
  const before = [...gate.journal.list({ session: gate.session, limit: 1 })][0]?.seq ?? 0;
  const reply = await gate.call({ tool: "Exec", args });
  const filter = { session: gate.session, after: before };
  return {
    reply,
    entries: [...gate.journal.list({ ...filter, order: "oldest" })],
    lines: [...gate.journal.exportLines(filter)],
  };
}

function eventOf(input: unknown): Record<string, unknown> {
  return (input as { event: Record<string, unknown> }).event;
}

/** One line an event, nothing in it that a terminal or a line reader acts on, and the same again when parsed. */
async function escaped({ gate, input }: Recording): Promise<void> {
  const { lines, entries } = await say(gate, eventOf(input));
  assert.equal(lines.length, 2);
  for (const line of lines) {
    assert.doesNotMatch(line, /[\p{Cc}\u2028\u2029]/u);
    assert.deepEqual((JSON.parse(line) as Entry).args, eventOf(input));
  }
  assert.deepEqual(
    entries.map(({ args }) => args),
    [eventOf(input), eventOf(input)],
  );
}

async function redacted({ gate, input, world }: Recording, secret: string, kept: RegExp): Promise<void> {
  const event = eventOf(input);
  const { lines } = await say(gate, { argv: ["/bin/echo"], ...event });
  // Once more as a program that really runs: the argv of `dispatched` is the plan's, not the call's.
  const argv = [event["argv"] ?? ["/bin/true"]].flat();
  const { lines: more, reply } = await say(gate, { ...event, argv: ["/bin/echo", ...argv] });
  assert.ok(reply.ok);
  const all = [...lines, ...more];
  assert.ok(all.some((line) => line.includes("tool.call.dispatched")));
  for (const line of all) assert.ok(!line.includes(secret), line);
  assert.match(all.join("\n"), kept);
  // Nor anywhere in the files.
  const paths = ["", "-wal"].map((end) => journalPath(world.state) + end);
  for (const path of paths)
    assert.ok(!readFileSync(path).includes(`"${secret}`) && !readFileSync(path).includes(`:${secret}@`));
}

/** However many: each is there, in order, and the chain holds. */
export async function flood(world: World, count: number): Promise<void> {
  const gate = openGate(world, usualGrants(world), "audit-flood", `${world.directory}/state`);
  try {
    for (let index = 0; index < count; index += 1) {
      const reply = await gate.call({ tool: "Exec", args: { argv: ["ls", String(index)] } });
      assert.ok(!reply.ok && reply.error === "invalid_args");
      if (index % 50 === 0) await sleep(0); // a refused call waits for nothing: others want their turn
    }
    const { events, refusals, entries } = gate.journal.stats();
    assert.deepEqual(events, { "tool.call.received": count, "tool.call.denied": count });
    assert.deepEqual([refusals["invalid_args"], entries], [count, 2 * count]);
    const last = [...gate.journal.list({ event: "tool.call.denied", limit: 1 })][0]?.args;
    assert.deepEqual(last, { argv: ["ls", String(count - 1)] });
    assert.deepEqual(gate.journal.verify(), { ok: true, entries: 2 * count, first_bad: null, reason: null });
    const huge = await say(gate, { argv: ["/bin/echo", "x".repeat(5_000_000)] });
    assert.ok(huge.lines.every((line) => line.length < 70_000 && line.includes("bytes left out, sha256 of the whole")));
  } finally {
    gate.close();
  }
}

async function dispatched({ gate, input }: Recording): Promise<void> {
  const { call } = input as { call: ExecArgs };
  const { entries, reply } = await say(gate, call);
  assert.equal(ran(reply).stdout, "; pwd\n");
  const entry = entries.find(({ event }) => event === "tool.call.dispatched");
  assert.deepEqual((entry?.args as { argv?: unknown } | undefined)?.argv, call.argv);
}

async function logOutOfReach({ gate, world }: Recording): Promise<void> {
  for (const path of [world.state, `${world.state}/box`, world.state.replace(/\/[^/]*$/, "")]) {
    const configText = configOf({
      tools: ["Exec"],
      paths: [
        { path: "/usr", mode: "r" },
        { path, mode: "rw" },
      ],
    });
    assert.throws(
      () => createGate({ registry: createToolRegistry(), statePath: world.state, project: world.root, configText }),
      GateError,
      path,
    );
  }
  const log = journalPath(world.state);
  for (const command of [
    `echo x >> ${log}`,
    `rm -f ${log} && echo x > ${log}`,
    `mkdir -p ${world.state} && echo x > ${log}`,
    `cat ${log}`,
  ]) {
    const { reply } = await say(gate, { argv: ["/bin/bash", "-c", command] });
    assert.notEqual(ran(reply).exit_code, 0, command);
  }
  assert.equal(gate.journal.verify().ok, true);
}

async function hostileObjects({ gate }: Recording): Promise<void> {
  const circle: Record<string, unknown> = { argv: ["/bin/echo"] };
  circle["again"] = circle;
  const throwing = () => {
    throw new Error("not for you");
  };
  const hostile: Record<string, unknown> = {
    circle,
    toJson: { argv: ["/bin/echo"], env: { toJSON: throwing } },
    getter: Object.defineProperty({}, "argv", { enumerable: true, get: throwing }),
    proxy: new Proxy({}, { ownKeys: throwing, get: throwing }),
    symbols: { argv: [Symbol("a"), throwing, 10n] },
  };
  for (const [name, args] of Object.entries(hostile)) {
    const { reply, entries, lines } = await say(gate, args);
    assert.ok(!reply.ok, name);
    assert.deepEqual(
      entries.map(({ event }) => event),
      ["tool.call.received", "tool.call.denied"],
      name,
    );
    for (const line of lines) JSON.parse(line);
  }
  assert.equal(gate.journal.verify().ok, true);
}

async function forgedFields({ gate, input }: Recording): Promise<void> {
  const forged = {
    ...eventOf(input),
    time: "1999-01-01",
    seq: 1,
    call_id: "mine",
    event: "approval.answered",
    decision: "allow",
  };
  const begin = new Date().toISOString();
  const { reply, entries } = await say(gate, forged);
  assert.ok(!reply.ok && reply.error === "invalid_args");
  for (const entry of entries) {
    assert.deepEqual(Object.keys(entry).sort(), fields.toSorted());
    assert.ok(entry.time >= begin && entry.seq > 0 && entry.call_id !== "mine" && entry.event.startsWith("tool.call."));
    assert.deepEqual(entry.args, forged); // what the agent said, in the one place for it
  }
}

async function rawBytes({ gate }: Recording): Promise<void> {
  const { reply, entries } = await say(gate, { argv: ["/bin/echo", Buffer.from([0x61, 0xff, 0xfe])] });
  assert.ok(!reply.ok && reply.error === "invalid_args");
  for (const { args } of entries)
    assert.deepEqual(args, { argv: ["/bin/echo", { text: "a\ufffd\ufffd", base64: "Yf/+" }] });
}

async function oneIdForAll({ gate }: Recording): Promise<void> {
  const { entries, reply } = await say(gate, {
    argv: ["/bin/sh", "-c", "head -c 9000 /dev/zero; exit 7"],
    max_output_bytes: 1024,
  });
  const { exit_code, stdout_bytes } = ran(reply);
  assert.deepEqual(
    entries.map(({ event }) => event),
    ["tool.call.received", "tool.call.dispatched", "tool.call.finished"],
  );
  const [callId, ...others] = new Set(entries.map(({ call_id }) => call_id));
  assert.ok(typeof callId === "string" && others.length === 0);
  assert.deepEqual(gate.journal.story(callId), entries);
  const outcome = entries.at(-1)?.outcome as Record<string, unknown>;
  assert.deepEqual(
    [outcome["exit_code"], outcome["timed_out"], outcome["stdout_truncated"], outcome["stdout_bytes"]],
    [7, false, true, 9000],
  );
  assert.deepEqual([exit_code, stdout_bytes], [7, 9000]);
  const slow = await say(gate, { argv: ["/bin/sleep", "20"], timeout_s: 1 });
  assert.equal((slow.entries.at(-1)?.outcome as Fields | undefined)?.["timed_out"], true);
}

async function whoApprovedWhat({ world }: Recording): Promise<void> {
  const approver = scripted(() => ({ scope: "session", who: "ann at pts/3" }));
  const begin = new Date().toISOString();
  await withApprovalGate(world, { approvers: [approver] }, async (gate) => {
    const { entries, reply } = await say(gate, { argv: ["/bin/echo", "hi"], cwd: world.out });
    assert.equal(ran(reply).stdout, "hi\n");
    const answered = entries.find(({ event }) => event === "approval.answered");
    const [question] = approver.asked;
    assert.ok(question !== undefined && answered !== undefined);
    const { who, decision, scope, question: id } = answered.outcome as Fields;
    assert.deepEqual([who, decision, scope, id], ["ann at pts/3", "allow", "session", question.id]);
    assert.deepEqual([answered.digest, answered.call_id], [question.action.digest, question.callId]);
    assert.ok(answered.time >= begin);
    const dispatched = entries.find(({ event }) => event === "tool.call.dispatched");
    assert.ok(dispatched !== undefined && dispatched.seq > answered.seq && dispatched.digest === answered.digest);
    assert.equal(gate.journal.verify().ok, true);
  });
}

async function infinite({ gate }: Recording): Promise<void> {
  const { reply, entries, lines } = await say(gate, JSON.parse('{"argv":["/bin/true"],"timeout_s":1e400}'));
  assert.ok(!reply.ok && reply.error === "invalid_args" && reply.message.includes("timeout_s"));
  for (const line of lines) JSON.parse(line);
  assert.deepEqual((entries[0]?.args as Fields | undefined)?.["timeout_s"], "[number Infinity]");
}

/** Ordinary calls run, and stand in the log exactly as they were said. */
async function keptWhole({ gate, input }: Recording): Promise<void> {
  const argv = (eventOf(input)["argv"] as string[]).map((word) => (word === "x (10 kB)" ? "x".repeat(10_000) : word));
  const { reply, entries, lines } = await say(gate, { argv });
  const result = ran(reply);
  assert.equal(result.exit_code, 0);
  assert.equal(result.stdout, argv[0] === "/bin/echo" ? `${argv[1]}\n` : "");
  for (const { args } of entries.slice(0, 2)) assert.deepEqual((args as { argv?: unknown }).argv, argv);
  assert.deepEqual((JSON.parse(lines[1] ?? "") as { args: { argv: unknown } }).args.argv, argv);
}
