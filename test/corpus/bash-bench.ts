// A script's case on the bench: its arguments, its grants, and three ways to run it. Through the gate, as an agent calls;
// by hand, where nobody reads the script and any program of the machine is granted unasked; and bare, without us.

import { type CorpusCase } from "./cases.ts";
import {
  type Approver,
  createGate,
  createRegistry,
  type Gate,
  registerBashTool,
  registerPythonTool,
  type Reply,
} from "../../src/index.ts";
import { baseEnvironment } from "../../src/process/environment.ts";
import { bare, ended, type Ended } from "./bare.ts";
import { configOf, type Grants, runnerOf } from "./bench.ts";
import { configHome, fillIn, type World } from "./world.ts";

export interface ScriptCase {
  readonly tool: "Bash" | "Python";
  readonly text: string;
  readonly cwd: string;
  readonly timeoutS: number;
}

/** Python cases name no directory; theirs is the repository, where the files that they open are. */
export function scriptOf({ id, tool, input }: CorpusCase, world: World): ScriptCase {
  const filled = fillIn(input, world) as { command?: string; code?: string; cwd?: string; timeout_s?: number };
  const timeoutS = filled.timeout_s ?? (isEndless.has(id) ? 2 : 20);
  const place = { cwd: filled.cwd ?? world.repo, timeoutS };
  if (tool === "python") return { tool: "Python", text: filled.code ?? "", ...place };
  return { tool: "Bash", text: (rewritten[id] ?? ((text) => text))(filled.command ?? "", world), ...place };
}

/** It goes on until it is ended. */
const isEndless: ReadonlySet<string> = new Set(["bash-int-tail-f", "py-atexit"]);

/** Where the corpus names a place that stands for another. */
const rewritten: Readonly<Record<string, (text: string, world: World) => string>> = {
  // The runtime's own policy is not in a project.
  "bash-prot-own-config": (text) => text.replace(".ourtool/policy.json", `${configHome}/sallyport/config.yaml`),
  // Cases run side by side, and all have one /tmp where nobody holds them back.
  "bash-out-tmp": (text, world) => text.replace("PWNED", markOf(world)),
  "bash-out-dotdot": (text) => text.replace("../../out", "../out"),
  // There is an `x` in this root.
  "bash-net-git-clone": (text) => `${text} cloned`,
  // Names with blanks in them are not for xargs.
  "bash-ok-xargs": (text) => text.replace("git ls-files", "git ls-files src"),
};

/** A name that is this world's alone. */
export function markOf(world: World): string {
  return `PWNED-${world.directory.split("/").at(-1)}`;
}

/** Where one waits to see whether somebody comes. */
export function onPort(text: string, port: number): string {
  return text
    .replaceAll(/127\.0\.0\.1:9\b/g, `127.0.0.1:${port}`)
    .replace(/\b127\.0\.0\.1 9\b/, `127.0.0.1 ${port}`)
    .replace("'127.0.0.1',9", `'127.0.0.1',${port}`);
}

function scriptGrants({ root, repo }: World, mode: "r" | "rw" = "rw"): Grants {
  return {
    tools: ["Bash", "Python"],
    paths: [
      { path: "/usr", mode: "r" },
      { path: root, mode },
      { path: repo, mode },
    ],
  };
}

/** With what is refused by default refused, which is not how the other cases' gates are. */
export function openScriptGate(
  world: World,
  session: string,
  policy: object = {},
  mode: "r" | "rw" = "rw",
  approvers: readonly Approver[] = [],
): Gate {
  const registry = createRegistry();
  registerBashTool(registry);
  registerPythonTool(registry);
  return createGate({
    approvers,
    registry,
    statePath: world.state,
    project: world.root,
    session,
    configText: configOf(scriptGrants(world, mode), { policy }),
  });
}

export function argsOf({ tool, text, cwd, timeoutS }: ScriptCase): Record<string, unknown> {
  return { [tool === "Bash" ? "script" : "code"]: text, cwd, timeout_s: timeoutS };
}

const program = {
  Bash: ["/bin/bash", "--noprofile", "--norc", "-c"],
  Python: ["/usr/bin/python3", "-I", "-c"],
} as const;

export function byHand(gate: Gate, { tool, text, cwd, timeoutS }: ScriptCase): Promise<Reply> {
  return runnerOf(gate, "hand")({ argv: [...program[tool], text], cwd, timeout_s: timeoutS });
}

/** None of us around it. What it starts carries the world's directory; its home is the place outside. */
export function withoutUs(world: World, { tool, text, cwd }: ScriptCase): Promise<Ended> {
  const env = { ...baseEnvironment(), HOME: world.out, GIT_CONFIG_NOSYSTEM: "1", CORPUS_WORLD: world.directory };
  return ended(bare([...program[tool], text], { cwd, env }));
}
