// Adds advice to a script's result: that the network was open, and, after a failure, what the box kept from the program and how to ask
// for it. No decision depends on it.

import type { Effect } from "../../action/effect.ts";
import { type Capability, fsGrantFor } from "../../policy/capability.ts";
import { isBoxPath } from "../../policy/box-paths.ts";
import type { ExecutionResult } from "./execution-result.ts";

interface AfterRun {
  readonly isOnline: boolean;
  /** The effects that the gate read from the script before the run. */
  readonly effects: readonly Effect[];
  readonly capability: Capability;
}

const ONLINE = "The whole network of this machine was open to this call, not one host of it.";

export function withAdvice(result: ExecutionResult, run: AfterRun): ExecutionResult {
  const hint = hintAfter(result, run);
  return { ...result, ...(run.isOnline ? { notes: [ONLINE] } : {}), ...(hint === null ? {} : { hint }) };
}

/** Characters from the end of each stream, because programs print errors last. */
const SEARCHED_CHARACTERS = 16_384;

const unreachable =
  /could not resolve|name resolution|name or service not known|network is unreachable|failed to connect|couldn't connect|connection refused|\bENETUNREACH\b|\bEAI_AGAIN\b|\bENOTFOUND\b/i;
const readOnly = /read-only file system|EROFS/i;

function hintAfter(
  { exit_code, timed_out, stderr, stdout }: ExecutionResult,
  { isOnline, effects, capability }: AfterRun,
): string | null {
  if (exit_code === 0 || timed_out) return null;
  const said = `${stderr.slice(-SEARCHED_CHARACTERS)}\n${stdout.slice(-SEARCHED_CHARACTERS)}`;
  const wrong = said.split("\n").find((line) => readOnly.test(line));
  if (wrong !== undefined && /\.git\b/.test(wrong))
    return "What lies in a .git outside of the workspace is read-only: stage files with git_stage and send them with git_push.";
  if (wrong !== undefined)
    return 'Only /workspace, /tmp and what is granted rw can be changed. Write there; or name the path in "needs": {"write": [...]}, and a person is asked.';
  if (!isOnline && (effects.some(({ kind }) => kind === "network") || unreachable.test(said)))
    return 'There is no network in the box. If it cannot do without: "needs": {"network": true}, and a person is asked for the whole network of this machine.';
  const missing = missingPath(said, capability);
  return missing === null
    ? null
    : `${missing} is not in the box: only granted paths are. If it is on this machine, name it in "needs": {"read": [...]}, and a person is asked.`;
}

/** An absolute path that the program did not find and that no grant covers. */
function missingPath(said: string, capability: Capability): string | null {
  const found = said.matchAll(
    /(?<![\w.@%+=,/-])(\/[\w.@%+=,/-]+)['"’]?: (?:No such file or directory|not found)|No such file or directory: '(\/[^'\n]+)'/g,
  );
  for (const [, before, after] of found) {
    const path = before ?? after ?? "";
    if (!path.startsWith("/dev/") && !isBoxPath(path, capability) && fsGrantFor(capability, path, "r") === undefined)
      return path;
  }
  return null;
}
