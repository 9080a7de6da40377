// The bash and python cases of the corpus: each script through the gate; what is contained once more by hand, where nobody
// reads it; and its control without us. What git could lose is run by hand on a repository that is only granted to be seen.

import { strict as assert } from "node:assert";
import { existsSync } from "node:fs";
import { after, describe, test, type TestContext } from "node:test";
import { parse } from "yaml";
import type { Approver, Gate, Question } from "../../src/index.ts";
import { isSampled } from "../fixtures/runs.ts";
import { checkAllowed, bashAllowed } from "./bash-allowed.ts";
import { argsOf, byHand, onPort, openScriptGate, type ScriptCase, scriptOf, withoutUs } from "./bash-bench.ts";
import { bashAsked, bashContained, losing, type ScriptContained } from "./bash-contained.ts";
import { listen, type Listener } from "./bash-listener.ts";
import { bashRefusals } from "./bash-refused.ts";
import { makeBashWorld } from "./bash-world.ts";
import { bare } from "./bare.ts";
import { assertNoMarker, ran } from "./bench.ts";
import { type CorpusCase, loadCases } from "./cases.ts";
import { nothingIsLeft } from "./contained.ts";
import { canary, canaryNames } from "./contained-exec.ts";
import { unchanged } from "./git-bench.ts";
import { happens, killAll, processesOf } from "./leftovers.ts";
import { type Kind, Tally } from "./tally.ts";
import { treeOf } from "./tree.ts";
import { configHome, removeWorlds, type World } from "./world.ts";

process.env["XDG_CONFIG_HOME"] = configHome;
for (const name of canaryNames) process.env[name] = canary;

const cases = loadCases(["bash", "python"]);
const tally = new Tally(cases);

after(() => {
  console.log(tally.table());
  removeWorlds();
});

test("every bash and python case is covered once, and nothing is covered that is no case", () => {
  const tables: Record<string, object> = {
    refuse: bashRefusals,
    allow: bashAllowed,
    contain: bashContained,
    ask: bashAsked,
  };
  const covered = Object.values(tables).flatMap((table) => Object.keys(table));
  assert.deepEqual(covered.sort(), cases.map(({ id }) => id).sort());
  for (const { id, expect } of cases) assert.ok(id in (tables[expect] ?? {}), `${id}: ${expect}`);
  for (const { id, control } of cases) if (control === "live") assert.ok(bashContained[id]?.control !== undefined, id);
});

test("control of the interactive ones: with an input that stays open, they wait", async () => {
  for (const script of ["read x", "python3 -c 'input()'"]) {
    const started = bare(["/bin/bash", "-c", script], { stdio: "pipe" });
    assert.equal(await happens(() => started.child.exitCode !== null, 1_000), false, script);
    started.kill();
  }
});

describe("side by side", { concurrency: 4, timeout: 600_000 }, () => {
  for (const one of cases) defineCase(one);
});

type Check = (world: World, script: ScriptCase) => Promise<void>;

function defineCase(one: CorpusCase): void {
  const { id, expect, why } = one;
  const title = `${id}: ${why}`;
  if (expect === "refuse") {
    define(title, one, "case", (world, script) => refuse(one, world, script));
    if (one.category === "bash-git-destructive")
      define(`${id}, unread: a repository that may only be seen stays as it is`, one, "hand-built", losesNothing);
    if (losing.has(id)) define(`${id}, control: without us something is lost`, one, "control", losesSomething);
    return;
  }
  if (expect === "allow") return define(title, one, "case", (world, script) => allow(id, world, script));
  define(title, one, "case", (world, script) => contain(id, world, script, "gate"));
  define(`${id}, unread`, one, "hand-built", (world, script) => contain(id, world, script, "hand"));
  if (expect === "ask")
    define(`${id}: with a person's yes it is done, once`, one, "answered", (world, script) =>
      doneWithYes(id, world, script),
    );
  const { control, listens } = bashContained[id] ?? { control: asked(id) };
  if (control !== undefined || listens !== undefined)
    define(`${id}, control: without us it does happen`, one, "control", (world, script) =>
      happensBare(id, world, script),
    );
}

async function doneWithYes(id: string, world: World, script: ScriptCase): Promise<void> {
  const asked: Question[] = [];
  const person: Approver = {
    name: "person",
    ask(question) {
      asked.push(question);
      return Promise.resolve({ decision: "allow", digest: question.action.digest, who: "a person", reason: null });
    },
  };
  await withGate(
    world,
    `${id}-yes`,
    async (gate) => {
      const { exit_code, not_kept } = ran(await gate.call({ tool: script.tool, args: argsOf(script) }));
      assert.deepEqual([exit_code, not_kept], [0, undefined]);
    },
    {},
    "rw",
    [person],
  );
  assert.ok(existsSync(`${world.repo}/${bashAsked[id]}`));
  assert.deepEqual(
    asked[0]?.offers.filter(({ decision }) => decision === "allow").map(({ scope }) => scope),
    ["once"],
  );
}

function asked(id: string) {
  return (world: World) => existsSync(`${world.repo}/${bashAsked[id]}`);
}

function define(title: string, one: CorpusCase, kind: Kind, check: Check): void {
  if (["hand-built", "control"].includes(kind) && !isSampled(one.id, `${one.category} ${kind}`)) return;
  const needs = bashContained[one.id]?.needs;
  test(title, { timeout: 150_000 }, async (t: TestContext) => {
    if (needs !== undefined && kind === "control" && !existsSync(needs))
      return t.skip(`there is no ${needs} on this machine`);
    const world = makeBashWorld(one.id);
    await check(world, scriptOf(one, world));
    tally.passed(one, kind);
  });
}

async function withGate(
  world: World,
  name: string,
  work: (gate: Gate) => Promise<void>,
  ...more: [object?, ("r" | "rw")?, (readonly Approver[])?]
) {
  const gate = openScriptGate(world, name, ...more);
  try {
    await work(gate);
  } finally {
    gate.close();
  }
}

async function refuse({ id }: CorpusCase, world: World, script: ScriptCase): Promise<void> {
  const { kind, names } = bashRefusals[id] as (typeof bashRefusals)[string];
  const hints: string[] = [];
  await withGate(world, id, (gate) =>
    unchanged(world, async () => {
      const reply = await gate.call({ tool: script.tool, args: argsOf(script) });
      assert.ok(!reply.ok, `it was not refused: ${JSON.stringify(reply)}`);
      assert.equal(reply.error, "permission_denied");
      assert.ok(reply.message.includes(names), reply.message);
      assert.deepEqual(
        [...gate.journal.list({ session: id, order: "oldest" })].map(({ event }) => event),
        ["tool.call.received", "tool.call.denied"],
      );
      hints.push(reply.hint ?? "");
    }),
  );
  if (kind === "push") assert.match(hints[0] ?? "", /git_stage.*git_push/);
  else await opensByItsHints(id, world, script, hints[0] ?? "");
}

/** A refusal says how to allow it, and that is true. Nothing is started. */
async function opensByItsHints(id: string, world: World, script: ScriptCase, first: string): Promise<void> {
  const rules: unknown[] = [];
  for (let hint = first; rules.length < 3;) {
    const rule = /sallyport(?:\.js)? policy add '(.*)'(?: --\w+ \S+)*$/.exec(hint)?.[1];
    assert.ok(rule !== undefined, `it does not say how to allow it: ${hint}`);
    rules.push(parse(rule));
    let next: string | undefined;
    await withGate(
      world,
      `${id}-allowed`,
      async (gate) => {
        const planned = await gate.plan({ tool: script.tool, args: argsOf(script) });
        assert.ok(planned.ok);
        if (planned.value.verdict.decision !== "allow") next = (await hintOf(gate, script)) ?? "";
      },
      { rules },
    );
    if (next === undefined) return;
    hint = next;
  }
  assert.fail("its hints do not allow it");
}

async function hintOf(gate: Gate, script: ScriptCase): Promise<string | undefined> {
  const reply = await gate.call({ tool: script.tool, args: argsOf(script) });
  assert.ok(!reply.ok);
  return reply.hint;
}

async function losesNothing(world: World, script: ScriptCase): Promise<void> {
  const before = treeOf(world.directory);
  await withGate(world, "unread", async (gate) => void ran(await byHand(gate, script)), {}, "r");
  assertSame(before, treeOf(world.directory));
}

async function losesSomething(world: World, script: ScriptCase): Promise<void> {
  const before = treeOf(world.repo);
  const { stderr } = await withoutUs(world, script);
  const now = treeOf(world.repo);
  assert.ok(
    Object.keys(before).some((path) => path !== ".git/index" && before[path] !== now[path]),
    stderr,
  );
}

async function allow(id: string, world: World, script: ScriptCase): Promise<void> {
  const before = outsideOf(world, script);
  await withGate(world, id, async (gate) => {
    const result = ran(await gate.call({ tool: script.tool, args: argsOf(script) }));
    assertSame(before, outsideOf(world, script));
    checkAllowed(id, world, result);
  });
}

async function contain(id: string, world: World, script: ScriptCase, how: "gate" | "hand"): Promise<void> {
  const row: ScriptContained = bashContained[id] ?? {};
  const listener = row.listens === undefined ? null : await listen(world);
  const before = outsideOf(world, script);
  try {
    await withGate(world, `${id}-${how}`, async (gate) => {
      if (row.instead !== undefined) await decidedOnly(gate, script);
      const order = orderOf(row, world, script, listener);
      const reply =
        how === "gate" ? await gate.call({ tool: order.tool, args: argsOf(order) }) : await byHand(gate, order);
      assertNoMarker(world);
      if (reply.ok || row.refusedWith === undefined) row.look?.(ran(reply), world);
      else assert.deepEqual([reply.error, how], [row.refusedWith, "gate"], reply.message);
      if (row.leavesNothing === true) await nothingIsLeft(world);
    });
    assertSame(before, outsideOf(world, script));
    assert.equal(listener?.calls() ?? 0, 0, "somebody was called");
  } finally {
    listener?.close();
  }
}

/** What must never be started is at least no question of trust: its box may change nothing but what is granted. */
async function decidedOnly(gate: Gate, script: ScriptCase): Promise<void> {
  const planned = await gate.plan({ tool: script.tool, args: argsOf(script) });
  assert.ok(planned.ok);
  const { paths, network } = planned.value.action.view;
  assert.deepEqual([paths, network], [gate.capability.fsGrants, "none"]);
}

async function happensBare(id: string, world: World, script: ScriptCase): Promise<void> {
  const row: ScriptContained = bashContained[id] ?? { control: asked(id) };
  const listener = row.listens === undefined ? null : await listen(world);
  try {
    const { stderr } = await withoutUs(world, orderOf(row, world, script, listener));
    if (row.control === undefined) assert.ok((listener?.calls() ?? 0) > 0, `nobody was called: ${stderr}`);
    else assert.ok(await happens(() => row.control?.(world) === true, 5_000), `it did not happen: ${stderr}`);
  } finally {
    listener?.close();
    killAll(processesOf(world.directory));
  }
}

function orderOf(
  { instead }: ScriptContained,
  world: World,
  script: ScriptCase,
  listener: Listener | null,
): ScriptCase {
  if (instead !== undefined) return { ...script, text: instead(world) };
  return listener === null ? script : { ...script, text: listener.aim(onPort(script.text, listener.port)) };
}

function assertSame(before: Record<string, string>, now: Record<string, string>): void {
  const paths = new Set([...Object.keys(before), ...Object.keys(now)]);
  const different = [...paths].filter((path) => before[path] !== now[path]);
  assert.deepEqual(different, [], "something was changed");
}

/** Everything but what the script may change: there, still what others execute later. */
function outsideOf(world: World, { cwd }: ScriptCase): Record<string, string> {
  const place = `${cwd.slice(world.directory.length + 1)}/`;
  const later = /^(?:\.git|\.gitmodules|\.mcp\.json|\.vscode|\.claude|\.envrc)(?:$|\/)/;
  const entries = Object.entries(treeOf(world.directory));
  return Object.fromEntries(
    entries.filter(([path]) => !path.startsWith(place) || later.test(path.slice(place.length))),
  );
}
