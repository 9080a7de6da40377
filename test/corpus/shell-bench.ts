// A shell case on the bench: its arguments, its grants, and the same string given to a real shell, which is what controls
// run and what ordinary use is compared with.

import type { ExecutionResult, FailureSlug } from "../../src/index.ts";
import { baseEnvironment } from "../../src/process/environment.ts";
import { bare, ended, type Ended } from "./bare.ts";
import type { Grants } from "./bench.ts";
import type { CorpusCase } from "./cases.ts";
import { evilDirectory } from "./shell-situations.ts";
import { fillIn, type World } from "./world.ts";

export interface ShellArgs {
  readonly command: string | readonly string[];
  readonly work_dir?: string;
  readonly ignore_errors?: boolean;
}

export type ShellEntry = ExecutionResult & {
  readonly command: string;
  readonly argv: readonly string[];
  readonly error?: FailureSlug;
};

export interface ShellResult {
  readonly success: boolean;
  readonly results: readonly ShellEntry[];
}

export function shellGrants({ root, repo }: World): Grants {
  return {
    tools: ["Exec", "Shell"],
    paths: [
      { path: "/usr", mode: "r" },
      { path: root, mode: "rw" },
      { path: repo, mode: "rw" },
    ],
  };
}

export function shellArgs({ id, input }: CorpusCase, world: World): ShellArgs {
  const args = fillIn(input, world) as ShellArgs;
  if (typeof args.command !== "string") return args;
  const command = args.command.replaceAll("/tmp/evil", evilDirectory(world));
  // The corpus says "expand to 200 kB".
  return { ...args, command: id === "shell-parse-very-long" ? `ls${" a".repeat(100_000)}` : command };
}

/** The string as a real shell takes it, with none of us around. What it starts carries the world's directory. */
export function runInShell(world: World, args: ShellArgs, shell: readonly string[] = ["/bin/sh"]): Promise<Ended> {
  const command = typeof args.command === "string" ? args.command : args.command.join("\n");
  const plain = baseEnvironment();
  return ended(
    bare([...shell, "-c", command], {
      cwd: args.work_dir ?? world.root,
      env: {
        ...plain,
        HOME: "/nonexistent",
        PATH: `${plain["PATH"]}:${evilDirectory(world)}`,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_OPTIONAL_LOCKS: "0",
        CORPUS_WORLD: world.directory,
      },
    }),
  );
}
