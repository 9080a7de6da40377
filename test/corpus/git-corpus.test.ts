// The git cases of the corpus: hostile repositories really built, plain git shown to run the marker, ours shown not to; and
// each contained case once more as plain git in the box. After every call nothing has changed: contents, modes, times, index.

import { strict as assert } from "node:assert";
import { after, describe, test, type TestContext } from "node:test";
import type { Reply } from "../../src/index.ts";
import { isRoot } from "../fixtures/run.ts";
import { isSampled } from "../fixtures/runs.ts";
import { openGate, ran, runnerOf } from "./bench.ts";
import { type CorpusCase, loadCases } from "./cases.ts";
import { checkGitAllowed, gitAllowed } from "./git-allowed.ts";
import { callFrom, type GitArgs, gitGrants, gitRan, unchanged, wasStarted, wideGrants } from "./git-bench.ts";
import { configSituations } from "./git-config-situations.ts";
import { type GitContained, gitContained, handArguments } from "./git-contained.ts";
import { gitControls, runGitControl } from "./git-controls.ts";
import { environments, layoutSituations } from "./git-layout-situations.ts";
import { gitRefusals } from "./git-refused.ts";
import { makeGitWorld } from "./git-world.ts";
import { checkRefusal, type Refusal } from "./refused.ts";
import { Tally } from "./tally.ts";
import { configHome, fillIn, removeWorlds, type World } from "./world.ts";

process.env["XDG_CONFIG_HOME"] = configHome;

const cases = loadCases(["git"]);
const situations: Readonly<Record<string, (world: World) => void>> = { ...configSituations, ...layoutSituations };
const tally = new Tally(cases);

after(() => {
  console.log(tally.table());
  removeWorlds();
});

test("every git case is covered once, and nothing is covered that is no case", () => {
  const covered = [gitRefusals, gitAllowed, gitContained].flatMap((table) => Object.keys(table)).sort();
  assert.deepEqual(covered, cases.map(({ id }) => id).sort());
  const tables = { refuse: gitRefusals, allow: gitAllowed, contain: gitContained } as Record<string, object>;
  for (const { id, expect } of cases) assert.ok(id in (tables[expect] ?? {}), `${id}: ${expect}`);
  const live = cases.filter(({ control }) => control === "live").map(({ id }) => id);
  assert.deepEqual(Object.keys(gitControls).sort(), live.sort());
  for (const { id, setup } of cases) if (setup !== undefined) assert.ok(id in situations || id in environments, id);
  const ids = new Set(cases.map(({ id }) => id));
  assert.deepEqual(
    [...Object.keys(situations), ...Object.keys(environments)].filter((id) => !ids.has(id)),
    [],
  );
});

describe("side by side", { concurrency: 4, timeout: 600_000 }, () => {
  for (const one of cases) defineCase(one);
});

function defineCase(one: CorpusCase): void {
  const { id, why, expect } = one;
  define(`${id}: ${why}`, one, "case", (world, args, environment) => {
    if (expect === "refuse") return refuse(one, world);
    if (expect === "allow") return allow(id, world, args);
    return contain(id, world, args, environment);
  });
  if (expect === "contain")
    define(`${id}, as plain git in the box`, one, "hand-built", (world, args, environment) =>
      containByHand(id, world, args, environment),
    );
  if (one.control === "live")
    define(`${id}, control: without us it does happen`, one, "control", (world, args, environment) =>
      runGitControl(id, { world, args, environment }),
    );
}

function define(
  title: string,
  one: CorpusCase,
  kind: "case" | "hand-built" | "control",
  check: (world: World, args: GitArgs, environment: Record<string, string>) => Promise<void>,
): void {
  if (kind !== "case" && !isSampled(one.id, `${one.category} ${kind}`)) return;
  test(title, { timeout: 150_000 }, async (t: TestContext) => {
    const { needsRoot } = gitContained[one.id] ?? gitAllowed[one.id] ?? {};
    if (needsRoot === true && !isRoot) return t.skip("only root can give a repository to another user");
    const world = makeGitWorld(one.id);
    situations[one.id]?.(world);
    await check(world, fillIn(one.input, world) as GitArgs, environments[one.id]?.(world) ?? {});
    tally.passed(one, kind);
  });
}

async function refuse(one: CorpusCase, world: World): Promise<void> {
  const gate = openGate(world, gitGrants(world), one.id);
  try {
    await unchanged(world, () => checkRefusal(one, gitRefusals[one.id] as Refusal, world, gate, "Git"));
  } finally {
    gate.close();
  }
}

async function allow(id: string, world: World, args: GitArgs): Promise<void> {
  await checkGitAllowed(id, world, args, await unchanged(world, () => call(id, world, args)));
}

async function contain(id: string, world: World, args: GitArgs, environment: Record<string, string>): Promise<void> {
  const { refused, hidesHelpers, check } = gitContained[id] as GitContained;
  const reply = await unchanged(world, () =>
    id in environments ? callFrom(world, environment, args) : call(id, world, args, wideGrants(world, hidesHelpers)),
  );
  if (refused !== undefined) return assert.ok(!reply.ok && reply.error === refused, JSON.stringify(reply));
  const result = gitRan(reply);
  assert.ok(!wasStarted(result), `a program of the repository was started: ${result.stderr}`);
  check?.(result, world);
}

async function call(session: string, world: World, args: GitArgs, grants = gitGrants(world)): Promise<Reply> {
  const gate = openGate(world, grants, session);
  try {
    return await gate.call({ tool: "Git", args });
  } finally {
    gate.close();
  }
}

/** None of our flags, the repository's own configuration, the hostile variables: and still the box holds. */
async function containByHand(
  id: string,
  world: World,
  args: GitArgs,
  environment: Record<string, string>,
): Promise<void> {
  const { startsInBox = false, hidesHelpers, checkHand } = gitContained[id] as GitContained;
  const gate = openGate(world, wideGrants(world, hidesHelpers), `${id}-hand`);
  try {
    const order = { argv: handArguments(id, args), cwd: "/tmp", env: { HOME: "/nonexistent", ...environment } };
    const result = ran(await unchanged(world, () => runnerOf(gate, "hand")(order)));
    // Its program was really there to be started: the box, and not its absence, kept the marker away.
    assert.equal(wasStarted(result), startsInBox, result.stdout + result.stderr);
    checkHand?.(result.stdout);
  } finally {
    gate.close();
  }
}
