// The shell cases of the corpus: each string through the gate, its control in a real shell, and each contained one once
// more as `sh -c` in the box. Refused calls and reading ones leave the world exactly as it was, though it may be written.

import { strict as assert } from "node:assert";
import { existsSync } from "node:fs";
import { after, describe, test, type TestContext } from "node:test";
import type { Gate, Reply } from "../../src/index.ts";
import { isSampled } from "../fixtures/runs.ts";
import { assertNoMarker, openGate, ran, runnerOf } from "./bench.ts";
import { type CorpusCase, loadCases } from "./cases.ts";
import { canary, canaryNames } from "./contained-exec.ts";
import { unchanged } from "./git-bench.ts";
import { checkRefusal, type Refusal } from "./refused.ts";
import { checkShellAllowed, shellAllowed } from "./shell-allowed.ts";
import { shellArgs, type ShellArgs, shellGrants, type ShellResult } from "./shell-bench.ts";
import { type ShellContained, shellContained } from "./shell-contained.ts";
import { runShellControl, shellControls } from "./shell-controls.ts";
import { shellRefusals } from "./shell-refused.ts";
import { shellSituations } from "./shell-situations.ts";
import { makeShellWorld } from "./shell-world.ts";
import { Tally } from "./tally.ts";
import { treeOf } from "./tree.ts";
import { configHome, removeWorlds, type World } from "./world.ts";

process.env["XDG_CONFIG_HOME"] = configHome;
for (const name of canaryNames) process.env[name] = canary;

const cases = loadCases(["shell"]);
const tally = new Tally(cases);

after(() => {
  console.log(tally.table());
  removeWorlds();
});

test("every shell case is covered once, and nothing is covered that is no case", () => {
  const tables = { refuse: shellRefusals, allow: shellAllowed, contain: shellContained } as Record<string, object>;
  const covered = Object.values(tables).flatMap((table) => Object.keys(table));
  assert.deepEqual(covered.sort(), cases.map(({ id }) => id).sort());
  for (const { id, expect } of cases) assert.ok(id in (tables[expect] ?? {}), `${id}: ${expect}`);
  const live = cases.filter(({ control }) => control === "live").map(({ id }) => id);
  assert.deepEqual(Object.keys(shellControls).sort(), live.sort());
  const ids = new Set(cases.map(({ id }) => id));
  assert.deepEqual(
    Object.keys(shellSituations).filter((id) => !ids.has(id)),
    [],
  );
  for (const { id, setup } of cases) if (setup !== undefined) assert.ok(id in shellSituations, id);
});

describe("side by side", { concurrency: 4, timeout: 600_000 }, () => {
  for (const one of cases) defineCase(one);
});

function defineCase(one: CorpusCase): void {
  const { id, why, expect } = one;
  const check = { refuse, allow, contain }[expect as "refuse" | "allow" | "contain"];
  define(`${id}: ${why}`, one, "case", (world, args) => withGate(id, world, (gate) => check(one, world, args, gate)));
  if (expect === "contain" && shellContained[id]?.isDecidedOnly !== true)
    define(`${id}, as a shell's line in the box`, one, "hand-built", (world, args) =>
      withGate(`${id}-hand`, world, (gate) => containByHand(id, world, args, gate)),
    );
  if (one.control === "live")
    define(`${id}, control: without us it does happen`, one, "control", (world, args) =>
      runShellControl(id, world, args),
    );
}

function define(
  title: string,
  one: CorpusCase,
  kind: "case" | "hand-built" | "control",
  check: (world: World, args: ShellArgs) => Promise<void>,
): void {
  if (kind !== "case" && !isSampled(one.id, `${one.category} ${kind}`)) return;
  test(title, { timeout: 150_000 }, async (t: TestContext) => {
    const needs = shellAllowed[one.id]?.needs ?? (one.id === "shell-prog-node-e" && kind === "control" ? "node" : null);
    const places = ["/usr/local/bin", "/usr/bin", "/bin"];
    if (needs !== null && !places.some((place) => existsSync(`${place}/${needs}`)))
      return t.skip(`there is no ${needs} in ${places.join(", ")}`);
    const world = makeShellWorld(one.id);
    shellSituations[one.id]?.(world);
    await check(world, shellArgs(one, world));
    tally.passed(one, kind);
  });
}

async function withGate(session: string, world: World, work: (gate: Gate) => Promise<void>): Promise<void> {
  const gate = openGate(world, shellGrants(world), session);
  try {
    await work(gate);
  } finally {
    gate.close();
  }
}

async function refuse(one: CorpusCase, world: World, args: ShellArgs, gate: Gate): Promise<void> {
  const refusal = shellRefusals[one.id] as Refusal;
  await unchanged(world, async () => {
    const planned = await gate.plan({ tool: "Shell", args });
    // A path that no grant covers is asked about, and there is nobody to ask.
    if (planned.ok) assert.deepEqual([planned.value.verdict.decision, refusal.error], ["ask", "fs_denied"]);
    else {
      const { error, message, hint = "" } = planned.failure;
      assert.deepEqual([error, message.includes(refusal.names ?? "")], [refusal.error, true], message);
      assert.notEqual(hint, "", "a refusal teaches");
    }
    // A stub is what must not even be tried.
    if (one.run === "stub") return assert.equal(planned.ok, false);
    await checkRefusal(one, { ...refusal, args: () => args }, world, gate, "Shell");
  });
}

async function allow({ id }: CorpusCase, world: World, args: ShellArgs, gate: Gate): Promise<void> {
  // Not the times: where a program may write, guards come and go in its directories.
  const before = treeOf(world.directory);
  const { results } = shellResult(await gate.call({ tool: "Shell", args }));
  assert.deepEqual(treeOf(world.directory), before);
  await checkShellAllowed(id, world, args, results);
}

async function contain({ id, run }: CorpusCase, world: World, args: ShellArgs, gate: Gate): Promise<void> {
  const { look, refusedWith, isDecidedOnly = false, more } = shellContained[id] as ShellContained;
  assert.equal(isDecidedOnly, run === "stub");
  if (isDecidedOnly) {
    const planned = await gate.plan({ tool: "Shell", args });
    if (!planned.ok) return assert.equal(planned.failure.error, refusedWith);
    const { network } = planned.value.action.view;
    // None, or none without a yes for each host: nothing is granted.
    assert.deepEqual(typeof network === "object" ? network.hosts : network, typeof network === "object" ? [] : "none");
    return;
  }
  const reply = await gate.call({ tool: "Shell", args: { ...args, timeout: 30 } });
  assertNoMarker(world);
  const bench = { how: "gate", world, gate, args: { argv: [] }, run: runnerOf(gate, "gate") } as const;
  if (!reply.ok) return assert.equal(reply.error, refusedWith, reply.message);
  for (const entry of shellResult(reply).results) look?.(entry, bench);
  await more?.(bench);
}

/** Nobody reads the string but a shell; any program of the machine; and still the box holds. */
async function containByHand(id: string, world: World, args: ShellArgs, gate: Gate): Promise<void> {
  const { look, shell = "/bin/sh", more } = shellContained[id] as ShellContained;
  const run = runnerOf(gate, "hand");
  const order = { argv: [shell, "-c", String(args.command)], cwd: args.work_dir ?? world.root, timeout_s: 30 };
  const result = ran(await run(order));
  assertNoMarker(world);
  const bench = { how: "hand", world, gate, args: order, run } as const;
  if (result.exit_code !== 127) look?.(result, bench); // 127: there is no such program
  await more?.(bench);
}

function shellResult(reply: Reply): ShellResult {
  assert.ok(reply.ok, `it was refused: ${JSON.stringify(reply)}`);
  return reply.result as unknown as ShellResult;
}
