// A workspace in memory that is stored in a pack: two files, of which one holds the workspace. If more than half of that file is
// superseded, the other file gets what still counts, and takes over.
// Invariant: a change takes effect after it is stored. Whenever the worker ends, the next one finds every change that took effect.

import { fail, ok, type Result } from "../shared/result.ts";
import { createMemoryWorkspace, type BatchKeeper } from "./memory.ts";
import { PackFile, type StoredEntry } from "./pack-file.ts";
import { isStorageFull, type PackHandle } from "./pack-handle.ts";
import { parseText } from "./pack-record.ts";
import type { WorkspacePath } from "./path.ts";
import { type Change, type Workspace, type WorkspaceLimits, workspaceLimits } from "./workspace.ts";

export type PackHandles = readonly [PackHandle, PackHandle];

/** What else is stored where the pack is, and must not run out of room. */
export interface PackRoom {
  /** Whether only what the others need is left. Then no change is stored but deletions. */
  isShort(): boolean;
  /** A change of the pack did not fit. */
  noteFull(): void;
}

export interface PackOptions {
  readonly limits?: WorkspaceLimits;
  /** A file is copied when it has more bytes than this, and than twice what counts. */
  readonly smallestToCopy?: number;
  readonly room?: PackRoom;
}

export interface PackWorkspace {
  /** Closing it closes the handles. */
  readonly files: Workspace;
  /** Bytes that were no whole batch, of a write that was cut off or of a damage. They are gone with the next change. */
  readonly droppedBytes: number;
  /** No file had a workspace, so this one is empty. */
  readonly isNew: boolean;
}

const SMALLEST_TO_COPY = 4 * 1024 * 1024;
/** Files that are put into memory at once. */
const AT_ONCE = 1_000;

/** Opens the workspace that the handles have, or begins an empty one. Fails if it is beyond the limits. */
export async function openPackWorkspace(
  handles: PackHandles,
  { limits = workspaceLimits, smallestToCopy = SMALLEST_TO_COPY, room }: PackOptions = {},
): Promise<Result<PackWorkspace>> {
  const opened = handles.flatMap((handle) => PackFile.open(handle) ?? []);
  // A copy counts when all of it is stored; the first file has nothing to copy.
  const whole = opened.filter(({ generation, batches }) => generation === 1 || batches > 0);
  const file = whole.toSorted((one, other) => other.generation - one.generation)[0];
  const sizes = handles.map((handle) => handle.getSize());
  const droppedBytes = file === undefined ? Math.max(...sizes) : file.handle.getSize() - file.end;
  const keeper = new PackKeeper(handles, file ?? PackFile.begin(handles[0], 1), smallestToCopy, room);
  const files = createMemoryWorkspace(limits, keeper);
  const filled = await keeper.fill(files);
  return filled.ok ? ok({ files, droppedBytes, isNew: file === undefined }) : filled;
}

class PackKeeper implements BatchKeeper {
  readonly #handles: PackHandles;
  readonly #smallestToCopy: number;
  readonly #room: PackRoom | undefined;
  #file: PackFile;
  #copyAt: number;
  /** While the workspace gets what is stored already. */
  #isFilling = false;

  constructor(handles: PackHandles, file: PackFile, smallestToCopy: number, room: PackRoom | undefined) {
    this.#handles = handles;
    this.#file = file;
    this.#smallestToCopy = smallestToCopy;
    this.#room = room;
    this.#copyAt = this.#nextCopyAt();
  }

  async fill(files: Workspace): Promise<Result<undefined>> {
    const entries = [...this.#file.entries];
    this.#isFilling = true;
    for (let from = 0; from < entries.length; from += AT_ONCE) {
      const applied = await files.apply(entries.slice(from, from + AT_ONCE).map((entry) => this.#changeOf(entry)));
      if (!applied.ok) return applied;
    }
    this.#isFilling = false;
    return ok(undefined);
  }

  keep(changes: readonly Change[]): Result<undefined> {
    if (this.#isFilling) return ok(undefined);
    const isGrowing = changes.some(({ operation }) => operation !== "delete");
    if (isGrowing && this.#room?.isShort() === true) return storageFull();
    try {
      if (this.#file.end > this.#copyAt) this.#copy();
      this.#file.append(changes);
      return ok(undefined);
    } catch (error) {
      if (!isStorageFull(error)) return notStored(error);
      this.#file.dropTail(); // that is room for something smaller
      this.#room?.noteFull();
      return storageFull();
    }
  }

  close(): void {
    for (const handle of this.#handles) handle.close();
  }

  #changeOf([path, entry]: [WorkspacePath, StoredEntry]): Change {
    const content = this.#file.content(entry);
    if (entry.kind === "link") return { operation: "link", path, target: parseText(content) ?? "" };
    return { operation: "write", path, bytes: content, executable: entry.kind === "executable" };
  }

  /** Until the copy is whole, the old file counts, and afterwards the new one. */
  #copy(): void {
    const { handle, generation } = this.#file;
    const other = this.#handles.find((one) => one !== handle) as PackHandle;
    try {
      const copy = PackFile.begin(other, generation + 1);
      copy.copyFrom(this.#file);
      this.#file = copy;
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      // There may be room for the change itself. The copy is tried again when the file has grown as much again.
      other.truncate(0);
      this.#copyAt = 2 * this.#file.end;
      return;
    }
    handle.truncate(0);
    handle.flush();
    this.#copyAt = this.#nextCopyAt();
  }

  #nextCopyAt(): number {
    return Math.max(this.#smallestToCopy, 2 * this.#file.liveBytes);
  }
}

function storageFull(): Result<never> {
  return fail(
    "tool_failed",
    "The storage for workspaces is full. This change was not made; everything before it is stored.",
    { hint: "Delete files or whole workspaces, or let this place store more." },
  );
}

function notStored(error: unknown): Result<never> {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return fail("tool_failed", `The workspace could not be stored (${name}: ${message}). This change was not made.`, {
    hint: "Open the workspace again: everything before this change is stored.",
  });
}
