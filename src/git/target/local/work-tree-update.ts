// The only module that changes a person's working files.
// Invariant: a file is overwritten or unlinked only if it was just seen to be what the branch had. The gate moves a file aside by
// a rename, compares it there, and only then puts the new file in place by a hard link, which fails if something new has appeared.
// If the file is not the expected one, the gate moves it back. New contents are on disk before the branch moves.

import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ObjectId } from "../../publish/object.ts";
import type { LandedFile, Progress } from "../target.ts";
import { compareFile, type DiskRules, entersAsLink, isExecutableMode, withPairs } from "./work-tree-file.ts";
import {
  type DirectoryHandle,
  nameIn,
  NO_FOLLOW,
  openDirectory,
  openOrMakeDirectory,
  splitPath,
} from "../../../process/directory-handle.ts";
import { moveIfFree, removeFile } from "../../../process/move-if-free.ts";
import { errorCode } from "../../../shared/error-code.ts";
import { byDirectory, type FileStep } from "./work-tree-plan.ts";

const HELD_DIRECTORIES = 256;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;

/** Why each path was left as the person has it. */
export type KeptFiles = Map<string, string>;

interface NewFile {
  readonly step: FileStep;
  /** The deepest directory of its path that existed. */
  readonly directory: string;
}

export class WorkTreeUpdate {
  readonly #handle: DirectoryHandle;
  readonly #rules: DiskRules;
  readonly #prefix: string;
  readonly #run = randomBytes(4).toString("hex");
  readonly #written: NewFile[] = [];
  /** Open directories that contain temporary files. The gate finds these files even if a directory is moved. */
  readonly #held = new Map<string, number>();

  /** `commit` is the new commit. The names of the temporary files contain it. */
  constructor(handle: DirectoryHandle, commit: ObjectId, rules: DiskRules) {
    this.#handle = handle;
    this.#rules = rules;
    this.#prefix = `.sallyport-${commit.slice(0, 16)}-`;
  }

  /** Writes new content to temporary files beside its final paths. */
  async prepare(steps: readonly FileStep[]): Promise<void> {
    const writes = steps.filter(({ change }) => change.after !== null);
    for (const [wanted, some] of byDirectory(writes, ({ change }) => change.path)) {
      const directory = this.#handle.enter(wanted, (opened) =>
        opened.is === "open" ? wanted : opened.is === "missing" ? opened.deepest : splitPath(opened.at)[0],
      );
      const isThere = this.#handle.inside(directory, (descriptor) => {
        if (!this.#held.has(directory) && this.#held.size < HELD_DIRECTORIES)
          this.#held.set(
            directory,
            openSync(`/proc/self/fd/${descriptor}`, constants.O_RDONLY | constants.O_DIRECTORY),
          );
        for (const step of some) {
          this.#written.push({ step, directory });
          this.#write(nameIn(descriptor, this.#fresh(step)), step);
        }
        return true;
      });
      if (isThere !== true) throw Object.assign(new Error(`${directory} is gone`), { code: "ENOENT" });
      await nextTurn();
    }
  }

  /** Moves everything to its final path. Deletions come first, because a directory may replace a file. */
  async finish(steps: readonly FileStep[], kept: KeptFiles, progress: Progress): Promise<void> {
    const deletions = steps.filter(({ change }) => change.after === null);
    const writes = this.#written.map(({ step }) => step);
    const fromOf = new Map(this.#written.map(({ step, directory }) => [step, directory]));
    const all = [...byDirectory(deletions, pathOf), ...byDirectory(writes, pathOf)];
    let done = 0;
    for (const [directory, some] of all) {
      const isDeletion = some[0]?.change.after === null;
      const isThere = this.#inWritten(fromOf.get(some[0] as FileStep) ?? "", (from) =>
        this.#enter(directory, !isDeletion, (descriptor) => {
          for (const step of some) {
            this.#attempt(step, kept, () => {
              if (isDeletion) this.#delete(descriptor, step, kept);
              else this.#replace(nameIn(from, this.#fresh(step)), descriptor, step, kept);
            });
          }
        }),
      );
      if (isThere !== true)
        for (const { change } of some) kept.set(change.path, "its directory was replaced on disk meanwhile");
      else if (isDeletion) this.#handle.prune(directory);
      progress((done += some.length), steps.length, "files");
      await nextTurn();
    }
    this.discard();
  }

  /** Removes the temporary files that were not moved to their final paths. */
  discard(): void {
    for (const { step, directory } of this.#written)
      this.#inWritten(directory, (descriptor) => removeFile(nameIn(descriptor, this.#fresh(step))));
    this.#written.length = 0;
    for (const descriptor of this.#held.values()) closeSync(descriptor);
    this.#held.clear();
  }

  #enter(directory: string, make: boolean, act: (descriptor: number) => void): true | undefined {
    return this.#handle.inside(
      directory,
      (descriptor) => {
        act(descriptor);
        return true;
      },
      make ? openOrMakeDirectory : openDirectory,
    );
  }

  #inWritten<T>(directory: string, act: (descriptor: number) => T): T | undefined {
    const held = this.#held.get(directory);
    return held === undefined ? this.#handle.inside(directory, act) : act(held);
  }

  /** Restores or removes the files that an earlier, killed landing of the same commit left. */
  async sweep(changes: readonly LandedFile[], kept: KeptFiles): Promise<void> {
    const directories = new Set<string>();
    for (const { path } of changes) {
      for (let [directory] = splitPath(path); !directories.has(directory); [directory] = splitPath(directory))
        directories.add(directory);
    }
    for (const directory of directories) {
      this.#handle.inside(directory, (descriptor) => {
        const names = readdirSync(`/proc/self/fd/${descriptor}`).filter((name) => name.startsWith(this.#prefix));
        for (const name of names) this.#sweepFile(descriptor, directory, name, changes, kept);
      });
      await nextTurn();
    }
  }

  #sweepFile(
    descriptor: number,
    directory: string,
    name: string,
    changes: readonly LandedFile[],
    kept: KeptFiles,
  ): void {
    const found = /^[0-9a-f]{8}-(\d+)-(new|old)$/.exec(name.slice(this.#prefix.length));
    if (found?.[2] === "new") return removeFile(nameIn(descriptor, name));
    const change = changes[Number(found?.[1] ?? Number.NaN)];
    if (change?.before == null || splitPath(change.path)[0] !== directory) return;
    this.#putBack(descriptor, name, change, kept);
  }

  #fresh({ number }: FileStep): string {
    return `${this.#prefix}${this.#run}-${number}-new`;
  }

  #write(fdPath: string, { change: { after }, lineEnds, permissions }: FileStep): void {
    if (after === null) return;
    if (entersAsLink(after.mode, this.#rules)) return symlinkSync(Buffer.from(after.content), fdPath);
    const isExecutable = isExecutableMode(after.mode);
    const file = openSync(fdPath, CREATE, isExecutable ? 0o777 : 0o666);
    try {
      writeFileSync(file, lineEnds === "crlf" ? withPairs(after.content) : after.content);
      if (permissions !== null && permissions !== 0)
        fchmodSync(file, isExecutable ? permissions | ((permissions & 0o444) >> 2) | 0o100 : permissions & ~0o111);
    } finally {
      closeSync(file);
    }
  }

  #delete(descriptor: number, step: FileStep, kept: KeptFiles): void {
    const aside = this.#takeAside(descriptor, step, kept);
    if (aside !== null) removeFile(nameIn(descriptor, aside));
  }

  #replace(fresh: string, descriptor: number, step: FileStep, kept: KeptFiles): void {
    const { before, path } = step.change;
    const aside = before === null ? null : this.#takeAside(descriptor, step, kept);
    if (before !== null && aside === null) return;
    try {
      if (!moveIfFree(fresh, nameIn(descriptor, splitPath(path)[1])))
        kept.set(path, "something new is in its place on disk");
      if (aside !== null) removeFile(nameIn(descriptor, aside));
    } catch (error) {
      if (aside !== null) this.#putBack(descriptor, aside, step.change, kept);
      throw error;
    }
  }

  /** The name that the file has now; null if it was not the expected file, and is back at its path. */
  #takeAside(descriptor: number, { change, number, lineEnds }: FileStep, kept: KeptFiles): string | null {
    const fdPath = nameIn(descriptor, splitPath(change.path)[1]);
    const aside = `${this.#prefix}${this.#run}-${number}-old`;
    const found = lstatSync(fdPath, { throwIfNoEntry: false });
    if (found?.isFile() !== true && found?.isSymbolicLink() !== true) {
      kept.set(change.path, found === undefined ? "was deleted on disk meanwhile" : "was replaced on disk meanwhile");
      return null;
    }
    renameSync(fdPath, nameIn(descriptor, aside));
    if (this.#isFile(nameIn(descriptor, aside), change.before, lineEnds)) return aside;
    kept.set(change.path, "was modified on disk meanwhile");
    this.#putBack(descriptor, aside, change, kept);
    return null;
  }

  #putBack(descriptor: number, aside: string, { path, before }: LandedFile, kept: KeptFiles): void {
    if (moveIfFree(nameIn(descriptor, aside), nameIn(descriptor, splitPath(path)[1]))) return;
    if (this.#isFile(nameIn(descriptor, aside), before, "as-is")) removeFile(nameIn(descriptor, aside));
    else kept.set(path, `was modified twice on disk meanwhile; the other version is beside it as ${aside}`);
  }

  #isFile(fdPath: string, wanted: LandedFile["before"], lineEnds: FileStep["lineEnds"]): boolean {
    if (wanted === null) return false;
    const found = compareFile(fdPath, wanted, this.#rules);
    return found.is === "same" && found.lineEnds === lineEnds;
  }

  /** If the disk refuses a change after the branch has moved, the person's file stays as it is. */
  #attempt({ change }: FileStep, kept: KeptFiles, act: () => void): void {
    try {
      act();
    } catch (error) {
      if (errorCode(error) === "") throw error;
      if (!kept.has(change.path)) kept.set(change.path, `cannot be written on disk (${errorCode(error)})`);
    }
  }
}

function pathOf({ change }: FileStep): string {
  return change.path;
}
