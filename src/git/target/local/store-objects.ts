// Lets git store the objects of a landing in the repository: all of them, or none.

import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { writePack } from "../../publish/pack.ts";
import type { Repository } from "../../repository.ts";
import { type GitWriter, type GitWritten, reasonOf } from "./git-runner.ts";
import { isPartialClone } from "./local-work-trees.ts";
import { ObjectQuarantine } from "./object-quarantine.ts";
import type { Landing, Progress } from "../target.ts";
import { errorCode } from "../../../shared/error-code.ts";

/** Objects that git has checked, and that are not yet in the repository. */
export interface StoredObjects {
  release(): Result<undefined>;
  /** Removes objects that were not released. */
  close(): void;
}

export async function storeObjects(
  landing: Landing,
  repository: Repository,
  git: GitWriter,
  progress: Progress,
): Promise<Result<StoredObjects>> {
  const { address: directory } = landing.state;
  const opened = onDisk(directory, () => new ObjectQuarantine(repository));
  if (!opened.ok) return opened;
  const quarantine = opened.value;
  let isStored = false;
  try {
    const { environment } = quarantine;
    const ended = await checkedPack(landing, repository, (check) =>
      git.write(repository, ["index-pack", "--stdin", ...check], packOf(landing, progress), environment),
    );
    isStored = ended.exitCode === 0;
    if (!isStored) return refused(directory, reasonOf(ended));
    return ok({
      release() {
        const released = onDisk(directory, () => quarantine.release());
        return released.ok ? ok(undefined) : released;
      },
      close: () => quarantine.remove(),
    });
  } finally {
    if (!isStored) quarantine.remove();
  }
}

function onDisk<T>(directory: string, act: () => T): Result<T> {
  try {
    return ok(act());
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return refused(directory, errorCode(error));
  }
}

function packOf({ objects, state }: Landing, progress: Progress): AsyncIterable<Uint8Array> {
  function* counted(): Generator<Landing["objects"][number]> {
    for (const [done, object] of objects.entries()) {
      if (done % 256 === 0) progress(done, objects.length, "objects");
      yield object;
    }
    progress(objects.length, objects.length, "objects");
  }
  return writePack(counted(), objects.length, {
    startHash: () => createHash(state.format),
    deflate: (content) => deflateSync(content, { level: 1 }),
  });
}

type Take = (check: readonly string[]) => Promise<GitWritten>;

/**
 * Git checks the objects as it would check a push. But it checks more than the new content: every `.gitmodules` and
 * `.gitattributes` beside it, and every entry of a new tree, including those from the old tree. If such old content has a fault,
 * nothing could ever land in that repository. So the gate ignores faults of existing content: a fault of an object that the landing
 * does not contain, and a fault that a new tree can only have from the base.
 */
async function checkedPack(landing: Landing, repository: Repository, take: Take): Promise<GitWritten> {
  // In a partial clone, objects that the new trees share with the old ones may be missing.
  if (isPartialClone(repository)) return judged(landing, await take(["--fsck-objects"]), take);
  const ended = await take(["--strict"]);
  const inherited = inheritedFaults(landing, faultsIn(ended));
  if (inherited.length === 0) return judged(landing, ended, take);
  // Git stops at such a tree. To make it check the rest, the gate ignores all kinds of inherited faults, not only those found so far.
  const ignored = inheritable(landing).map((name) => `${name}=ignore`);
  return judged(landing, await take([`--strict=${ignored.join(",")}`]), take);
}

async function judged(landing: Landing, ended: GitWritten, take: Take): Promise<GitWritten> {
  const faults = faultsIn(ended);
  const ours = new Set(landing.objects.map(({ id }) => id));
  // Git has checked all objects, and found no fault in those of the landing.
  return faults.length > 0 && !faults.some(({ id }) => ours.has(id)) ? take([]) : ended;
}

interface Fault {
  readonly id: string;
  readonly name: string;
}

const STDERR_READ = 32_000; // if stderr is longer, its beginning may be lost

/** Empty if git reports anything other than faulty objects. */
function faultsIn({ exitCode, stderr }: GitWritten): Fault[] {
  if (exitCode === 0 || stderr.length > STDERR_READ || !/^fatal: fsck error in pack(?:ed)? object/m.test(stderr))
    return [];
  return [...stderr.matchAll(/^error: object ([0-9a-f]+): (\w+): /gm)].map(([, id = "", name = ""]) => ({ id, name }));
}

/** Faults that a new tree can only inherit: `treePathProblem` and `buildTree` check the names and ids that the gate adds. */
function inheritable({ steps }: Landing): string[] {
  const isWithLinks = steps.some(({ changes }) => changes.some(({ after }) => after?.mode === "120000"));
  const names = ["hasDotgit", "hasDot", "hasDotdot", "fullPathname", "nullSha1"];
  return isWithLinks ? names : [...names, "gitmodulesSymlink"];
}

function inheritedFaults(landing: Landing, faults: readonly Fault[]): Fault[] {
  const trees = new Set(landing.objects.filter(({ type }) => type === "tree").map(({ id }) => id));
  const names = new Set(inheritable(landing));
  return faults.filter(({ id, name }) => trees.has(id) && names.has(name));
}

function refused(directory: string, why: string): Result<never> {
  return fail("tool_failed", `${directory} did not take the objects: ${why}`, {
    hint: "Nothing was changed. Check that the disk has room and that git fsck is content with the repository.",
  });
}
