// A capability is the most that an agent may do: tools, paths, network, limits. What is not written is not granted.
// Invariant: a missing capability allows nothing, and a derived one is never wider than its parent in any respect.

import { type Glob, globBelow, matchesGlob, parseGlob, wildcardCovers } from "../shared/glob.ts";
import { matchesWildcard } from "../shared/name-pattern.ts";
import { limits } from "../shared/limits.ts";
import { isAbsolutePath, isWithin, tidyPath } from "../shared/path.ts";
import { grantForHost, type HostGrant } from "./host-grant.ts";
import { parseOneHost } from "./host-pattern.ts";
import { type NetGrants, narrowNetGrants, netGrantsOf, type WrittenNetGrant } from "./net-grants.ts";
import { defaultRunLimits, optionalLimits, type RunLimits } from "../shared/run-limits.ts";

/** Which files below a path are hidden. */
export interface HideGlobs {
  /** Globs below `path`: matching files are hidden. A glob with the prefix `untracked:` does not hide files listed in `shown`. */
  readonly hide: readonly string[];
  /** Files below `path` that git tracks. The gate looks them up for each call. */
  readonly shown?: readonly string[];
}

export interface FsGrant extends HideGlobs {
  /** Absolute and normalized. Links were resolved when the configuration was loaded. */
  readonly path: string;
  readonly mode: "r" | "rw";
}

/** The prefix of a hide pattern that does not apply to tracked files. */
const UNTRACKED = "untracked:";

export function hidesUntracked(pattern: string): string {
  return `${UNTRACKED}${pattern}`;
}

/** The pattern as a person writes it. */
export function plainPattern(pattern: string): string {
  return pattern.startsWith(UNTRACKED) ? pattern.slice(UNTRACKED.length) : pattern;
}

export function keepsTracked({ hide }: HideGlobs): boolean {
  return hide.some((pattern) => pattern.startsWith(UNTRACKED));
}

export interface GrantedPaths {
  readonly fsGrants: readonly FsGrant[];
}

export interface Capability extends GrantedPaths {
  readonly toolGrants: readonly string[];
  readonly netGrants: NetGrants;
  /** Whether a box with hosts also has a port for programs that want a proxy. */
  readonly netProxy: boolean;
  /** Of a run of Exec or Git. */
  readonly limits: RunLimits;
  /** Of a run of Bash, Python or Shell. */
  readonly workLimits: RunLimits;
}

/** `workLimits` is `limits` if absent. `netGrants` are as in a configuration, or parsed. */
export interface CapabilityParts extends GrantedPaths {
  readonly toolGrants: readonly string[];
  readonly netGrants: NetGrants | readonly WrittenNetGrant[];
  readonly netProxy?: boolean;
  readonly limits: RunLimits;
  readonly workLimits?: RunLimits;
}

/** Absent fields stay as in the parent. */
export interface NarrowerCapability {
  readonly toolGrants?: readonly string[];
  readonly fsGrants?: readonly FsGrant[];
  readonly netGrants?: NetGrants | readonly WrittenNetGrant[];
  readonly limits?: Partial<RunLimits>;
}

/** Makes every capability: grants normalized and sorted, a nested grant keeps what the outer one hides, all of it frozen. */
export function createCapability(parts: CapabilityParts): Capability {
  return Object.freeze({
    toolGrants: Object.freeze([...new Set(parts.toolGrants)]),
    fsGrants: Object.freeze(mergeGrants([parts.fsGrants])),
    netGrants: Object.freeze(netGrantsOf(parts.netGrants)),
    netProxy: parts.netProxy ?? false,
    limits: Object.freeze({ ...parts.limits }),
    workLimits: Object.freeze({ ...(parts.workLimits ?? parts.limits) }),
  });
}

export const noCapability: Capability = createCapability({
  toolGrants: [],
  fsGrants: [],
  netGrants: [],
  limits: defaultRunLimits,
});

export function allowsTool(capability: Capability | undefined, tool: string): boolean {
  return capability?.toolGrants.some((pattern) => matchesWildcard(pattern, tool)) ?? false;
}

/** The longest grant that covers the path decides: `r` inside `rw` is not `rw`. A hidden path has no grant. */
export function fsGrantFor(
  capability: Capability | undefined,
  realPath: string,
  mode: "r" | "rw",
): FsGrant | undefined {
  // SECURITY(T03): `/granted/../etc` lies within `/granted` by its text alone.
  if (capability === undefined || !isPlainPath(realPath)) return undefined;
  const grant = mostSpecific(capability.fsGrants, realPath);
  if (grant === undefined || (mode === "rw" && grant.mode !== "rw")) return undefined;
  return isHidden(capability, realPath) ? undefined : grant;
}

/** The outermost `rw` grant that contains the path; null if there is none. A layer covers all of that grant, so names count from its root. */
export function writableRoot({ fsGrants }: GrantedPaths, realPath: string): string | null {
  const roots = fsGrants.filter(({ path, mode }) => mode === "rw" && isWithin(realPath, path)).map(({ path }) => path);
  return roots.toSorted((a, b) => a.length - b.length)[0] ?? null;
}

/** Directories and files that may be changed, as they are granted. */
export function writablePaths({ fsGrants }: Capability): string[] {
  return fsGrants.filter(({ mode }) => mode === "rw").map(({ path }) => path);
}

/** True when a grant that covers the path hides it, or hides a directory above it. */
export function isHidden(capability: GrantedPaths, realPath: string): boolean {
  return capability.fsGrants.some(
    (grant) => isWithin(realPath, grant.path) && hideMatches(grant, relativeTo(grant.path, realPath)),
  );
}

/** `relativePath` is below the grant's own path, as in "src/.env". The grant's own path ("") is never hidden. */
export function hideMatches({ hide, shown = [] }: HideGlobs, relativePath: string): boolean {
  if (relativePath === "" || hide.length === 0) return false;
  const names = relativePath.split("/");
  const above = (index: number) => names.slice(0, index + 1).join("/");
  return parseHide(hide).some(
    ({ glob, isForUntracked }) =>
      // For a glob that is not anchored, only the last name of a path counts.
      (glob === "all" || names.some((name, index) => matchesGlob(glob, glob.anchored ? above(index) : name))) &&
      !(isForUntracked && shown.some((path) => isWithin(`/${path}`, `/${relativePath}`))),
  );
}

/** False if nothing below the directory can be hidden, so that a scan can skip it. `relativePath` is as in `hideMatches`. */
export function mayHideBelow({ hide }: HideGlobs, relativePath: string): boolean {
  const names = relativePath.split("/");
  return parseHide(hide).some(({ glob }) => glob === "all" || !glob.anchored || globBelow(glob, names).length > 0);
}

/** Whether the whole network of this machine is granted. */
export function allowsWholeNetwork(capability: Capability | undefined): boolean {
  return capability?.netGrants.isWhole ?? false;
}

/** The grant that covers a host as an effect names it. Without a port, only a grant for any port covers it. */
export function hostGrantFor({ netGrants }: Capability, text: string): HostGrant | undefined {
  const one = parseOneHost(text);
  return one === null ? undefined : grantForHost(netGrants.hosts, text, one.port);
}

/** Whether programs may reach single hosts, or try to, so that their box needs the gate's network. */
export function mayReachHosts({ netGrants }: Capability): boolean {
  return !netGrants.isWhole && (netGrants.isAsked || netGrants.hosts.length > 0);
}

export function derive(parent: Capability, narrower: NarrowerCapability): Capability {
  return createCapability({
    toolGrants:
      narrower.toolGrants === undefined ? parent.toolGrants : commonPatterns(parent.toolGrants, narrower.toolGrants),
    fsGrants: narrower.fsGrants === undefined ? parent.fsGrants : mergeGrants([parent.fsGrants, narrower.fsGrants]),
    netGrants:
      narrower.netGrants === undefined
        ? parent.netGrants
        : narrowNetGrants(parent.netGrants, netGrantsOf(narrower.netGrants)),
    netProxy: parent.netProxy,
    limits: lowerLimits(parent.limits, narrower.limits ?? {}),
    workLimits: lowerLimits(parent.workLimits, narrower.limits ?? {}),
  });
}

/** Keeps a pattern of either side if a pattern of the other side covers it completely. Patterns that only overlap are dropped. */
function commonPatterns(left: readonly string[], right: readonly string[]): string[] {
  const covered = (inner: readonly string[], outer: readonly string[]) =>
    inner.filter((pattern) => outer.some((wider) => wildcardCovers(wider, pattern)));
  return [...covered(left, right), ...covered(right, left)];
}

/** The intersection of the lists: each root with the strictest mode, and everything that any list hides. */
function mergeGrants(lists: readonly (readonly FsGrant[])[]): FsGrant[] {
  const roots = [...new Set(lists.flatMap((list) => list.map((grant) => grant.path)))].sort();
  return roots.flatMap((path) => {
    // This throws, because such a grant is a bug in the caller.
    if (!isPlainPath(path))
      throw new TypeError(`a grant needs an absolute, tidy path without "..": ${JSON.stringify(path)}`);
    const deciding = lists.map((list) => mostSpecific(list, path));
    const hide = hiddenBelow(lists.flat(), path);
    if (hide === "all" || deciding.includes(undefined)) return [];
    const mode = deciding.every((grant) => grant?.mode === "rw") ? "rw" : "r";
    const shown = shownBelow(lists.flat(), path);
    return [
      Object.freeze({
        path,
        mode,
        hide: Object.freeze(hide),
        ...(shown.length === 0 ? {} : { shown: Object.freeze(shown) }),
      } as const),
    ];
  });
}

/** What the grants that cover `path` hide below it, as patterns relative to it; "all" if `path` itself is hidden. */
function hiddenBelow(grants: readonly FsGrant[], path: string): string[] | "all" {
  const patterns = new Set<string>();
  for (const grant of grants) {
    if (!isWithin(path, grant.path)) continue;
    const names = relativeTo(grant.path, path)
      .split("/")
      .filter((name) => name !== "");
    for (const { glob, isForUntracked } of parseHide(grant.hide)) {
      const below = glob === "all" ? "matched" : globBelow(glob, names);
      if (below === "matched") {
        if (names.length > 0) return "all";
        patterns.add("*");
      } else {
        for (const pattern of below) patterns.add(isForUntracked ? hidesUntracked(pattern) : pattern);
      }
    }
  }
  return [...patterns].sort();
}

function shownBelow(grants: readonly FsGrant[], path: string): string[] {
  const shown = grants
    .filter((grant) => isWithin(path, grant.path))
    .flatMap((grant) => (grant.shown ?? []).map((file) => (grant.path === "/" ? `/${file}` : `${grant.path}/${file}`)))
    .filter((file) => isWithin(file, path) && file !== path);
  return [...new Set(shown.map((file) => relativeTo(path, file)))].sort();
}

function mostSpecific(grants: readonly FsGrant[], path: string): FsGrant | undefined {
  let best: FsGrant | undefined;
  for (const grant of grants) {
    if (!isWithin(path, grant.path)) continue;
    const longer = best === undefined || grant.path.length > best.path.length;
    // For the same path twice, the stricter grant counts.
    if (longer || (grant.path === best?.path && grant.mode === "r")) best = grant;
  }
  return best;
}

function lowerLimits(parent: RunLimits, narrower: Partial<RunLimits>): RunLimits {
  const lower = (ours: number, theirs: number | undefined) =>
    theirs === undefined || !Number.isFinite(theirs) ? ours : Math.min(ours, Math.max(1, Math.floor(theirs)));
  const cpuS = narrower.cpuS ?? null;
  const optional = optionalLimits.flatMap((key) =>
    parent[key] === undefined && narrower[key] === undefined
      ? []
      : [[key, lower(parent[key] ?? limits[key], narrower[key])] as const],
  );
  return {
    ...Object.fromEntries(optional),
    memoryMb: lower(parent.memoryMb, narrower.memoryMb),
    fsizeMb: lower(parent.fsizeMb, narrower.fsizeMb),
    nofile: lower(parent.nofile, narrower.nofile),
    nproc: lower(parent.nproc, narrower.nproc),
    cpuS: cpuS === null || !Number.isFinite(cpuS) ? parent.cpuS : lower(parent.cpuS ?? Infinity, cpuS),
  };
}

interface HidePattern {
  readonly glob: Glob | "all";
  readonly isForUntracked: boolean;
}

// Each frozen list is parsed once, because a scan asks about every file of a tree.
const parsedHides = new WeakMap<readonly string[], readonly HidePattern[]>();

function parseHide(hide: readonly string[]): readonly HidePattern[] {
  const known = parsedHides.get(hide);
  if (known !== undefined) return known;
  const globs = hide.map((pattern): HidePattern => {
    const parsed = parseGlob(plainPattern(pattern));
    // SECURITY(T03): a pattern that cannot be read hides everything rather than nothing.
    return parsed.ok
      ? { glob: parsed.value, isForUntracked: pattern.startsWith(UNTRACKED) }
      : { glob: "all", isForUntracked: false };
  });
  if (Object.isFrozen(hide)) parsedHides.set(hide, globs);
  return globs;
}

function isPlainPath(path: string): boolean {
  return isAbsolutePath(path) && tidyPath(path) === path && !path.split("/").includes("..");
}

function relativeTo(root: string, path: string): string {
  return root === "/" ? path.slice(1) : path.slice(root.length + 1);
}
