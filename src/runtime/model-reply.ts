// The reply as a model gets it. Some clients hand the structured reply to their model and not the text, so it is as short: a long
// output is its beginning and its end, and what says nothing is left out.

import { shortenOutput } from "../process/output.ts";
import { limits } from "../shared/limits.ts";
import type { ExecutionResult } from "../tools/programs/execution-result.ts";
import { isExecution, replyText, shortText } from "./reply-text.ts";
import type { Reply } from "./reply.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface ModelReply {
  readonly structured: Reply;
  readonly text: string;
}

/** `args`: of the call. Who names `max_output_bytes` gets as much. `elsewhere`: where the rest of a text is that is too long. */
export function modelReply(reply: Reply, args: unknown, elsewhere: string): ModelReply {
  const names = typeof args === "object" && args !== null && "max_output_bytes" in args;
  const short = names ? reply : eachExecution(reply, shortened);
  return { structured: eachExecution(short, withoutEmpty), text: shortText(replyText(short), elsewhere) };
}

/** A reply of `Shell` has one for each command. */
function eachExecution(reply: Reply, change: (result: Fields & ExecutionResult) => Fields): Reply {
  if (!reply.ok) return reply;
  const changed = (one: unknown): Fields =>
    isExecution(one as Fields) ? change(one as Fields & ExecutionResult) : (one as Fields);
  const { results } = reply.result;
  const result = Array.isArray(results) ? { ...reply.result, results: results.map(changed) } : changed(reply.result);
  return { ok: true, result };
}

function shortened(result: Fields & ExecutionResult): Fields {
  const { stdout_bytes: outBytes, stderr_bytes: errBytes } = result;
  const stdout = shortenOutput(result.stdout, outBytes, limits.modelOutputBytes);
  const stderr = shortenOutput(result.stderr, errBytes, limits.modelOutputBytes);
  const isOutCut = stdout !== result.stdout;
  const isErrCut = stderr !== result.stderr;
  if (!isOutCut && !isErrCut) return result;
  const streams = [isOutCut ? `stdout (${outBytes} bytes)` : "", isErrCut ? `stderr (${errBytes} bytes)` : ""];
  const hint = `Only the beginning and the end of ${streams.filter((one) => one !== "").join(" and ")} are here. To read the rest, let the program write it to a file of the workspace, and use read_file with start_line, or search_files.`;
  return {
    ...result,
    stdout,
    stderr,
    stdout_truncated: result.stdout_truncated || isOutCut,
    stderr_truncated: result.stderr_truncated || isErrCut,
    hint: result.hint === undefined ? hint : `${result.hint} ${hint}`,
  };
}

/** Without what is empty, false or zero, and without `enforced` where all held. What happened stays: `exit_code`, `stdout`. */
function withoutEmpty(result: Fields & ExecutionResult): Fields {
  // No kernel limits how long a program may take: the gate ends it, everywhere.
  const { wall_clock: _, ...others } = result.enforced;
  const isAllKernel = Object.values(others).every((held) => held === "kernel");
  return Object.fromEntries(
    Object.entries(result).filter(([name, value]) => {
      if (name === "exit_code" || name === "stdout") return true;
      return name === "enforced" ? !isAllKernel : !isEmpty(value);
    }),
  );
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : value === null || value === "" || value === false || value === 0;
}
