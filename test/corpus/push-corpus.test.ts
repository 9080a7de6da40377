// The push and pull cases of the corpus: refused, shown, asked about once, and landed exactly as they were reviewed.

import { strict as assert } from "node:assert";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { pictureOf } from "../fixtures/git.ts";
import { isSampled } from "../fixtures/runs.ts";
import { type CorpusCase, loadCases } from "./cases.ts";
import { checkMessage, checkPullAllowed, checkPushAsked, checkStageAllowed, messages } from "./push-allowed.ts";
import { makePushWorld, openPushBench, type PushBench, type PushOptions } from "./push-bench.ts";
import { pushBound } from "./push-bound.ts";
import { checkGitHubPush, checkTokenInError, githubCases, githubToken, startGitHub } from "./push-github.ts";
import { pulledFrom } from "./push-pulled.ts";
import { pushRefusals } from "./push-refused.ts";
import { written } from "./push-written.ts";
import { Tally } from "./tally.ts";
import { base, configHome, fillIn, removeWorlds, type World } from "./world.ts";

process.env["XDG_CONFIG_HOME"] = configHome;
process.env["HOME"] = `${base}/home`;
mkdirSync(`${base}/home`);
writeFileSync(`${base}/home/.gitconfig`, "[user]\n\tname = Corpus\n\temail = corpus@example.invalid\n");

/** Cases that need a server of GitHub's kind, each its own; where there is none, they are skipped, with the reason. */
const needsGitHub: ReadonlySet<string> = new Set(Object.keys(githubCases));
process.env["GH_ENTERPRISE_TOKEN"] = githubToken; // for any server that is not github.com
const servers = new Map<string, Awaited<ReturnType<typeof startGitHub>>>();
for (const id of needsGitHub) servers.set(id, await startGitHub(id));

interface ToolInput {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const cases = loadCases(["push"]);
const tally = new Tally(cases);

after(async () => {
  for (const server of servers.values()) if (typeof server !== "string") await server.close();
  console.log(tally.table());
  removeWorlds();
});

const inputOf = (one: CorpusCase, world: World) => fillIn(one.input, world) as ToolInput;
const isCall = ({ input }: CorpusCase): boolean => typeof input === "object";
const isAllowed = (one: CorpusCase) =>
  isCall(one) && (one.expect === "allow" || one.expect === "ask") && !needsGitHub.has(one.id);

test("every push case is covered once, and nothing is covered that is no case", () => {
  assert.equal(cases.length, 101);
  const covered = [pushRefusals, messages, written, pushBound, pulledFrom].flatMap((table) => Object.keys(table));
  covered.push(...needsGitHub, "push-write-token-in-error", ...cases.filter(isAllowed).map(({ id }) => id));
  assert.deepEqual(covered.sort(), cases.map(({ id }) => id).sort());
});

describe("side by side", { concurrency: 2, timeout: 900_000 }, () => {
  for (const one of cases) defineCase(one);
});

function defineCase(one: CorpusCase): void {
  const { id, why } = one;
  const server = servers.get(id);
  const skip = typeof server === "string" ? server : false;
  test(`${id}: ${why}`, { timeout: 120_000, skip }, async () => {
    const world = makePushWorld(id);
    await check(one, world);
    assert.equal(existsSync(world.marker), false, "the marker was made");
    tally.passed(one, "case");
  });
  const control = written[id]?.control ?? pulledFrom[id]?.control;
  if (control === undefined || !isSampled(id, one.category)) return;
  test(`${id}, control: without us it does happen`, { timeout: 150_000 }, () => {
    const world = makePushWorld(id);
    (written[id] ?? pulledFrom[id])?.prepare?.(world);
    control(world);
    tally.passed(one, "control");
  });
}

async function check(one: CorpusCase, world: World): Promise<void> {
  const { id } = one;
  if (id in pushBound) return pushBound[id]?.(world);
  if (id === "push-write-token-in-error") return checkTokenInError(world);
  (written[id] ?? pulledFrom[id])?.prepare?.(world);
  const server = servers.get(id);
  const url = typeof server === "object" ? server.url : "http://127.0.0.1:9";
  await withBench(world, pushRefusals[id]?.options?.(world) ?? { githubUrl: url }, async (bench) => {
    if (id in pushRefusals) return refuse(one, bench);
    if (id in written) return written[id]?.check(bench);
    if (id in pulledFrom) return pullFrom(one, bench);
    const { tool, args } = inputOf(one, world);
    if (needsGitHub.has(id)) return checkGitHubPush(id, bench, url, args);
    if (id in messages) return checkMessage(id, bench, args as never);
    if (tool === "git_stage") return checkStageAllowed(bench, args as never);
    if (tool === "git_pull") return checkPullAllowed(id, bench, args);
    return checkPushAsked(bench, (commitId) => ({ ...args, commitId }));
  });
}

async function refuse(one: CorpusCase, bench: PushBench): Promise<void> {
  const { error, names, prepare } = pushRefusals[one.id] as (typeof pushRefusals)[string];
  await prepare?.(bench);
  const { tool, args } = inputOf(one, bench.world);
  const commitId = await commitFor(args["commitId"], bench);
  const before = pictureOf(bench.world.repo);
  const reply = await bench.refused(tool, commitId === undefined ? args : { ...args, commitId }, error);
  if (names !== undefined) assert.ok(reply.message.includes(names), reply.message);
  assert.deepEqual(pictureOf(bench.world.repo), before);
  assert.equal(bench.person.asked.length, 0, "somebody was asked");
  assert.equal(existsSync(`${bench.world.root}/plain/.git`), false);
}

async function commitFor(written: unknown, bench: PushBench): Promise<unknown> {
  if (written === "@@COMMIT@@") {
    await bench.write("a.md", "a\n");
    return bench.stage(["a.md"]);
  }
  if (written !== "@@OTHER_SESSION_COMMIT@@") return written;
  let id = "";
  await withBench(bench.world, { session: "another" }, async (other) => {
    await other.write("a.md", "a\n");
    id = await other.stage(["a.md"]);
  });
  return id;
}

async function pullFrom(one: CorpusCase, bench: PushBench): Promise<void> {
  const before = pictureOf(bench.world.repo);
  const { pulled, notes = [] } = await bench.done("git_pull", inputOf(one, bench.world).args);
  assert.ok((pulled as string[]).includes("/workspace/a.txt"));
  assert.equal(
    (pulled as string[]).some((path) => path.startsWith("/workspace/m")),
    false,
  );
  const text = String((await bench.done("read_file", { path: "a.txt" }))["content"]);
  assert.match(text, /TODO: one thing to do/, "as it is committed");
  const wanted = pulledFrom[one.id]?.notes;
  if (wanted !== undefined) assert.match((notes as string[]).join("\n"), wanted);
  assert.deepEqual(pictureOf(bench.world.repo), before);
}

async function withBench(
  world: World,
  options: PushOptions,
  work: (bench: PushBench) => Promise<void> | undefined,
): Promise<void> {
  const bench = openPushBench(world, options);
  try {
    await work(bench);
  } finally {
    bench.gate.close();
  }
}
