// Reads the commits that were made in a draft, as what each of them changes.
// Invariant: out come messages, paths, modes and bytes, and nothing else of the session's repository. The gate makes new objects of
// them, so neither a hostile object nor a setting of the session reaches a person's repository.

import { revisionProblem } from "../revision.ts";
import { limits } from "../../shared/limits.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { parseWorkspacePath, type WorkspacePath } from "../../workspace/path.ts";
import type { ObjectId } from "../publish/object.ts";
import { fileMode } from "../publish/tree.ts";
import { brokenAnswer, type DraftGit, nulParts, textOrNull } from "./draft-git.ts";
import type { NamedBlob } from "./first-commit.ts";
import { type CommitChain, firstParents } from "./first-parents.ts";

export interface MadeCommit {
  readonly id: ObjectId;
  /** What `files` is compared with. */
  readonly parent: ObjectId;
  readonly message: string;
  readonly files: readonly MadeFile[];
}

/** A file before and after a commit; null if there is none. */
export interface MadeFile {
  readonly path: WorkspacePath;
  readonly before: NamedBlob | null;
  readonly after: NamedBlob | null;
}

export interface MadeSeries {
  /** Oldest first; one if they are put together. */
  readonly commits: readonly MadeCommit[];
  /** What all of them change. */
  readonly net: readonly MadeFile[];
}

export interface WantedSeries {
  /** `all`, or a range such as `HEAD~2..HEAD`. */
  readonly range: string;
  /** Puts all commits together under this message. Null for a series. */
  readonly message: string | null;
  /** Commits that have landed. `all` begins after the last of them. */
  readonly landed: readonly ObjectId[];
}

const NAME_CHARACTERS = 12;

export async function madeSeries(git: DraftGit, base: ObjectId, wanted: WantedSeries): Promise<Result<MadeSeries>> {
  const range = await resolveRange(git, base, wanted);
  if (!range.ok) return range;
  const { from, chain } = range.value;
  const tip = chain.at(-1)?.id ?? base;
  const net = await changesOf(git, [from, tip]);
  if (!net.ok) return net;
  const [whole = []] = net.value.values();
  if (wanted.message !== null)
    return ok({ commits: [{ id: tip, parent: from, message: wanted.message, files: whole }], net: whole });
  const merge = chain.find(({ parents }) => parents.length > 1);
  if (merge !== undefined)
    return fail("invalid_args", `commits: ${shortId(merge.id)} is a merge, and a series has none.`, {
      hint: "Add `message`: then all of it lands as one commit. Or rebase inside, and stage the commits again.",
    });
  // SECURITY(T29): only text, names and bytes are taken from here on. What a person sees and what lands is built from these alone.
  const messages = await messagesOf(git, from, tip);
  if (!messages.ok) return messages;
  const lines = chain.map(({ id, parents }) => `${id} ${parents[0] ?? ""}\n`);
  const changes = await changesOf(git, ["--stdin", "--always"], lines.join(""));
  if (!changes.ok) return changes;
  const commits: MadeCommit[] = [];
  for (const { id, parents } of chain) {
    const [message, files] = [messages.value.get(id), changes.value.get(id)];
    if (message === undefined || files === undefined) return brokenAnswer(`the commit ${id} is missing`);
    commits.push({ id, parent: parents[0] ?? from, message, files });
  }
  return ok({ commits, net: whole });
}

/** At least one commit. */
async function resolveRange(git: DraftGit, base: ObjectId, wanted: WantedSeries): Promise<Result<CommitChain>> {
  const [start, end] = wanted.range === "all" ? [null, "HEAD"] : splitRange(wanted.range);
  if (end === null)
    return fail("invalid_args", `commits: ${JSON.stringify(wanted.range.slice(0, 80))} is no range.`, {
      hint: '"all", or a range like "HEAD~2..HEAD". `git_status` lists the commits.',
    });
  const tip = await resolve(git, end);
  if (!tip.ok) return tip;
  if (start === null) {
    const left = await firstParents(git, base, tip.value, wanted.landed);
    if (!left.ok) return left;
    const text =
      left.value.from === base
        ? "Nothing has been committed in this session."
        : "All commits of this session have landed.";
    return atLeastOne(left.value, text);
  }
  const from = await resolve(git, start);
  if (!from.ok) return from;
  const named = await firstParents(git, base, tip.value, [from.value]);
  if (!named.ok) return named;
  if (named.value.from !== from.value)
    return fail("invalid_args", `commits: ${start} is not among the commits of this session.`, {
      hint: `The first that can be named is ${shortId(base)}, on which they are based.`,
    });
  return atLeastOne(named.value, "The range has no commits.");
}

/** `A..B` and `A..`; null if it is none. */
function splitRange(text: string): readonly [string, string | null] {
  const parts = /^([^.](?:(?!\.\.).)*)\.\.(?!\.)(.*)$/.exec(text);
  const [, start = "", end = ""] = parts ?? [];
  if (parts === null || revisionProblem(start) !== null) return ["", null];
  return [start, end === "" ? "HEAD" : revisionProblem(end) === null ? end : null];
}

function atLeastOne(range: CommitChain, otherwise: string): Result<CommitChain> {
  if (range.chain.length > 0) return ok(range);
  return fail("not_found", otherwise, {
    hint: "Commit inside with git first, or stage `files`. A range can be named.",
  });
}

async function resolve(git: DraftGit, revision: string): Promise<Result<ObjectId>> {
  const said = await git.read(["rev-parse", "--verify", "--quiet", `${revision}^{commit}`], "");
  const id = said.ok ? (textOrNull(said.value)?.trim() ?? "") : "";
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) return ok(id);
  return fail("not_found", `commits: ${JSON.stringify(revision)} names no commit of this session.`, {
    hint: "`git_status` lists the commits.",
  });
}

async function messagesOf(git: DraftGit, from: ObjectId, tip: ObjectId): Promise<Result<Map<ObjectId, string>>> {
  const words = ["log", "--first-parent", "-z", "--encoding=UTF-8", "--no-show-signature", "--format=tformat:%H%x00%B"];
  const said = await git.read([...words, `${from}..${tip}`, "--"], "");
  if (!said.ok) return said;
  const parts = nulParts(said.value);
  if (parts === null || parts.length % 2 !== 0) return brokenAnswer("the list of messages is cut off");
  const messages = new Map<ObjectId, string>();
  for (let at = 0; at < parts.length; at += 2) {
    const [id, message] = [parts[at], parts[at + 1]].map((part) => textOrNull(part ?? new Uint8Array()));
    if (id === null || message === null) return notText(id ?? "");
    if ((message ?? "").length > limits.messageBytes)
      return fail("invalid_args", `commits: the message of ${shortId(id ?? "")} is too long.`);
    messages.set(id ?? "", message ?? "");
  }
  return ok(messages);
}

function notText(id: string): Result<never> {
  return fail("invalid_args", `commits: the message of ${shortId(id)} is not UTF-8.`, {
    hint: "git commit --amend, or `message` for all of it.",
  });
}

const rawDiff = "diff-tree -r -z --raw --no-renames --no-abbrev --no-relative --no-ext-diff --no-textconv".split(" ");

/** What changes, by the id of the commit. For two commits as words, there is one entry. */
async function changesOf(
  git: DraftGit,
  words: readonly string[],
  stdin = "",
): Promise<Result<Map<ObjectId, readonly MadeFile[]>>> {
  const said = await git.read([...rawDiff, ...words], stdin);
  if (!said.ok) return said;
  const parts = nulParts(said.value);
  if (parts === null) return brokenAnswer("the list of changed files is cut off");
  const changes = new Map<ObjectId, MadeFile[]>();
  let id = "";
  let count = 0;
  if (stdin === "") changes.set(id, []);
  for (let at = 0; at < parts.length; at += 1) {
    const head = textOrNull(parts[at] as Uint8Array) ?? "";
    if (/^[0-9a-f]{40,64}$/.test(head)) {
      changes.set((id = head), []);
      continue;
    }
    const file = madeFile(head, parts[(at += 1)]);
    if (!file.ok) return file;
    changes.get(id)?.push(file.value);
    if ((count += 1) > limits.stagedFiles)
      return fail("invalid_args", `commits: they change more than ${limits.stagedFiles} files.`, {
        hint: "Name a range of fewer commits.",
      });
  }
  return ok(changes);
}

/** Everything in a commit, directories too. Names that are not UTF-8 are left out. */
export async function madeEntries(
  git: DraftGit,
  commit: ObjectId,
): Promise<Result<Map<string, { readonly mode: string; readonly id: ObjectId }>>> {
  const said = await git.read(["ls-tree", "-r", "-t", "-z", "--full-tree", commit, "--"], "");
  if (!said.ok) return said;
  const entries = new Map<string, { readonly mode: string; readonly id: ObjectId }>();
  for (const part of nulParts(said.value) ?? []) {
    const [, mode, id = "", path = ""] =
      /^([0-7]{6}) (?:blob|tree|commit) ([0-9a-f]{40}|[0-9a-f]{64})\t(.+)$/s.exec(textOrNull(part) ?? "") ?? [];
    if (mode !== undefined) entries.set(path, { mode, id });
  }
  return ok(entries);
}

function madeFile(head: string, name: Uint8Array | undefined): Result<MadeFile> {
  const id = "([0-9a-f]{40}|[0-9a-f]{64})";
  const parsed = new RegExp(`^:([0-7]{6}) ([0-7]{6}) ${id} ${id} [ADMT]$`).exec(head);
  if (parsed === null || name === undefined) return brokenAnswer("a changed file is not described as git does");
  const [, oldMode = "", newMode = "", oldId = "", newId = ""] = parsed;
  const text = textOrNull(name);
  const path = parseWorkspacePath(text ?? "");
  if (text === null || !path.ok || path.value !== text)
    return fail("invalid_args", `commits: one of them changes a file with a name that cannot land.`, {
      hint: `It is ${JSON.stringify(text ?? new TextDecoder().decode(name))}. Rename or remove it in a rebase.`,
    });
  if (oldMode === "160000" || newMode === "160000")
    return fail("invalid_args", `commits: one of them changes the submodule ${path.value}.`, {
      hint: "Submodules do not land. Leave that change out in a rebase.",
    });
  const blob = (mode: string, blobId: ObjectId): NamedBlob | null =>
    /^0+$/.test(mode) ? null : { mode: fileMode(mode), id: blobId };
  return ok({ path: path.value, before: blob(oldMode, oldId), after: blob(newMode, newId) });
}

function shortId(id: string): string {
  return id.slice(0, NAME_CHARACTERS);
}
