// Removes what earlier landings left in a repository when their gate was killed. Each landing does this first.
// Invariant: it removes only what a gate made, and only after that gate's process is gone. A lock of git does not name its process.
// So it is removed only if a landing was killed here, and only if it stays unchanged for longer than git ever holds such a lock.

import { lstatSync, unlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { readPlainFile } from "../../../process/plain-file.ts";
import { joinPath } from "../../../shared/path.ts";
import { branchRef } from "../../ref-name.ts";
import type { Repository } from "../../repository.ts";
import { sweepQuarantines } from "./object-quarantine.ts";
import { splitPath, nameIn } from "../../../process/directory-handle.ts";
import { openWorkTree } from "./work-tree-handle.ts";
import { sweepIndexLock } from "./work-tree-index-lock.ts";

const TRIES = 20;
const WAIT_MS = 50;
const ID_LINE = /^(?:(?:[0-9a-f]{40}|[0-9a-f]{64})\n)?$/;

export async function sweepLandings(
  repository: Repository,
  branch: string,
  workTrees: readonly Repository[],
): Promise<void> {
  const directories = new Set([repository, ...workTrees].map(({ gitDirectory }) => gitDirectory));
  for (const directory of directories) sweepIndexLock(directory);
  if (!sweepQuarantines(repository)) return;
  const locks = [...directories].map((directory) => [directory, "HEAD.lock"] as const);
  await sweepRefLocks([...locks, [repository.commonDirectory, `${branchRef(branch)}.lock`]]);
}

async function sweepRefLocks(locks: readonly (readonly [directory: string, name: string])[]): Promise<void> {
  const found = locks.flatMap(([directory, name]) => {
    const path = joinPath(directory, name);
    const identity = lockIdentity(path);
    return identity === null ? [] : [{ directory, name, path, identity }];
  });
  for (let tries = 0; tries < TRIES && found.some(({ path, identity }) => lockIdentity(path) === identity); tries += 1)
    await sleep(WAIT_MS);
  for (const { directory, name, path, identity } of found)
    if (lockIdentity(path) === identity) removeIn(directory, name);
}

/** Null if there is no lock that a git which moves a branch could have left. */
function lockIdentity(path: string): string | null {
  const text = readPlainFile(path, 65)?.toString("latin1");
  if (text === undefined || !ID_LINE.test(text)) return null;
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.ino} ${found.ctimeMs} ${found.size}`;
}

function removeIn(directory: string, path: string): void {
  try {
    const handle = openWorkTree(directory);
    try {
      const [parent, name] = splitPath(path);
      handle.inside(parent, (descriptor) => unlinkSync(nameIn(descriptor, name)));
    } finally {
      handle.close();
    }
  } catch {
    // It is gone, or the disk refuses.
  }
}
