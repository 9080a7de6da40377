// Opens what every `sallyport changes` needs: the backend, and the session that is meant.

import type { Config } from "../../config/load.ts";
import type { PathFlags } from "../../config/own-command.ts";
import { type Backend, openBackend } from "../../runtime/backend.ts";
import { openDraftLook } from "../../runtime/draft-look.ts";
import { findSession } from "../../runtime/find-session.ts";
import type { ListedSession } from "../../runtime/listed-session.ts";
import type { HerePlace } from "../../runtime/plan-here.ts";
import type { SessionLook } from "../../runtime/look-session.ts";
import { openSessionLook } from "../../runtime/session-look.ts";
import { draftPath } from "../../sandbox/draft-list.ts";
import { type Failure, failure } from "../../shared/failure.ts";
import { displayText } from "../../shared/display.ts";
import type { Result } from "../../shared/result.ts";
import { exitCode } from "../exit-code.ts";
import { loadFromFlags } from "../open-gate.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface ChangesFlags extends PathFlags {
  readonly json?: boolean;
}

/** Opening the backend creates the record, so `work` is not called if there is nothing to work on. */
export async function withBackend(config: Config, work: (backend: Backend) => Promise<number>): Promise<number> {
  const backend = openBackend(config);
  try {
    return await work(backend);
  } finally {
    await backend.close();
  }
}

export interface FoundSession {
  readonly backend: Backend;
  readonly listed: ListedSession;
}

/** Prints why, if there is no such session. */
export async function withSession(
  session: string | undefined,
  flags: ChangesFlags,
  terminal: Terminal,
  work: (found: FoundSession) => Promise<number>,
): Promise<number> {
  const config = loadFromFlags(flags, terminal.environment);
  const { stateDirectory, project } = config;
  const found = findSession(stateDirectory, { session, project });
  if (!found.ok) return await printRefusal(found.failure, terminal);
  const listed = found.value;
  // It is used as the configuration says for its own project.
  const own =
    listed.project === null
      ? { ...flags, workspace: "memory" }
      : { ...flags, project: listed.project, workspace: "draft" };
  return await withBackend(loadFromFlags(own, terminal.environment), (backend) => work({ backend, listed }));
}

/** The workspace is open while `work` runs. */
export async function withLook(
  { backend, listed }: FoundSession,
  terminal: Terminal,
  work: (look: SessionLook) => Promise<number>,
): Promise<number> {
  return await whileOpen(await openSessionLook(backend, listed), terminal, work);
}

/** The same for what only a draft has. */
export async function withDraft(
  { backend, listed }: FoundSession,
  terminal: Terminal,
  work: (draft: HerePlace) => Promise<number>,
): Promise<number> {
  if (listed.project === null)
    return await printRefusal(
      failure(
        "invalid_args",
        "The workspace of this session is in memory: it has no project and no commits of its own.",
        {
          hint: "`changes land --branch B` and `changes export --patch FILE` work for it.",
        },
      ),
      terminal,
    );
  const directory = draftPath(backend.config.stateDirectory, listed);
  return await whileOpen(await openDraftLook(backend, directory), terminal, (look) => work({ look, directory }));
}

async function whileOpen<Look extends SessionLook>(
  opened: Result<Look>,
  terminal: Terminal,
  work: (look: Look) => Promise<number>,
): Promise<number> {
  if (!opened.ok) return await printRefusal(opened.failure, terminal);
  try {
    return await work(opened.value);
  } finally {
    opened.value.close();
  }
}

export async function printRefusal(failure: Failure, { err }: Terminal): Promise<number> {
  await err.line(`${err.paint("sallyport:", "red")} ${displayText(failure.message)}`);
  for (const reason of failure.because ?? []) await err.line(`  ${displayText(reason)}`);
  if (failure.hint !== undefined) await err.line(`hint: ${displayText(failure.hint)}`);
  return exitCode.refused;
}

/** The value; null after the refusal was printed. */
export async function valueOrRefusal<T>(result: Result<T>, terminal: Terminal): Promise<T | null> {
  if (result.ok) return result.value;
  await printRefusal(result.failure, terminal);
  return null;
}
