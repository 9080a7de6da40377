// The files that a pull moves in a draft, and those of them that another call has written meanwhile.
// Invariant: a file counts as written by another call unless it is what the pull had there before, what it puts there, a beginning of that,
// or nothing. A git that was killed leaves one of these.

import { lstatSync, readlinkSync } from "node:fs";
import { brokenAnswer, nulParts, textOrNull } from "../git/draft/draft-git.ts";
import { blobId } from "../git/object-hash.ts";
import { DirectoryHandle, openDirectory } from "../process/directory-handle.ts";
import { nodeHashes } from "../process/node-hashes.ts";
import { readPlainFile } from "../process/plain-file.ts";
import type { PullPlan } from "../sandbox/draft-pull.ts";
import { ok, type Result } from "../shared/result.ts";
import { type PullGit, readId } from "./pull-git.ts";

export interface MovedFile {
  readonly path: string;
  /** Ids of the contents; null if there is no file. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Git has no larger file in a draft. */
const FILE_BYTES = 1 << 30;
/** Stands for what only another call can have made. */
const UNREADABLE = Buffer.from("\0");

export async function movedFiles(git: PullGit, { work, newWork }: PullPlan): Promise<Result<MovedFile[]>> {
  const said = await git.outside(["diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", "--raw", work, newWork]);
  if (!said.ok) return said;
  const parts = nulParts(said.value);
  if (parts === null || parts.length % 2 !== 0) return brokenAnswer("the list of changed files is cut off");
  const files: MovedFile[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const fields = textOrNull(parts[at] as Uint8Array) ?? "";
    const [, before, after] = /^:[0-7]{6} [0-7]{6} ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [AMDT]$/.exec(fields) ?? [];
    const path = textOrNull(parts[at + 1] as Uint8Array);
    if (before === undefined || after === undefined) return brokenAnswer("a changed file is not described as git does");
    if (path !== null) files.push({ path, before: idOrNull(before), after: idOrNull(after) });
  }
  return ok(files);
}

const idOrNull = (id: string) => (/^0+$/.test(id) ? null : id);

/** `directory`: of the draft. */
export async function writtenMeanwhile(
  directory: string,
  git: PullGit,
  files: readonly MovedFile[],
): Promise<ReadonlySet<string>> {
  const upper = new DirectoryHandle(`${directory}/upper`, undefined, openDirectory);
  try {
    const written = new Set<string>();
    for (const file of files) {
      const bytes = upper.atPath(file.path, contentAt) ?? null;
      if (bytes !== null && !isKnown(bytes, file) && !(await isConverted(git, file, bytes))) written.add(file.path);
    }
    return written;
  } finally {
    upper.close();
  }
}

function isKnown(bytes: Buffer, { before, after }: MovedFile): boolean {
  const format = (before ?? after)?.length === 64 ? "sha256" : "sha1";
  return [before, after].includes(blobId(format, bytes, nodeHashes));
}

/** Asks git, which knows conversions such as that of line ends. Also true for a beginning of what the pull puts there. */
async function isConverted(git: PullGit, { path, before, after }: MovedFile, bytes: Buffer): Promise<boolean> {
  const hashed = await readId(git.outside(["hash-object", "--", path]));
  if (hashed.ok && [before, after].includes(hashed.value)) return true;
  if (after === null) return false;
  const whole = await git.outside(["cat-file", "--filters", `--path=${path}`, after]);
  return whole.ok && bytes.length < whole.value.length && bytes.equals(whole.value.subarray(0, bytes.length));
}

/** For a link, its target. Null if there is neither file nor link. A character device marks what is deleted. */
function contentAt(path: string): Buffer | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true) return readlinkSync(path, "buffer");
  return found?.isFile() === true ? (readPlainFile(path, FILE_BYTES) ?? UNREADABLE) : null;
}
