// Plays a working day through a real gate with the default configuration, on a project that is made for it, and counts what a
// person was asked.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Effect } from "../../src/action/effect.ts";
import { readyScopes } from "../../src/approval/ready-scopes.ts";
import { renderRule } from "../../src/policy/render.ts";
import {
  type Answer,
  type Approver,
  createGate,
  createRegistry,
  type Gate,
  type Question,
  registerBashTool,
  registerBuiltinTools,
  registerGitTool,
  registerPythonTool,
  registerShellTool,
  type Reply,
} from "../../src/index.ts";
import { resultOf } from "../fixtures/gate.ts";
import { makeState } from "../fixtures/prepared-state.ts";
import { dangers } from "./dangers.ts";
import type { Day, DayRoom, Expected, Move } from "./day.ts";
import { openRegistry, type PackageRegistry } from "./registry.ts";

/** `needless`: nobody had to decide it. `wrong`: a question of the right kind that would open more than the task needs. */
export type Judged = "needed" | "needless" | "wrong";

export interface CountedQuestion {
  readonly judged: Judged;
  readonly about: readonly string[];
  readonly isAboutHosts: boolean;
  /** Seconds that the call waited: the person's time to read the question and its diff. */
  readonly waitedS: number;
  /** Rules that the answer keeps, because the person said always. */
  readonly kept: readonly string[];
}

export interface DayCount {
  readonly day: Day;
  readonly calls: number;
  readonly questions: readonly CountedQuestion[];
  /** What a person should have been asked, and was not. */
  readonly missed: readonly string[];
  /** Dangerous calls that ran unasked after the day, because of what was answered with always. */
  readonly wrongAlways: readonly string[];
}

export interface DayOptions {
  /** Instead of the default configuration. */
  readonly configText?: string;
}

/** A person looks up, reads 25 characters a second and 1 line of a diff a second, and answers. */
function readingSeconds({ text, diff = [] }: Question): number {
  const lines = diff.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines)).length;
  return Math.round(5 + text.length / 25 + lines);
}

export async function playDay(day: Day, { configText }: DayOptions = {}): Promise<DayCount> {
  const desk = await openDesk(day);
  try {
    const [questions, missed]: [CountedQuestion[], string[]] = [[], []];
    const secret = "the key of the person";
    await assertDangers(desk, configText);
    const person = scriptedPerson(desk.room, questions);
    const gate = openGate(desk, person, day.name, configText);
    try {
      let room = desk.room;
      for (const move of day.moves) {
        const before = questions.length;
        person.expected = move.expected;
        const reply = await gate.call({ tool: move.tool, args: move.args(room) });
        const said = JSON.stringify(reply);
        assertEnds(move, move.args(room), reply);
        assert.ok(!said.includes(secret), `the agent got a secret: ${said}`);
        if (move.expected !== undefined && questions.slice(before).every(({ judged }) => judged !== "needed"))
          missed.push(move.expected.because);
        if (reply.ok && move.tool === "git_stage") room = { ...room, commitId: String(reply.result["id"]) };
      }
      const branch = desk.git("for-each-ref", "--format=%(refname)", "refs/heads/sallyport").trim();
      assert.match(desk.git("show", `${branch}:${day.landed.file}`), day.landed.holds);
    } finally {
      await closed(gate);
    }
    const wrongAlways = await runDangers(desk, configText);
    return { day, calls: day.moves.length, questions, missed, wrongAlways };
  } finally {
    await desk.close();
  }
}

function assertEnds({ tool, ends = 0, refused }: Move, args: object, reply: Reply): void {
  const what = `${tool} ${JSON.stringify(args)}: ${JSON.stringify(reply)}`;
  if (refused !== undefined) return assert.equal(reply.ok ? "allowed" : reply.error, refused, what);
  const result = resultOf(reply);
  if (tool === "Shell") assert.equal(result["success"], true, what);
  if (ends !== null && "exit_code" in result) assert.equal(result["exit_code"], ends, what);
}

interface ScriptedPerson extends Approver {
  /** What the person knows that they will be asked during this call. */
  expected: Expected | undefined;
}

/** Says what the day says, and yes to everything else, as somebody does who is asked too often. Says always, as widely as the screen offers it. */
function scriptedPerson(room: DayRoom, questions: CountedQuestion[]): ScriptedPerson {
  const person: ScriptedPerson = {
    name: "the scripted person",
    expected: undefined,
    ask(question) {
      const { expected } = person;
      const effects = question.verdict.findings
        .filter(({ decision }) => decision === "ask")
        .map(({ effect }) => effect);
      const about = effects.map((effect) => effectText(effect, room));
      const decision = expected?.says === "no" ? "deny" : "allow";
      const isAboutHosts = effects.every(({ kind }) => kind === "network");
      const answer = widestAnswer(question, decision, isAboutHosts, room.home);
      questions.push({
        judged: judgedBy(expected, about),
        about,
        isAboutHosts,
        waitedS: readingSeconds(question),
        kept: decision === "allow" ? (answer.rules ?? []).map(renderRule) : [],
      });
      return Promise.resolve(answer);
    },
  };
  return person;
}

function judgedBy(expected: Expected | undefined, about: readonly string[]): Judged {
  if (expected === undefined) return "needless";
  if (about.every((text) => expected.about.test(text))) return "needed";
  const kind = /^\^?([a-z]+)/.exec(expected.about.source)?.[1];
  return about.some((text) => text.startsWith(`${kind} `)) ? "wrong" : "needless";
}

/** A no is for good only where it is about a host: a diff that is not good yet may be good tomorrow. */
function widestAnswer(question: Question, decision: "allow" | "deny", isAboutHosts: boolean, home: string): Answer {
  const isKept = decision === "allow" || isAboutHosts;
  const offer = question.offers.findLast((one) => isKept && one.decision === decision && one.scope === "project");
  const answer = { decision, digest: question.action.digest, who: "the scripted person", reason: null } as const;
  if (offer === undefined) return { ...answer, scope: "once" };
  const rules = readyScopes(offer, question.verdict, home).at(-1)?.rules ?? offer.rules;
  return { ...answer, scope: "project", rules };
}

/** An effect in the words of the days. */
export function effectText(effect: Effect, { project, registryPort }: DayRoom): string {
  const on = (text: string) =>
    text.replace(project, "the project").replace(`localhost:${registryPort}`, "localhost:PORT");
  switch (effect.kind) {
    case "network":
      return `network ${on(effect.host)}`;
    case "read":
    case "write":
      return `${effect.kind} ${on(effect.path)}`;
    case "push":
      return `push ${on(effect.target)} ${effect.branch}`;
    case "pull":
      return `pull ${on(effect.source)}`;
    case "tool":
      return `tool ${effect.tool}`;
    case "run":
    case "privilege":
    case "interactive":
    case "destroy":
      return `${effect.kind} ${effect.argv.map((word) => word ?? "?").join(" ")}`;
  }
}

interface Desk {
  readonly room: DayRoom;
  readonly state: string;
  git(...words: string[]): string;
  close(): Promise<void>;
}

/** The person's machine: a home with a key, a project in it, and only the programs of the system. */
async function openDesk(day: Day): Promise<Desk> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-day-")));
  const [home, config, project] = [join(base, "home"), join(base, "config"), join(base, "home/work")];
  const environment = { HOME: home, XDG_CONFIG_HOME: config, PATH: "/usr/local/bin:/usr/bin:/bin" };
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  assert.equal(homedir(), home);
  mkdirSync(config);
  mkdirSync(join(home, ".ssh"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, ".ssh/id_ed25519"), "the key of the person\n");
  const registry: PackageRegistry | null = day.hasRegistry === true ? await openRegistry(base) : null;
  const files: Record<string, string> = {
    ...day.files,
    ...(registry === null ? {} : { ".npmrc": `registry=http://localhost:${registry.port}/\n` }),
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  const run = (command: string) =>
    execFileSync("bash", ["-ec", command], {
      cwd: project,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, GIT_CONFIG_NOSYSTEM: "1" },
    });
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ann\n\temail = ann@example.org\n");
  run("git init -q -b main && git add -A && git commit -q -m 'the project'");
  const room = { home, project, commitId: "", registryPort: registry?.port ?? 0 };
  return {
    room,
    state: makeState(join(base, "state")),
    git: (...words) => execFileSync("git", ["-C", project, ...words], { encoding: "utf8" }),
    async close() {
      await registry?.close();
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      if (process.getuid?.() !== 0) execFileSync("chmod", ["-R", "u+rwx", base]);
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function openGate({ room, state }: Desk, person: Approver, session: string, configText?: string): Gate {
  const registry = createRegistry();
  registerBuiltinTools(registry);
  for (const register of [registerBashTool, registerPythonTool, registerShellTool, registerGitTool]) register(registry);
  const config = configText === undefined ? {} : { configText };
  return createGate({ registry, project: room.project, statePath: state, session, approvers: [person], ...config });
}

async function closed(gate: Gate): Promise<void> {
  gate.close();
  await gate.closed;
}

/** The dangerous calls that ran without a question. */
async function runDangers(desk: Desk, configText?: string): Promise<string[]> {
  let asked = 0;
  const person: Approver = {
    name: "somebody who says no",
    ask({ action }) {
      asked += 1;
      return Promise.resolve({ decision: "deny", digest: action.digest, who: "ann", reason: null });
    },
  };
  const unasked: string[] = [];
  const gate = openGate(desk, person, "dangers", configText);
  try {
    for (const { what, tool, args } of dangers) {
      const before = asked;
      const reply = await gate.call({ tool, args: args(desk.room) });
      if (reply.ok && asked === before) unasked.push(what);
    }
  } finally {
    await closed(gate);
  }
  return unasked;
}

/** The control: before anything was answered, each of them is asked about or refused. */
async function assertDangers(desk: Desk, configText?: string): Promise<void> {
  assert.deepEqual(await runDangers(desk, configText), [], "nothing dangerous runs unasked before the day");
}
