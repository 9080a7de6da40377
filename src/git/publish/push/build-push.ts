// Builds the commits that a push would land, on top of the target's current state: one commit of staged files, or a series of commits that
// were made in a draft.

import { encodeCommit, type Identity, landedMessage, type Signature } from "../commit.ts";
import { objectHash } from "../../object-hash.ts";
import { type GitObject, makeObject } from "../object.ts";
import type { BuiltTree, TreeFileChange } from "../tree.ts";
import { type FileState, sessionOf, type StagedCommit, type StagedFile, type StagedStep } from "../../staged.ts";
import type { LandedFile, LandedStep, Landing, TargetReading } from "../../target/target.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { WorkspacePath } from "../../../workspace/path.ts";
import { type ChangedFile, OntoTree } from "./onto-tree.ts";
import type { PickConflict } from "./follow-moves.ts";
import { pickCommit, type PickSource } from "./pick-commit.ts";
import type { SessionCommits } from "./session-commits.ts";
import type { ConflictFile } from "./shown-conflict.ts";

export interface BuiltPush {
  readonly landing: Landing;
  /** The messages of the commits, as they land. */
  readonly messages: readonly string[];
  /** Commits of the series that change nothing in the target, because it has their changes already. */
  readonly dropped: number;
  /** Files that land where the target has moved them. */
  readonly followed: readonly FollowedFile[];
}

/** `path` is the agent's name for what lands as `at`. */
export interface FollowedFile {
  readonly path: string;
  readonly at: string;
}

interface Building {
  readonly onto: OntoTree;
  readonly commits: GitObject[];
  readonly steps: LandedStep[];
  readonly messages: string[];
  readonly followed: Map<string, FollowedFile>;
  dropped: number;
}

/**
 * The ids depend only on the bytes, the messages, the base, the author and the time of staging. So a retried push builds the same
 * ids, and finds its answer.
 */
export async function buildPush(
  staged: StagedCommit,
  reading: TargetReading,
  commits: SessionCommits,
  author: Identity,
): Promise<Result<BuiltPush>> {
  const { state } = reading;
  const hash = objectHash(state.format, commits.hashes);
  const onto = new OntoTree(reading, hash);
  const building: Building = { onto, commits: [], steps: [], messages: [], followed: new Map(), dropped: 0 };
  const content = ({ contentHash }: FileState) => commits.staged.content(contentHash, sessionOf(staged));
  for (const step of staged.series ?? [{ id: null, message: staged.message, files: staged.files }]) {
    const changes =
      step.id === null
        ? ok(replacing(step.files, content))
        : await picked(step, building.followed, { onto, hash, content, ...movesOf(step, commits) }, commits);
    if (!changes.ok) return changes;
    const isDropped = changes.value.length === 0 && step.files.length > 0;
    if (isDropped) building.dropped += 1;
    else {
      const added = await addCommit(building, step.message, changes.value, { staged, state, author, hash });
      if (!added.ok) return added;
    }
  }
  const { steps, messages, dropped, followed } = building;
  const tip = steps.at(-1);
  if (tip === undefined || (staged.series === undefined && onto.tree === state.baseTree))
    return fail("conflict", `${state.address} has all of this already on ${state.branch}.`, {
      hint: "Nothing is left to push: git_discard it.",
    });
  const objects = [...new Map([...onto.objects, ...building.commits].map((object) => [object.id, object])).values()];
  return ok({
    landing: { state, commit: tip.commit, objects, steps, changes: netChanges(steps) },
    messages,
    dropped,
    followed: [...followed.values()],
  });
}

/** The staged files as they are, whatever the target has. */
function replacing(files: readonly StagedFile[], content: (state: FileState) => Uint8Array): ChangedFile[] {
  return files.map(({ path, after }) => ({
    path,
    after: after === null ? null : { mode: after.mode, bytes: content(after) },
  }));
}

async function picked(
  { id, message, files }: StagedStep,
  all: Map<string, FollowedFile>,
  context: PickSource,
  { onConflict }: SessionCommits,
): Promise<Result<readonly ChangedFile[]>> {
  const shown: ConflictFile[] = [];
  const { changes, conflicts, followed } = await pickCommit(files, {
    ...context,
    onConflict: onConflict === null ? null : (file) => shown.push(file),
  });
  for (const { path, at } of followed) all.set(path, { path, at });
  if (conflicts.length === 0) return ok(changes);
  const [subject = ""] = message.split("\n", 1);
  const commit = `commit ${id.slice(0, 12)} (${subject.slice(0, 80)})`;
  // SECURITY(T46): the target's text goes to the person, and not into the Failure.
  onConflict?.({ commit, files: shown.slice(0, NAMED) });
  return conflictsWith(commit, conflicts, onConflict === null ? hints.agent : hints.person);
}

/** What is needed to follow moves of the target. SECURITY(T46): a name that is hidden from the agent is none that a file moved to. */
function movesOf({ parent }: StagedStep, { base, below = "", mayChange }: SessionCommits) {
  const start = below === "" ? 0 : below.length + 1;
  return {
    below,
    mayChange: (path: string) =>
      (start === 0 || path.startsWith(`${below}/`)) && mayChange(path.slice(start) as WorkspacePath),
    async made() {
      const tree = parent === undefined ? null : await base.madeTree(parent);
      return tree?.ok === true ? tree.value : null;
    },
  };
}

const NAMED = 10;

const uncommitted = "If it is the person who has changed these files and not committed that, it fits once they have.";
const hints = {
  agent: `Nothing was changed. git_pull {} brings in what the project has now, and names the conflict there. ${uncommitted} Or stage \`files\`, which replace what the target has.`,
  person:
    "Nothing was changed. Land it in your files, which get conflict marks, and commit it yourself; or let the agent call git_pull, which brings the conflict to it.",
};

function conflictsWith(commit: string, conflicts: readonly PickConflict[], hint: string): Result<never> {
  const named = conflicts.slice(0, NAMED).map(({ path, reason }) => `${path}: ${reason}`);
  const more = conflicts.length > NAMED ? [`and ${conflicts.length - NAMED} more files`] : [];
  return fail("conflict", `The ${commit} does not fit what the target has now: ${[...named, ...more].join("; ")}.`, {
    hint,
  });
}

interface CommitPlace {
  readonly staged: StagedCommit;
  readonly state: TargetReading["state"];
  readonly author: Identity;
  readonly hash: ReturnType<typeof objectHash>;
}

async function addCommit(
  { onto, commits, steps, messages }: Building,
  text: string,
  changes: readonly ChangedFile[],
  { staged, state, author, hash }: CommitPlace,
): Promise<Result<undefined>> {
  const built = await onto.apply(changes);
  if (!built.ok) return built;
  const signature = signatureAt(staged.createdAt, author);
  const message = landedMessage(text, staged.agent);
  if (!message.ok) return message;
  const parent = steps.at(-1)?.commit ?? state.baseCommit;
  const encoded = encodeCommit({
    tree: built.value.id,
    parents: parent === null ? [] : [parent],
    author: signature,
    committer: signature,
    message: message.value,
  });
  if (!encoded.ok) return encoded;
  const commit = await makeObject(hash, "commit", encoded.value);
  commits.push(commit);
  messages.push(message.value);
  steps.push({ commit: commit.id, changes: landedFiles(built.value, changes) });
  return ok(undefined);
}

function landedFiles({ changes }: BuiltTree, files: readonly ChangedFile[]): LandedFile[] {
  const nothing = new Uint8Array();
  return changes.map(({ path, before, after }: TreeFileChange, index) => ({
    path,
    before,
    after: after === null ? null : { ...after, content: files[index]?.after?.bytes ?? nothing },
  }));
}

/** What all commits together change. */
function netChanges(steps: readonly LandedStep[]): readonly LandedFile[] {
  if (steps.length === 1) return steps[0]?.changes ?? [];
  const net = new Map<string, LandedFile>();
  for (const { changes } of steps)
    for (const change of changes) {
      const first = net.get(change.path);
      net.set(change.path, first === undefined ? change : { ...change, before: first.before });
    }
  return [...net.values()].filter(({ before, after }) => before?.id !== after?.id || before?.mode !== after?.mode);
}

function signatureAt(time: number, author: Identity): Signature {
  // In UTC, so that building the commit again in another time zone gives the same id.
  return { ...author, timeS: Math.floor(time / 1000), offsetMinutes: 0 };
}
