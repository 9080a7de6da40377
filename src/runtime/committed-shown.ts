// What a draft shows although globs of the grants hide it: a glob for untracked files leaves alone what git tracks, which the gate reads
// from the index (`src/git/tracked-files.ts`). A draft would put a file into its first commit that the person has staged and never
// committed, so of those it shows only what is in the person's HEAD.

import type { Repository } from "../git/repository.ts";
import type { Capability } from "../policy/capability.ts";
import { ancestorsOf, isWithin, joinPath } from "../shared/path.ts";
import type { CallStart } from "./session-workspace.ts";

const PATHS_AT_ONCE = 200;

/** Paths of the project. Empty if git cannot tell: then they stay hidden. A submodule's files are judged by its own index alone. */
export async function committedShown(
  project: string,
  repository: Repository | null,
  call: CallStart,
): Promise<readonly string[]> {
  const root = repository?.workTree ?? null;
  const shown = [...new Set(shownIn(project, call.capability))];
  if (repository === null || root === null || shown.length === 0) return [];
  const inRepository = (path: string) => joinPath(project, path).slice(root.length + 1);
  const committed: string[] = [];
  for (let at = 0; at < shown.length; at += PATHS_AT_ONCE) {
    const some = shown.slice(at, at + PATHS_AT_ONCE);
    const asked = new Set(some.flatMap((path) => ancestorsOf(`/${inRepository(path)}`).map((above) => above.slice(1))));
    const listed = await call.readRepository(repository, ["ls-tree", "-z", "--full-tree", "HEAD", "--", ...asked]);
    if (!listed.ok) return [];
    const [files, submodules] = parseTree(listed.value);
    for (const path of some) {
      const above = ancestorsOf(`/${inRepository(path)}`).map((one) => one.slice(1));
      if (files.has(inRepository(path)) || above.some((one) => submodules.has(one))) committed.push(path);
    }
  }
  return committed;
}

/** What the agent may do in the draft. `shown`: of its record; undefined in that of an older gate. */
export function inDraftCapability(
  project: string,
  shown: readonly string[] | undefined,
  capability: Capability,
): Capability {
  if (shown === undefined || shownIn(project, capability).length === 0) return capability;
  const known = new Set(shown.map((path) => joinPath(project, path)));
  const isOutside = (path: string) => !isWithin(path, project);
  return Object.freeze({
    ...capability,
    fsGrants: Object.freeze(
      capability.fsGrants.map((grant) => {
        if (grant.shown === undefined) return grant;
        const kept = grant.shown.filter((path) => {
          const full = joinPath(grant.path, path);
          return isOutside(full) || known.has(full);
        });
        return Object.freeze({ ...grant, shown: Object.freeze(kept) });
      }),
    ),
  });
}

/** Paths of the project that a grant shows although a glob of it matches. */
function shownIn(project: string, { fsGrants }: Capability): string[] {
  const full = fsGrants.flatMap((grant) => (grant.shown ?? []).map((path) => joinPath(grant.path, path)));
  return full
    .filter((path) => isWithin(path, project) && path !== project)
    .map((path) => path.slice(project.length + 1));
}

/** Each entry: mode, kind, id, a tab and the path. */
function parseTree(output: Uint8Array): readonly [files: ReadonlySet<string>, submodules: ReadonlySet<string>] {
  const [files, submodules] = [new Set<string>(), new Set<string>()];
  for (const entry of new TextDecoder().decode(output).split("\0")) {
    const [, kind = "", path = ""] = /^\d+ (\w+) [0-9a-f]+\t(.*)$/s.exec(entry) ?? [];
    if (kind === "blob") files.add(path);
    if (kind === "commit") submodules.add(path);
  }
  return [files, submodules];
}
