// The whole diff of a session for a person, with the warnings that the review of a push has.

import type { DiffFile } from "../action/diff-file.ts";
import { diffFilesInTurns, type DiffOptions, type FilePair, type FileSide } from "../git/publish/diff.ts";
import { pushWarnings } from "../git/publish/warnings/push-warnings.ts";
import { contentHash } from "../git/staged.ts";
import { createEventLoopYield } from "../store/event-loop-yield.ts";
import { ok, type Result } from "../shared/result.ts";
import { nodeMachine } from "./node-machine.ts";
import type { SessionLook } from "./look-session.ts";

export interface SessionDiff {
  readonly diff: readonly DiffFile[];
  /** What a person should look at, a line for each kind. */
  readonly warnings: readonly string[];
  /** Null if the file is too large to be read. */
  readonly bytesAfter: (file: DiffFile) => Uint8Array | null;
}

export async function sessionDiff(look: SessionLook, paths: readonly string[]): Promise<Result<SessionDiff>> {
  const found = await look.pairs(paths);
  return found.ok ? ok(await shownDiff(found.value.pairs)) : found;
}

export async function shownDiff(pairs: readonly FilePair[], options: DiffOptions = {}): Promise<SessionDiff> {
  const diff = await diffFilesInTurns(pairs, createEventLoopYield(), options);
  const files = pairs.map(({ path, before }) => ({ path, before: before === null ? null : knownBefore(before) }));
  const { lines, warned } = pushWarnings({ files }, [{ pairs, diff }], nodeMachine.hashes);
  const shown = diff.map((file) => {
    const warning = warned.get(file.path);
    return warning === undefined ? file : { ...file, warned: warning };
  });
  return { diff: shown, warnings: lines, bytesAfter: bytesOf(pairs) };
}

function knownBefore({ content }: FileSide): { contentHash: string; size: number } {
  return { contentHash: contentHash(nodeMachine.hashes, content), size: content.length };
}

/** What the pairs are, by content. Two looks with the same digest have shown the same. */
export function changesDigest(pairs: readonly FilePair[]): string {
  const side = (one: FileSide | null) => (one === null ? null : [one.mode, one.id]);
  const facts = pairs.map(({ path, before, after }) => [path, side(before), side(after)]);
  return nodeMachine.hashes.hex("sha256", JSON.stringify(facts));
}

/** The new bytes of a file, for parts that are too large to be in the diff. */
function bytesOf(pairs: readonly FilePair[]): SessionDiff["bytesAfter"] {
  const read = pairs.filter(({ after }) => after?.unreadBytes === undefined);
  const contents = new Map(read.map(({ path, after }) => [path, after?.content]));
  return ({ path }) => contents.get(path) ?? null;
}
