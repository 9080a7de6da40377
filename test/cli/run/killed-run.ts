// A `sallyport run` whose parts are killed one by one while its program works in the draft.

import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readHolder } from "../../../src/sandbox/draft-holder.ts";
import { processesOf } from "../../corpus/leftovers.ts";
import type { CliUser } from "../../fixtures/cli.ts";
import { until } from "../../fixtures/run.ts";

const cut = /The box was ended before its time: .*\nhint: What it did until then stays done/;
const changed = /session s has changed \d+ files/;
/** How the command ends if one of its processes is killed, and what it says. */
const ends = {
  gate: ["SIGKILL", /session s: a draft of/],
  forker: [126, cut],
  keeper: [126, cut],
  bwrap: [126, cut],
  init: [137, changed],
  program: [137, changed],
} as const;

type Part = keyof typeof ends;
export const parts = Object.keys(ends) as readonly Part[];

export interface Working {
  readonly process: ChildProcess;
  /** The exit code, or the signal that ended the command. */
  readonly ended: Promise<number | string | null>;
  said(): string;
  /** What its program found in the draft when it began. */
  found(): string[];
  /** The files that its program had closed. */
  closed(): string[];
}

/** Its program writes one file after another until it is ended, beside another one that left its session. */
export async function startWorking(person: CliUser, session: string, prefix: string): Promise<Working> {
  const script = `ls; echo listed; setsid sleep 1000 & i=0; while :; do i=$((i+1)); echo $i > ${prefix}-$i; echo closed ${prefix}-$i; sleep 0.01; done`;
  const child = person.start(["run", "--session", session, "--", "bash", "-c", script]);
  let [out, err] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (err += text));
  const ended = new Promise<number | string | null>((resolve) =>
    child.once("close", (code, signal) => resolve(code ?? signal)),
  );
  const closed = () => [...out.matchAll(/^closed (\S+)\n/gm)].map(([, name = ""]) => name);
  await until("its program writes", () => closed().length > 3 || child.exitCode !== null);
  assert.equal(child.exitCode, null, out + err);
  return {
    process: child,
    ended,
    said: () => out + err,
    found: () => out.split("listed\n")[0]?.split("\n") ?? [],
    closed,
  };
}

/** Each next run goes on in the session, and finds what the earlier ones had written. `waitMs`: at most, before the kill. */
export async function killInTurn(person: CliUser, turns: readonly Part[], waitMs: number): Promise<void> {
  const written: string[] = [];
  for (const [turn, part] of turns.entries()) {
    const run = await startWorking(person, "s", `${part}-${turn}`);
    assert.deepEqual(missing(written, run.found()), []);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * waitMs));
    process.kill(pidOf(person, run, part), "SIGKILL");
    assert.equal(await run.ended, ends[part][0], part);
    assert.match(run.said(), ends[part][1], part);
    assert.doesNotMatch(run.said(), /Nothing ran/, part);
    written.push(...run.closed());
    await nothingIsLeft(person);
  }
  assert.ok(written.length > 3 * turns.length);
  assertWritten(person, written);
}

export function assertWritten(person: CliUser, written: readonly string[]): void {
  const { code, out, err } = person.runProcess(["run", "--session", "s", "--", "ls"]);
  assert.equal(code, 0, err);
  assert.deepEqual(missing(written, out.split("\n")), []);
}

function missing(names: readonly string[], found: readonly string[]): string[] {
  const all = new Set(found);
  return names.filter((name) => !all.has(name));
}

/** The one draft of the person. */
function onlyDraft({ state }: CliUser): string {
  const [name = "", ...others] = readdirSync(join(state, "drafts"));
  assert.deepEqual(others, []);
  return join(state, "drafts", name);
}

export function pidOf(person: CliUser, { process: gate }: Working, part: Part | "holder"): number {
  const own = gate.pid as number;
  if (part === "holder") return readHolder(onlyDraft(person));
  const init = processesOf(person.root).find((pid) => nameOf(pid) === "sallyport-init" && ancestors(pid).includes(own));
  assert.ok(init !== undefined, "no box of this gate");
  if (part === "init") return init;
  if (part === "program") return processesOf(person.root).find((pid) => ancestors(pid)[0] === init) ?? 0;
  const [bwrap = 0, keeper = 0, forker = 0, gateFound] = ancestors(init);
  assert.deepEqual(
    [nameOf(bwrap), nameOf(keeper).slice(0, 7), nameOf(forker).slice(0, 7)],
    ["bwrap", "keeper-", "forker-"],
  );
  assert.equal(gateFound, own);
  return { gate: own, forker, keeper, bwrap }[part];
}

export async function nothingIsLeft({ root }: CliUser): Promise<void> {
  await until("nothing is left running or mounted", () => processesOf(root).length === 0);
  assert.ok(!readFileSync("/proc/self/mountinfo", "latin1").includes(root));
}

/** The nearest first. */
function ancestors(pid: number): number[] {
  const parent = Number(statOf(pid)?.[1] ?? 0);
  return parent <= 1 ? [] : [parent, ...ancestors(parent)];
}

function nameOf(pid: number): string {
  return readOr(`/proc/${pid}/comm`).trim();
}

function statOf(pid: number): string[] | undefined {
  const stat = readOr(`/proc/${pid}/stat`);
  return stat === "" ? undefined : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // it has ended
  }
}
