// The corpus as a test: every case of exec, process, sandbox and audit, its control where it has one, and each
// contained case once more as an action built by hand. Counts per category are printed at the end.

import { strict as assert } from "node:assert";
import { existsSync } from "node:fs";
import { after, describe, test, type TestContext } from "node:test";
import { isSampled } from "../fixtures/runs.ts";
import { allowed, checkAllowed } from "./allowed.ts";
import { type Bench, type ExecArgs, type Grants, type How, openGate, runnerOf, usualGrants } from "./bench.ts";
import { comesLater, type CorpusCase, loadCases, notHeld } from "./cases.ts";
import { closed } from "./closed.ts";
import type { Contained } from "./contained.ts";
import { canary, canaryNames, containedExec } from "./contained-exec.ts";
import { containedProcess } from "./contained-process.ts";
import { containedSandbox } from "./contained-sandbox.ts";
import { controls, runControl } from "./controls.ts";
import { gitCalls } from "./git-calls.ts";
import { recorded } from "./recorded.ts";
import { checkRefusal, furtherRefusals, refusals } from "./refused.ts";
import { Tally } from "./tally.ts";
import { configHome, fillIn, makeWorld, removeWorlds, type World } from "./world.ts";

process.env["XDG_CONFIG_HOME"] = configHome;
for (const name of canaryNames) process.env[name] = canary;

const cases = loadCases(["exec", "process", "sandbox", "audit"]);
const contained: Readonly<Record<string, Contained>> = {
  ...containedExec,
  ...containedProcess,
  ...containedSandbox,
  ...gitCalls,
};
const tally = new Tally(cases);

after(() => {
  console.log(tally.table());
  removeWorlds();
});

test("every case is covered once, and nothing is covered that is no case", () => {
  const tables = [refusals, allowed, contained, closed, recorded, Object.fromEntries(comesLater)];
  const covered = tables.flatMap((table) => Object.keys(table)).sort();
  assert.deepEqual(covered, cases.map(({ id }) => id).sort());
  const live = cases.filter(({ id, control }) => control === "live" && !comesLater.has(id)).map(({ id }) => id);
  assert.deepEqual(Object.keys(controls).sort(), live.sort());
  for (const { id, expect } of cases) {
    assert.equal(
      id in refusals || id in closed || (id in recorded && expect === "refuse"),
      expect === "refuse" && !comesLater.has(id),
      id,
    );
    assert.equal(
      id in contained && expect !== "allow",
      ["contain", "sanitize"].includes(expect) && !(id in recorded) && !comesLater.has(id),
      id,
    );
  }
});

describe("side by side", { concurrency: 6, timeout: 600_000 }, () => {
  for (const one of cases) if (contained[one.id]?.alone !== true) defineCase(one);
});

describe("one after another", { concurrency: 1, timeout: 600_000 }, () => {
  for (const one of cases) if (contained[one.id]?.alone === true) defineCase(one);
});

function defineCase(one: CorpusCase): void {
  const { id, why } = one;
  if (comesLater.has(id)) return tally.later(one);
  const title = `${id}: ${why}${notHeld.has(id) ? ` (${notHeld.get(id)})` : ""}`;
  if (id in refusals) define(title, one, "case", (world) => refuse(one, world));
  else if (id in closed) define(title, one, "case", (world) => closed[id]?.(world));
  else if (id in recorded) define(title, one, "case", (world) => record(one, world));
  else if (id in allowed)
    define(title, one, "case", (world) => onBench(one, world, "gate", {}, allow), allowed[id]?.needs);
  else {
    const how = contained[id] as Contained;
    const needs = how.needs?.find((path) => !existsSync(path));
    define(title, one, "case", (world) => onBench(one, world, "gate", how, how.check), needs);
    if (one.expect === "allow") return;
    define(
      `${id}, built by hand and granted unasked`,
      one,
      "hand-built",
      (world) => onBench(one, world, "hand", how, how.check),
      needs,
    );
  }
  if (one.control === "live")
    define(`${id}, control: without us it does happen`, one, "control", (world) => runControl(id, world, one.input));
}

function define(
  title: string,
  one: CorpusCase,
  kind: "case" | "hand-built" | "control",
  check: (world: World) => Promise<void | string> | undefined,
  needs?: string,
): void {
  if (kind !== "case" && !isSampled(one.id, `${one.category} ${kind}`)) return;
  test(title, { timeout: 150_000 }, async (t: TestContext) => {
    if (needs !== undefined && !existsSync(needs)) return t.skip(`there is no ${needs} on this machine`);
    const reason = await check(makeWorld(one.id));
    if (typeof reason === "string") return t.skip(reason);
    tally.passed(one, kind);
  });
}

async function refuse(one: CorpusCase, world: World): Promise<void> {
  for (const refusal of [refusals[one.id], furtherRefusals[one.id]]) {
    if (refusal === undefined) continue;
    const gate = openGate(world, refusal.grants?.(world) ?? usualGrants(world), one.id);
    try {
      await checkRefusal(one, refusal, world, gate);
    } finally {
      gate.close();
    }
  }
}

async function record(one: CorpusCase, world: World): Promise<void> {
  const gate = openGate(world, usualGrants(world), one.id);
  try {
    await recorded[one.id]?.({ world, gate, input: one.input });
  } finally {
    gate.close();
  }
}

async function onBench(
  one: CorpusCase,
  world: World,
  how: How,
  { grants }: { grants?: (world: World) => Grants },
  check: (bench: Bench, id: string) => Promise<void | string>,
): Promise<void | string> {
  const gate = openGate(world, grants?.(world) ?? usualGrants(world), `${one.id}-${how}`);
  try {
    return await check({ how, world, gate, args: argsOf(one, world), run: runnerOf(gate, how) }, one.id);
  } finally {
    gate.close();
  }
}

function allow({ world, args, run }: Bench, id: string): Promise<void> {
  return checkAllowed(id, world, args, run);
}

/** A sandbox case is a line for bash, in a directory that it may change. */
function argsOf({ input }: CorpusCase, world: World): ExecArgs {
  if (typeof input !== "object" || input === null) return { argv: [] };
  const filled = fillIn(input, world) as Partial<ExecArgs> & { command?: string };
  return filled.command === undefined
    ? ({ argv: [], ...filled } as ExecArgs)
    : { argv: ["/bin/bash", "-c", filled.command], cwd: world.root };
}
