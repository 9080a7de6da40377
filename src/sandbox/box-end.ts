// How a box ended: by its program's end, by the gate, by a signal from elsewhere, or before anything ran.

import { KilledProcess, LostProcess } from "../process/box-process.ts";
import { holderGone } from "../process/starter.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { InitReport } from "./init-program.ts";
import { noHolder } from "./keeper-program.ts";

interface End {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Distinguishes a program that exited, a program that could not be executed, and a box that was not built. */
export function readEnd(
  report: InitReport | null,
  startError: Error | null,
  wasKilled: boolean,
  program: string,
  stderr: string,
): Result<End> {
  const isCut = startError instanceof KilledProcess;
  if (startError instanceof LostProcess || (isCut && report === null && !wasKilled))
    return fail("sandbox_unavailable", `The box was ended before its time: ${startError.message}.`, {
      hint: "What it did until then stays done. Call again.",
    });
  if (startError !== null && !isCut)
    return fail("sandbox_unavailable", `The box could not be started: ${startError.message}. Nothing ran.`);
  if (report?.kind === "ended") return ok({ exitCode: report.exitCode, signal: report.signal });
  if (report?.what === "exec") return notExecutable(program, report.errno);
  if (report !== null)
    return fail("sandbox_unavailable", `The box could not set up its ${report.what} (${report.errno}). Nothing ran.`);
  if (wasKilled) return ok({ exitCode: null, signal: "SIGKILL" });
  const lastLine = stderr.trim().split("\n").at(-1) ?? "";
  if (noHolder.test(lastLine)) return { ok: false, failure: holderGone };
  const vanished = gone.exec(lastLine)?.[1];
  if (vanished !== undefined)
    return fail("changed", `${vanished} is not there any more. Nothing ran.`, {
      hint: "It was there when this call was judged. Call again, or name a directory that exists.",
    });
  return fail(
    "sandbox_unavailable",
    `The box could not be built${lastLine === "" ? "" : `: ${lastLine}`}. Nothing ran.`,
    {
      hint: "`sallyport doctor` shows what this machine lacks.",
    },
  );
}

/** What bubblewrap says of a directory that vanished between judging and starting. */
const gone = /^bwrap: Can't (?:chdir to|find source path) (\/.*): No such file or directory$/;

const execReasons: Readonly<Record<string, string>> = {
  ENOENT: "it, or the interpreter that it names, is not there in the box",
  EACCES: "it may not be executed, or its interpreter is not granted",
  ENOEXEC: "it is neither a program nor a script that begins with #!",
  E2BIG: "its arguments and environment are too long",
  ELOOP: "its path has too many links",
  ETXTBSY: "somebody has it open for writing",
};

function notExecutable(program: string, errno: string): Result<never> {
  return fail("invalid_args", `argv[0]: ${program} could not be executed: ${execReasons[errno] ?? errno}.`, {
    hint: "Name a program that the agent's fs_grants cover, together with its interpreter.",
  });
}
