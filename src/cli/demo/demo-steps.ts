// The calls of the tour: each with what it shows and how the tour explains the real reply.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Reply } from "../../runtime/reply.ts";
import type { TempDirectory } from "../../store/temp-directory.ts";
import type { ExecutionResult } from "../../tools/programs/execution-result.ts";

export interface DemoStep {
  readonly title: string;
  readonly args: { readonly argv: readonly string[]; readonly timeout_s?: number };
  /** The step runs only if the machine can limit processes. Without the limit it would affect programs outside the box. */
  readonly needsCount?: true;
  explain(reply: Reply): { readonly asExpected: boolean; readonly text: string };
}

/** The first output of the tour's agent. The last step overwrites it in the log. */
export const greeting = "Hello from inside the box";

export function fillDemoDirectory(directory: TempDirectory): void {
  directory.write("project/notes.txt", "Buy milk. Ship on Friday.\n");
  directory.write("project/.git/HEAD", "ref: refs/heads/main\n");
  directory.makeDirectory("project/.git/hooks");
  directory.write("home/.ssh/id_ed25519", "not a real key, but yours would lie here\n");
  directory.write("home/tool.sh", "#!/bin/sh\necho this must not start\n", 0o700);
  directory.makeDirectory("state");
  directory.makeDirectory("config/sallyport");
  directory.write(
    "config.yaml",
    `version: 1
agents:
  default:
    tool_grants: [Exec]
    fs_grants:
      - { path: /usr, mode: r }
      - { path: "\${project}", mode: rw }
    limits: { nproc: 64, memory_mb: 256 }
`,
  );
}

export function demoSteps(root: string, variables: number): DemoStep[] {
  const project = `${root}/project`;
  const marker = `${86_000 + (process.pid % 400)}`;
  return [
    {
      title: "A program runs, and its answer comes back in one shape.",
      args: { argv: ["/bin/echo", greeting] },
      explain: explain(
        ({ stdout }) => stdout.includes(greeting),
        ({ enforced }) => {
          const held = Object.entries(enforced).filter(([, by]) => by === "kernel");
          return `Held by the kernel for this very call: ${held.map(([name]) => name).join(", ")}.`;
        },
      ),
    },
    {
      title: "It sees what was granted: the project.",
      args: { argv: ["/bin/cat", `${project}/notes.txt`] },
      explain: explain(
        ({ exit_code }) => exit_code === 0,
        () => "The project is granted rw, /usr is granted r. That is all.",
      ),
    },
    {
      title: "It does not see your keys. Nobody forbids it: in the box, they do not exist.",
      args: { argv: ["/bin/cat", `${root}/home/.ssh/id_ed25519`] },
      explain: explain(
        ({ exit_code, stdout }) => exit_code !== 0 && stdout === "",
        () => `Outside the box the same file holds ${sizeOf(`${root}/home/.ssh/id_ed25519`)} bytes.`,
      ),
    },
    {
      title: "It does not inherit your environment, where tokens like to live.",
      args: { argv: ["/usr/bin/env"] },
      explain: explain(
        ({ stdout }) => stdout.trim().split("\n").length <= 8,
        ({ stdout }) =>
          `You have ${variables} variables here; the program got ${stdout.trim().split("\n").length}, all made for it.`,
      ),
    },
    {
      title: "It has no network, unless you grant one.",
      args: { argv: ["/bin/bash", "-c", "exec 3<>/dev/tcp/192.0.2.1/80"], timeout_s: 5 },
      explain: explain(
        ({ exit_code, timed_out }) => exit_code !== 0 && !timed_out,
        () => "There is no interface in the box that could carry a packet out.",
      ),
    },
    {
      title: "A program outside the grants is refused before anything starts, with what would make it pass.",
      args: { argv: [`${root}/home/tool.sh`] },
      explain: (reply) => ({
        asExpected: !reply.ok && reply.error === "fs_denied",
        text: "The agent can read the hint; only you can act on it.",
      }),
    },
    {
      title: "What is granted to be seen cannot be changed.",
      args: { argv: ["/usr/bin/touch", "/usr/bin/planted"] },
      explain: explain(
        ({ exit_code }) => exit_code !== 0 && !existsSync("/usr/bin/planted"),
        () => "Not even by root: the box holds no privilege over the machine.",
      ),
    },
    {
      title: "It may change the project, but not plant a git hook that you would run later.",
      args: { argv: ["/bin/bash", "-c", `echo done > made.txt && ls made.txt; echo evil > .git/hooks/pre-commit`] },
      explain: explain(
        ({ stdout, exit_code }) =>
          stdout.includes("made.txt") && exit_code !== 0 && readdirSync(`${project}/.git/hooks`).length === 0,
        () => "made.txt is on your disk, the hook is not.",
      ),
    },
    {
      title: "A fork bomb goes off inside, and stays inside.",
      args: { argv: ["/bin/bash", "-c", "bomb() { bomb | bomb & }; bomb; sleep 30"], timeout_s: 2 },
      needsCount: true,
      explain: explain(
        ({ timed_out, signal, exit_code }) => timed_out || signal !== null || exit_code !== 0,
        () => "64 processes were the most it could have. This line is printed by a machine that did not notice.",
      ),
    },
    {
      title: "A program that ignores SIGTERM, with children that fled into sessions of their own, ends on time.",
      args: {
        argv: ["/bin/bash", "-c", `trap "" TERM; setsid sleep ${marker} & setsid sleep ${marker} & sleep ${marker}`],
        timeout_s: 1,
      },
      explain: explain(
        ({ timed_out }) => timed_out && aliveWith(marker) === 0,
        () => `SIGTERM, one second of grace, SIGKILL for all of them. Still alive of it: ${aliveWith(marker)}.`,
      ),
    },
  ];
}

function explain(
  isRight: (result: ExecutionResult) => boolean,
  text: (result: ExecutionResult) => string,
): DemoStep["explain"] {
  return (reply) => {
    if (!reply.ok) return { asExpected: false, text: "This call should have run." };
    const result = reply.result as ExecutionResult;
    return { asExpected: isRight(result), text: text(result) };
  };
}

function sizeOf(path: string): number {
  return readFileSync(path).length;
}

/** Counts the processes of this machine that sleep for this number of seconds. */
function aliveWith(marker: string): number {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8") === `sleep\0${marker}\0`;
    } catch {
      return false; // the process ended in the meantime
    }
  }).length;
}
