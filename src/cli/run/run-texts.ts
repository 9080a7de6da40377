// What `sallyport run` prints before its program and after it.

import { describeWorkspaceOfRun } from "../../config/workspace-config.ts";
import type { Backend } from "../../runtime/backend.ts";
import type { Gate } from "../../runtime/session-gate.ts";
import { listSessions } from "../../runtime/listed-session.ts";
import { changesOf } from "../../runtime/session-changes.ts";
import { displayText } from "../../shared/display.ts";
import type { Terminal } from "../terminal/terminal.ts";

export async function printBeginning(
  gate: Gate,
  notes: readonly string[],
  where: string,
  { err }: Terminal,
): Promise<void> {
  const say = (text: string) => err.line(err.paint(`sallyport: ${text}`, "dim"));
  for (const note of gate.config.notes) await say(displayText(note));
  await say(`session ${displayText(gate.session)}: ${describeWorkspaceOfRun(gate.config.workspace)}`);
  for (const note of notes) await say(displayText(note));
  await say(`questions and changes: ${where}`);
}

export async function printEnd(gate: Gate, backend: Backend, { err }: Terminal): Promise<void> {
  const { config, session, agent } = gate;
  const say = (text: string) => err.line(`${err.paint("sallyport:", "dim")} ${text}`);
  const listed = listSessions(config.stateDirectory).find(
    (one) => one.session === session && one.agent === agent && (one.project === null || one.project === config.project),
  );
  const changes = listed === undefined ? null : await changesOf(backend, listed);
  if (changes === null) return await say(`session ${displayText(session)} has changed nothing that has not landed.`);
  const counted = (count: number | null, what: string) => `${count ?? "?"} ${what}${count === 1 ? "" : "s"}`;
  const { files, commits, problem } = changes;
  if (problem !== null) return await say(`session ${displayText(session)} cannot be read: ${displayText(problem)}`);
  await say(`session ${displayText(session)} has changed ${counted(files, "file")}, in ${counted(commits, "commit")}:`);
  const own = backend.command;
  await err.line(`  ${own("changes", "diff", session)}    what is different`);
  await err.line(`  ${own("changes", "land", session)}    bring it into the project`);
  await err.line(`  ${own("run", "--session", session, "--", "bash")}    go on in it`);
}
