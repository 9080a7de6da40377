// HOME of programs that `sallyport run` starts. It is kept for a project, an agent and a client, in STATE/homes, and outlives each draft:
// a login and a memory made inside are there in the next session, too. DRAFT/kept names the one that the programs of a draft have.
// Invariant: only boxes read it. What is in it was written by programs.

import { appendFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { makeDirectories } from "../process/make-directories.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { parentPath } from "../shared/path.ts";

export interface KeptHome {
  /** The name of its directory. */
  readonly name: string;
  /** Whether a known agent has it in each session. Other programs have the one that their session has already. */
  readonly isOfClient: boolean;
}

const NAME_BYTES = 256;
/** More than any bound. */
const UNCOUNTED = 1e15;

/** The parts of a draft that `keeper measure` counts. Only `home` has something in it. */
const parts = ["home", "upper", "git"];

/** Where HOME of the draft's programs is on the disk. `wanted` is null for programs that `run` did not start. */
export function homeOfDraft(draft: string, wanted: KeptHome | null): string {
  const before = keptName(draft);
  const name = wanted === null || (before !== null && !wanted.isOfClient) ? before : wanted.name;
  if (name === null) return `${draft}/home`;
  const kept = keptDirectory(draft, name);
  for (const part of parts) makeDirectories(`${kept}/${part}`, 0o700);
  if (name !== before) {
    // Nobody has counted what is in there already: the next call does.
    if (readdirSync(`${kept}/home`).length > 0) appendFileSync(`${draft}/used`, `${UNCOUNTED}\n`, { mode: 0o600 });
    noteName(draft, name);
  }
  return `${kept}/home`;
}

/** What counts against the draft's bound beside itself. Null if its HOME is its own. */
export function keptBeside(draft: string): string | null {
  const name = keptName(draft);
  return name === null ? null : keptDirectory(draft, name);
}

function keptName(draft: string): string | null {
  return readPlainFile(`${draft}/kept`, NAME_BYTES)?.toString("utf8") ?? null;
}

/** Two terminals of a session may write it at once. */
function noteName(draft: string, name: string): void {
  const next = `${draft}/kept.${process.pid}`;
  writeFileSync(next, name, { mode: 0o600 });
  renameSync(next, `${draft}/kept`);
}

/** A draft lies in STATE/drafts. */
function keptDirectory(draft: string, name: string): string {
  return `${parentPath(parentPath(draft))}/homes/${name}`;
}
