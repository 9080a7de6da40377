// Makes the command lines that messages tell a person to type: they start this installation with the same store, configuration and
// project as the current process.

import { resolve } from "node:path";
import { displayCommand } from "../shared/display.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import type { Environment } from "./environment.ts";
import { findConfigPaths } from "./config-paths.ts";
import { serverStart, type StartContext } from "./server-command.ts";

/** The flags as typed, or as they would have to be typed. */
export interface PathFlags {
  readonly state?: string | undefined;
  readonly config?: string | undefined;
  readonly project?: string | undefined;
}

const all = ["state", "config", "project"] as const;

/** The flags that each command needs. A command that is not listed takes none. */
const needed: Readonly<Record<string, readonly (keyof PathFlags)[]>> = {
  run: all,
  review: ["state"],
  changes: all,
  audit: ["state"],
  demo: ["state"],
  init: ["config"],
  doctor: all,
  policy: all,
  exec: all,
  call: all,
  serve: all,
  mcp: all,
};

export function ownCommand(environment: Environment, flags: PathFlags, start: Partial<StartContext> = {}): OwnCommand {
  let program: readonly string[] | undefined;
  return (...words) => {
    program ??= programWords({ environment, project: null, ...start });
    return displayCommand([...program, ...withPathFlags(words, flags)]);
  };
}

/** Placed before the arguments of a program. */
export function withPathFlags(words: readonly string[], flags: PathFlags): string[] {
  if (words.includes("--help")) return [...words];
  const command = words.find((word) => Object.hasOwn(needed, word)) ?? "";
  const pathWords = (needed[command] ?? []).flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [`--${name}`, resolve(value)];
  });
  const cut = words.includes("--") ? words.indexOf("--") : words.length;
  return [...words.slice(0, cut), ...pathWords, ...words.slice(cut)];
}

/** For a person in another terminal: names every path that is not the default. */
export function flagsTo(
  config: { readonly stateDirectory: string; readonly file: string | null; readonly project: string },
  environment: Environment,
): PathFlags {
  const { SALLYPORT_STATE: _state, SALLYPORT_CONFIG: _config, ...custom } = environment;
  const found = findConfigPaths({ environment: custom });
  const usual = found.ok ? found.paths : null;
  const { stateDirectory, file, project } = config;
  return {
    ...(stateDirectory === usual?.stateDirectory.real ? {} : { state: stateDirectory }),
    ...(file === null || file === usual?.configFile ? {} : { config: file }),
    project,
  };
}

function programWords(context: StartContext): string[] {
  const { command, args } = serverStart(context);
  return [command, ...args.slice(0, -1)];
}
