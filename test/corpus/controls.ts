// Controls: the same input without us. Each must really do the bad thing, or the case that it belongs to shows nothing.

import { strict as assert } from "node:assert";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { bare, ended } from "./bare.ts";
import { happens, killAll, processesOf, sleep } from "./leftovers.ts";
import { withDescriptors } from "./situations.ts";
import { fillIn, type World } from "./world.ts";

export interface Control {
  readonly world: World;
  readonly input: {
    readonly argv?: readonly string[];
    readonly env?: Record<string, string>;
    readonly command?: string;
  };
}

export const controls: Readonly<Record<string, (control: Control) => Promise<void>>> = {
  "exec-timeout-float-overflow": overflowingTimer,
  "exec-xargs-wrapper": makesMarker(({ input }) => input.argv ?? []),
  "exec-find-exec": makesMarker(({ input }) => input.argv ?? []),
  "exec-env-node_options": makesMarker(() => [process.execPath, "-e", "0"]),
  "exec-env-bash_env": makesMarker(() => ["/bin/bash", "-c", "true"]),
  "exec-env-git_external_diff": makesMarker(() => ["/usr/bin/git", "diff"]),
  "exec-env-git_config_count": makesMarker(
    () => ["/usr/bin/git", "diff"],
    ({ out }) => ({ GIT_CONFIG_KEY_0: "diff.external", GIT_CONFIG_VALUE_0: `${out}/x.sh` }),
  ),
  "exec-env-git_exec_path": makesMarker(() => ["/usr/bin/git", "hello"]),
  "exec-env-git_trace": makesMarker(() => ["/usr/bin/git", "status"]),
  // This less wants a %s in it, which the corpus's text lacks.
  "exec-env-lessopen": makesMarker(
    ({ world }) => ["/usr/bin/less", `${world.repo}/a.txt`],
    ({ marker }) => ({ LESSOPEN: `|touch ${marker} %s` }),
  ),
  "exec-env-proto-smuggle": prototypeInEnvironment,
  "exec-env-key-equals": keyWithEquals,
  "exec-env-bash-func": makesMarker(({ input }) => input.argv ?? []),
  "proc-time-ignore-term": ignoredTerm,
  "proc-time-child-holds-pipe": heldPipe,
  "proc-time-setsid": ownSession,
  "proc-time-double-fork": makesMarker(({ input }) => input.argv ?? []),
  "proc-time-stdin-cat": waitingForInput,
  "proc-time-stdin-git": ({ world }) =>
    waitingForInput({ world, input: { argv: ["/usr/bin/git", "-C", world.repo, "log", "--stdin"] } }),
  "proc-ok-node-starts": addressSpaceLimit,
  "sbx-userns": async ({ input }) => assert.equal((await bash(input)).exitCode, 0),
  "sbx-inherited-fd": inheritedDescriptor,
  "sbx-readonly-git": async ({ world, input }) => {
    await bash(input, world);
    assert.deepEqual(readdirSync(`${world.root}/.git/hooks`), ["pre-commit"]);
  },
  "sbx-read-other-root": async ({ world, input }) => assert.equal((await bash(input, world)).stdout, world.secret),
};

/** Runs it, then ends whatever of it is left. */
export async function runControl(id: string, world: World, input: unknown): Promise<void> {
  try {
    await controls[id]?.({ world, input: fillIn(input, world) as Control["input"] });
  } finally {
    killAll(processesOf(world.directory));
  }
}

const plain = { PATH: "/usr/bin:/bin", HOME: "/nonexistent" };

/** Everything it starts carries the world's directory in its environment, so that it is found again. */
function marked(world: World, env: Record<string, string> = {}): Record<string, string> {
  return { ...plain, ...env, CORPUS_WORLD: world.directory };
}

function makesMarker(
  argv: (control: Control) => readonly string[],
  more: (world: World) => Record<string, string> = () => ({}),
) {
  return async (control: Control) => {
    const { world, input } = control;
    const started = bare(argv(control), { cwd: world.repo, env: marked(world, { ...input.env, ...more(world) }) });
    assert.ok(await happens(() => existsSync(world.marker), 10_000), `no marker was made: ${started.stderr()}`);
  };
}

function bash({ command = "" }: Control["input"], world?: World) {
  return ended(
    bare(["/bin/bash", "-c", command], world === undefined ? { env: plain } : { env: marked(world), cwd: world.root }),
  );
}

async function overflowingTimer(): Promise<void> {
  const warnings = process.listeners("warning");
  process.removeAllListeners("warning"); // Node says aloud that it takes 1 ms instead
  const timers: NodeJS.Timeout[] = [];
  const fired = await Promise.race([
    new Promise((resolve) => timers.push(setTimeout(resolve, 1e12 * 1000, "at once"))),
    sleep(5_000),
  ]);
  for (const listener of warnings) process.on("warning", listener);
  timers.forEach(clearTimeout);
  assert.equal(fired, "at once");
}

async function prototypeInEnvironment({ world }: Control): Promise<void> {
  const parsed = JSON.parse(`{"FOO":"bar","__proto__":{"LD_PRELOAD":"${world.out}/x.so"}}`) as Record<string, string>;
  const env = Object.assign({}, parsed);
  assert.deepEqual(Object.keys(env), ["FOO"]);
  assert.match((await ended(bare(["/usr/bin/env"], { env }))).stdout, /^LD_PRELOAD=/m);
}

async function keyWithEquals({ input }: Control): Promise<void> {
  const { stdout } = await ended(bare(["/usr/bin/env"], { env: { ...plain, ...input.env } }));
  assert.match(stdout, /^A=LD_PRELOAD=x$/m);
}

/** Node's own time limit sends one SIGTERM and leaves it at that. */
async function ignoredTerm({ world, input }: Control): Promise<void> {
  const [file = "", ...args] = input.argv ?? [];
  execFile(file, args, { timeout: 1_000, env: marked(world) }, () => undefined);
  await sleep(3_000);
  assert.notDeepEqual(processesOf(world.directory), []);
}

async function heldPipe({ world, input }: Control): Promise<void> {
  const started = bare(input.argv ?? [], { env: marked(world) });
  const seen: string[] = [];
  for (const event of ["exit", "close"]) started.child.once(event, () => seen.push(event));
  await sleep(1_500);
  assert.deepEqual([seen, started.stdout()], [["exit"], "done\n"]);
  assert.notDeepEqual(processesOf(world.directory), []);
}

/** A whole process group killed, and one that left it lives on. */
async function ownSession({ world, input }: Control): Promise<void> {
  const { pid } = bare(input.argv ?? [], { env: marked(world), detached: true });
  await sleep(1_000);
  process.kill(-pid, "SIGKILL");
  assert.ok(await happens(() => existsSync(world.marker), 5_000));
}

async function waitingForInput({ world, input }: Control): Promise<void> {
  const { child } = bare(input.argv ?? [], { env: marked(world), stdio: "pipe" });
  await sleep(1_500);
  assert.deepEqual([child.exitCode, child.signalCode], [null, null]);
}

/** With the address space bounded, as a limit on memory is often written, node does not start. */
async function addressSpaceLimit({ input }: Control): Promise<void> {
  const { exitCode } = await ended(bare(["/usr/bin/prlimit", `--as=${512 * 1024 * 1024}`, ...(input.argv ?? [])]));
  assert.notEqual(exitCode, 0);
}

/** A descriptor of the parent's parent, read in the child of a plain Node program. Output goes to a file: see the case. */
async function inheritedDescriptor({ world, input }: Control): Promise<void> {
  const path = `${world.directory}/printed`;
  const script = `
    const { spawnSync } = require("node:child_process"), { openSync } = require("node:fs");
    spawnSync("/bin/bash", ["-c", process.argv[1]], { stdio: ["ignore", openSync(process.argv[2], "w"), "ignore"], timeout: 3000 });`;
  await ended(withDescriptors(world.out, [process.execPath, "-e", script, input.command ?? "", path]));
  assert.ok(readFileSync(path, "utf8").includes(world.secret));
}
