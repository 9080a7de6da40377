// Builds the commit that a push would land: the staged files on top of the target's current state.

import { encodeCommit, type Identity, landedMessage, type Signature } from "../commit.ts";
import { objectHash } from "../../object-hash.ts";
import { type GitObject, makeObject } from "../object.ts";
import { buildTree, type BuiltTree, type FileChange } from "../tree.ts";
import { sessionOf, type StagedCommit } from "../../staged.ts";
import type { LandedFile, Landing, TargetReading } from "../../target/target.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { SessionCommits } from "./session-commits.ts";

/**
 * The id depends only on the bytes, the message, the base, the author and the time of staging. So a retried push builds the same
 * id, and finds its answer.
 */
export async function buildCommit(
  staged: StagedCommit,
  reading: TargetReading,
  commits: SessionCommits,
  author: Identity,
): Promise<Result<{ landing: Landing; tree: BuiltTree; message: string }>> {
  const { state } = reading;
  const hash = objectHash(state.format, commits.hashes);
  const blobs = new Map<string, GitObject>();
  const changes: FileChange[] = [];
  for (const { path, after } of staged.files) {
    if (after === null) {
      changes.push({ path, mode: null });
      continue;
    }
    const blob = await makeObject(hash, "blob", commits.staged.content(after.contentHash, sessionOf(staged)));
    blobs.set(blob.id, blob);
    changes.push({ path, mode: after.mode, id: blob.id, size: after.size });
  }
  const tree = await buildTree(state.baseTree, changes, { hash, source: { read: (id) => reading.readTree(id) } });
  if (!tree.ok) return tree;
  if (tree.value.id === state.baseTree)
    return fail("conflict", `${state.address} has all of this already on ${state.branch}.`, {
      hint: "Nothing is left to push: git_discard it.",
    });
  const signature = signatureAt(staged.createdAt, author);
  const message = landedMessage(staged.message, staged.agent);
  if (!message.ok) return message;
  const content = encodeCommit({
    tree: tree.value.id,
    parents: state.baseCommit === null ? [] : [state.baseCommit],
    author: signature,
    committer: signature,
    message: message.value,
  });
  if (!content.ok) return content;
  const commit = await makeObject(hash, "commit", content.value);
  const objects = [
    ...new Map([...blobs.values(), ...tree.value.objects, commit].map((object) => [object.id, object])).values(),
  ];
  const landed = tree.value.changes.map(({ path, before, after }): LandedFile => ({
    path,
    before,
    after: after === null ? null : { ...after, content: blobs.get(after.id)?.content ?? new Uint8Array() },
  }));
  const landing = { state, commit: commit.id, objects, changes: landed };
  return ok({ tree: tree.value, landing, message: message.value });
}

function signatureAt(time: number, author: Identity): Signature {
  // In UTC, so that building the commit again in another time zone gives the same id.
  return { ...author, timeS: Math.floor(time / 1000), offsetMinutes: 0 };
}
