// Where the layers of calls are: a directory for each call, named after its gate, and those that are kept because they did not land.
// Invariant: what a killed gate was landing is finished or undone before this gate's first call.

import { createHash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, statSync, utimesSync } from "node:fs";
import { makeDirectories } from "../../process/make-directories.ts";
import { namesIn } from "../../process/names-in.ts";
import { markOfThisProcess, mayBeAlive, mayBeAtWork } from "../../process/process-mark.ts";
import { errorCode } from "../../shared/error-code.ts";
import { limits } from "../../shared/limits.ts";
import { canBeUpper } from "../file-system-kind.ts";
import { removeTree } from "../remove-tree.ts";
import { removeScratchDirectory } from "../scratch-directory.ts";
import { resumeLanding } from "./landing.ts";
import { isBeingRemoved, LayerRemoval } from "./layer-removal.ts";

const MEMORY = "/dev/shm";

/** The directory of one call. */
export interface LayerDirectory {
  readonly path: string;
  readonly id: string;
}

export class LayerHome {
  /** Null if no layer can be made on this machine. */
  readonly path: string | null;
  readonly #mark = markOfThisProcess();
  readonly #removal = new LayerRemoval();

  constructor(stateDirectory: string) {
    this.path = canBeUpper(stateDirectory) ? `${stateDirectory}/layers` : inMemory(stateDirectory);
  }

  make(): LayerDirectory {
    if (this.path === null) throw new TypeError("no layer can be made here");
    makeDirectories(this.path, 0o700);
    const id = randomBytes(6).toString("hex");
    const path = `${this.path}/${this.#mark}-${id}`;
    mkdirSync(path, { mode: 0o700 });
    return { path, id };
  }

  /** Keeps what a call wrote for a day, for a person to look at. Returns where. */
  keep({ path, id }: LayerDirectory): string {
    const kept = `${this.path}/kept-${id}`;
    renameSync(path, kept);
    utimesSync(kept, new Date(), new Date());
    const older = this.#kept().toSorted((a, b) => b.keptMs - a.keptMs);
    for (const one of older.slice(limits.keptLayerCount)) removeScratchDirectory(one.path);
    return kept;
  }

  /** `hasLanded`: files in it may be the person's by another name. That one goes at once, because the file's change time is that of its removal. */
  remove({ path }: LayerDirectory, hasLanded: boolean): void {
    if (hasLanded) for (const layer of layersIn(path)) removeUpper(layer);
    this.#removal.add(path);
  }

  close(): void {
    this.#removal.finish();
  }

  /** Ends what gates that were killed had begun, and removes what was kept long enough. */
  sweep(): void {
    for (const { path } of this.#kept()) if (isOld(path)) removeScratchDirectory(path);
    for (const name of this.path === null ? [] : namesIn(this.path)) {
      const [, owner = "", id = ""] = /^(kept|[\d.a-f]+)-([0-9a-f]{12})(?:\.gone)?$/.exec(name) ?? [];
      const path = `${this.path}/${name}`;
      if (owner === "kept" || owner === "" || isInUse(path, owner)) continue;
      if (isBeingRemoved(name)) this.#removal.add(path);
      else this.#resume(path, id);
    }
  }

  #resume(left: string, id: string): void {
    const path = `${this.path}/${this.#mark}-${id}`;
    try {
      renameSync(left, path); // only one gate can
    } catch (error) {
      if (errorCode(error) === "ENOENT") return;
      throw error;
    }
    const directory = { path, id };
    const resumed = this.#tryResume(path);
    if (resumed === "finished" || !hasContent(path)) this.remove(directory, true);
    else if (resumed !== "failed" || isOld(path)) this.keep(directory);
  }

  /** If a disk is not there, the next gate tries again. */
  #tryResume(path: string): ReturnType<typeof resumeLanding> | "failed" {
    try {
      return resumeLanding(path);
    } catch (error) {
      if (errorCode(error) === "") throw error;
      return "failed";
    }
  }

  #kept(): { readonly path: string; readonly keptMs: number }[] {
    const names = this.path === null ? [] : namesIn(this.path).filter((name) => name.startsWith("kept-"));
    return names.flatMap((name) => {
      const path = `${this.path}/${name}`;
      const found = statSync(path, { throwIfNoEntry: false });
      return found === undefined ? [] : [{ path, keptMs: found.mtimeMs }];
    });
  }
}

/** A call that has not begun to land may take as long as it likes. */
function isInUse(path: string, owner: string): boolean {
  const begun = statSync(isBeingRemoved(path) ? path : `${path}/journal`, { throwIfNoEntry: false });
  return begun === undefined
    ? mayBeAlive(owner)
    : mayBeAtWork(owner, { sinceMs: begun.mtimeMs, mostMs: limits.layerKeepMs });
}

function isOld(path: string): boolean {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > limits.layerKeepMs;
}

function removeUpper(layer: string): void {
  let count = 0;
  removeTree(`${layer}/upper`, () => `${layer}/taken-apart-${count++}`);
}

/** Whether a call wrote anything to its layers. */
export function hasContent(path: string): boolean {
  return layersIn(path).some((layer) => namesIn(`${layer}/upper`).length > 0);
}

/** Beside them are the journal and the mark of a landing. */
function layersIn(path: string): string[] {
  return namesIn(path).flatMap((name) => (/^\d+$/.test(name) ? [`${path}/${name}`] : []));
}

/** For a state directory on a container's own disk, for example. Null if memory cannot have layers either. */
function inMemory(stateDirectory: string): string | null {
  if (!canBeUpper(MEMORY)) return null;
  const name = createHash("sha256").update(stateDirectory).digest("hex").slice(0, 16);
  const path = `${MEMORY}/sallyport-layers-${process.geteuid?.() ?? 0}-${name}`;
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") return null;
  }
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isOurs = found?.isDirectory() === true && found.uid === process.geteuid?.() && (found.mode & 0o077) === 0;
  return isOurs ? path : null;
}
