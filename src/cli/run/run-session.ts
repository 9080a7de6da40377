// The session of a `sallyport run`: the one that is named, or one of its own for this run.

import { basename } from "node:path";
import type { Config } from "../../config/load.ts";
import { isSessionTouched, listSessions, sessionUse } from "../../runtime/listed-session.ts";

/** The program's name; with a number after it if a session of that name has work which has not landed, or is in use. */
export function sessionForProgram(program: string, agent: string, { stateDirectory, project }: Config): string {
  const readable = basename(program).replace(/[^\w.-]+/g, "-");
  const base = /^\w/.test(readable) ? readable.slice(0, 40) : "run";
  const taken = new Set(
    listSessions(stateDirectory)
      .filter((one) => one.agent === agent && (one.project === null || one.project === project))
      .filter((one) => isSessionTouched(stateDirectory, one) || sessionUse(stateDirectory, one) !== null)
      .map(({ session }) => session),
  );
  let name = base;
  for (let count = 2; taken.has(name); count += 1) name = `${base}-${count}`;
  return name;
}
