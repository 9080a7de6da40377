// Plans how the changes of a call land: which files are deleted and written, what is held back, and whether somebody else has changed
// one of them meanwhile.
// Invariant: it changes nothing, and follows no link.

import { type BigIntStats, lstatSync } from "node:fs";
import { DirectoryHandle } from "../../process/directory-handle.ts";
import { haveSameContent } from "../../process/file-content.ts";
import { withPlainFile } from "../../process/plain-file.ts";
import { errorCode } from "../../shared/error-code.ts";
import { limits } from "../../shared/limits.ts";
import { isWithin, joinPath } from "../../shared/path.ts";
import { HostTree } from "./host-tree.ts";
import type { LayerEntry, LayerEntryKind } from "./layer-changes.ts";
import type { LandingProblem, LandingRules } from "./landing-rules.ts";
import type { FileFacts, LandingStep } from "./landing-step.ts";

export interface HeldBack {
  /** A real path. */
  readonly path: string;
  readonly reason: string;
  /** What a person can say yes to, so that it lands. Null if no yes helps. */
  readonly part: string | null;
}

export interface LandingPlan {
  readonly steps: LandingStep[];
  readonly heldBack: HeldBack[];
  /** Real paths that somebody else changed since the call began. */
  readonly conflicts: string[];
  bytes: number;
}

/** A directory that changes, and where the new files are. */
export interface ChangedPlace {
  readonly directory: string;
  readonly upper: string;
}

export interface PlannedPlace extends ChangedPlace {
  readonly index: number;
  /** See `renamedFiles`. */
  readonly renamed: ReadonlySet<string>;
}

const reasons: Partial<Record<LayerEntryKind, string>> = {
  special: "it is neither a file nor a link",
  name: "its name is not UTF-8",
  depth: "it is too deep",
};

/** More changes than may land. */
export class TooManyChanges extends Error {}

export function emptyLandingPlan(): LandingPlan {
  return { steps: [], heldBack: [], conflicts: [], bytes: 0 };
}

/** `begunNs`: a file of the host that changed after this time is somebody else's. */
export class LandingPlanner {
  readonly #place: PlannedPlace;
  readonly #rules: LandingRules;
  readonly #begunNs: bigint;
  readonly #planned: LandingPlan;
  readonly #host: HostTree;
  readonly #upper: DirectoryHandle;
  /** The directory that is held back, with everything in it. */
  #closed: string | null = null;
  /** The directory that the landing makes: the host has nothing in it. */
  #fresh: string | null = null;

  constructor(place: PlannedPlace, rules: LandingRules, begunNs: bigint, plan: LandingPlan) {
    this.#place = place;
    this.#rules = rules;
    this.#begunNs = begunNs;
    this.#planned = plan;
    this.#host = new HostTree(place.directory);
    this.#upper = new DirectoryHandle(place.upper);
  }

  close(): void {
    this.#host.close();
    this.#upper.close();
  }

  add(entries: readonly LayerEntry[]): void {
    const own = new Set(entries.map(({ path }) => path));
    for (const { kind, path } of entries) {
      if (this.#closed !== null && isWithin(`/${path}`, `/${this.#closed}`)) continue;
      this.#closed = null;
      const reason = reasons[kind];
      const problem =
        reason === undefined ? this.#rules.problem(this.#real(path), kind !== "directory") : { reason, part: null };
      if (problem !== null) this.#holdBack(path, problem);
      else this.#addOne(kind, path, own);
    }
  }

  #addOne(kind: LayerEntryKind, path: string, own: ReadonlySet<string>): void {
    if (this.#fresh !== null && !isWithin(`/${path}`, `/${this.#fresh}`)) this.#fresh = null;
    const found = this.#fresh === null ? this.#host.at(path) : undefined;
    if (found === "blocked") return this.#conflict(path);
    if (kind === "gone") return this.#delete(path, found);
    if (kind === "directory" || kind === "replaced directory") {
      if (found?.isDirectory() === true) {
        if (kind === "replaced directory") this.#deleteIn(path, own);
        return;
      }
      if (found !== undefined) this.#delete(path, found);
      const mode = Number(this.#made(path).mode & 0o777n) | 0o700;
      this.#fresh ??= path;
      this.#step({ op: "make", place: this.#place.index, path, mode });
      return;
    }
    this.#put(kind, path, found);
  }

  #put(kind: LayerEntryKind, path: string, found: BigIntStats | undefined): void {
    const made = this.#made(path);
    // Somebody else deleted it, unless the call gave this name to another file of the host.
    if (found === undefined && kind === "changed file" && !this.#place.renamed.has(path)) return this.#conflict(path);
    const isUnchanged = found !== undefined && !this.#isNew(found) && this.#isSame(path, found, made);
    if (kind === "changed file" && isUnchanged) return; // opened for writing, and not written to
    if (found?.isDirectory() === true) this.#delete(path, found);
    else if (found !== undefined && this.#isNew(found)) return this.#conflict(path);
    const before = found === undefined || found.isDirectory() ? null : factsOf(found);
    const size = Number(made.size);
    this.#planned.bytes += size;
    const isPlain = kind === "file" && made.nlink === 1n && (made.mode & 0o7000n) === 0n;
    this.#step({ op: "put", place: this.#place.index, path, before, size, isPlain });
  }

  #delete(path: string, found: BigIntStats | undefined): void {
    if (found === undefined) return; // somebody else deleted it too
    if (!found.isDirectory()) {
      if (this.#isNew(found)) return this.#conflict(path);
      this.#step({ op: "delete", place: this.#place.index, path, before: factsOf(found) });
      return;
    }
    this.#deleteIn(path, new Set());
    this.#step({ op: "remove", place: this.#place.index, path });
  }

  /** Deletes what the host's directory has and the layer does not. */
  #deleteIn(path: string, own: ReadonlySet<string>): void {
    for (const name of this.#host.names(path)) {
      const inner = joinPath(path, name);
      if (own.has(inner)) continue;
      const problem = this.#rules.problem(this.#real(inner), true);
      const found = this.#host.at(inner);
      if (problem !== null) this.#planned.heldBack.push({ path: this.#real(inner), ...problem });
      else if (found !== "blocked") this.#delete(inner, found);
    }
  }

  /** A program can write a file in place and set its times back, so only the bytes tell. What the gate may not read counts as another. */
  #isSame(path: string, found: BigIntStats, made: BigIntStats): boolean {
    if (!found.isFile() || found.size !== made.size || found.mtimeNs !== made.mtimeNs || found.mode !== made.mode)
      return false;
    // The comparison holds up every other session of the gate. A sparse file may seem to have any number of bytes.
    if (found.size > limits.hashedFileBytes) return false;
    try {
      const isSame = this.#upper.atPath(path, (at) =>
        withPlainFile(at, (ours) => this.#host.read(path, (theirs) => haveSameContent(ours, theirs))),
      );
      return isSame === true;
    } catch (error) {
      if (errorCode(error) !== "EACCES") throw error;
      return false;
    }
  }

  #made(path: string): BigIntStats {
    const found = this.#upper.atPath(path, (at) => lstatSync(at, { bigint: true }));
    if (found === undefined) throw new Error(`the layer has no ${path}`);
    return found;
  }

  /** Nobody can set this time back. */
  #isNew({ ctimeNs }: BigIntStats): boolean {
    return ctimeNs > this.#begunNs;
  }

  #step(step: LandingStep): void {
    if (this.#planned.steps.length >= limits.landingSteps) throw new TooManyChanges();
    this.#planned.steps.push(step);
  }

  #holdBack(path: string, problem: LandingProblem): void {
    this.#closed = path;
    this.#planned.heldBack.push({ path: this.#real(path), ...problem });
  }

  #conflict(path: string): void {
    this.#planned.conflicts.push(this.#real(path));
  }

  #real(path: string): string {
    return joinPath(this.#place.directory, path);
  }
}

export function factsOf({ ino, size, mtimeNs }: BigIntStats): FileFacts {
  return { inode: String(ino), size: String(size), modified: String(mtimeNs) };
}
