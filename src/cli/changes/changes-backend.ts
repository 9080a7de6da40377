// Opens what every `sallyport changes` needs: the backend, and the draft that is meant.

import type { Config } from "../../config/load.ts";
import type { PathFlags } from "../../config/own-command.ts";
import { type Backend, openBackend } from "../../runtime/backend.ts";
import { type DraftLook, openDraftLook } from "../../runtime/draft-look.ts";
import { findDraft } from "../../runtime/find-draft.ts";
import { draftPath, type ListedDraft } from "../../sandbox/draft-list.ts";
import type { Failure } from "../../shared/failure.ts";
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

export interface FoundDraft {
  readonly backend: Backend;
  readonly draft: ListedDraft;
  readonly directory: string;
}

/** Prints why, if there is no such draft. */
export async function withDraft(
  session: string | undefined,
  flags: ChangesFlags,
  terminal: Terminal,
  work: (found: FoundDraft) => Promise<number>,
): Promise<number> {
  const config = loadFromFlags(flags, terminal.environment);
  const { stateDirectory, project } = config;
  const found = findDraft(stateDirectory, { session, project });
  if (!found.ok) return await printRefusal(found.failure, terminal);
  const directory = draftPath(stateDirectory, found.value);
  // The draft is used as the configuration says for its own project.
  const own = loadFromFlags({ ...flags, project: found.value.project, workspace: "draft" }, terminal.environment);
  return await withBackend(own, (backend) => work({ backend, draft: found.value, directory }));
}

/** The draft is mounted while `work` runs. */
export async function withLook(
  { backend, directory }: FoundDraft,
  terminal: Terminal,
  work: (look: DraftLook) => Promise<number>,
): Promise<number> {
  const opened = await openDraftLook(backend, directory);
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
