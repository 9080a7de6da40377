// The files of the draft in the browser's private file system: begun anew, or found as they are, with what is wrong with them.

import { ok, type Result } from "../../src/shared/result.ts";
import type { OpenRequest, StorageDamage } from "../../src/web/api-work.ts";
import {
  openPackWorkspace,
  type PackHandles,
  type PackRoom,
  type PackWorkspace,
} from "../../src/workspace/pack-workspace.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { closePack, emptyPack } from "./opfs.ts";

/** Where the files are. */
export interface DraftPlace {
  readonly openPack: () => Promise<PackHandles>;
  readonly room: PackRoom;
}

export class DraftFiles {
  readonly files: Workspace;
  readonly #handles: PackHandles;

  private constructor(handles: PackHandles, files: Workspace) {
    this.#handles = handles;
    this.files = files;
  }

  static async begin({ openPack, room }: DraftPlace): Promise<Result<DraftFiles>> {
    const handles = await openPack();
    emptyPack(handles);
    const opened = await openOrClose(handles, room);
    return opened.ok ? ok(new DraftFiles(handles, opened.value.files)) : opened;
  }

  /** Null files: there is nothing that the draft could go on with. */
  static async reopen(
    { openPack, room }: DraftPlace,
    draft: OpenRequest,
  ): Promise<{ readonly found: DraftFiles | null; readonly damage: StorageDamage | null }> {
    const handles = await openPack();
    const opened = await openOrClose(handles, room);
    if (!opened.ok) return { found: null, damage: { kind: "unreadable", draft, why: opened.failure.message } };
    const { files, isNew, droppedBytes } = opened.value;
    // SECURITY(T92): an empty workspace would look as if the person had deleted every file.
    if (isNew) {
      await files.close();
      return { found: null, damage: { kind: "gone", draft } };
    }
    const damage = droppedBytes === 0 ? null : ({ kind: "cut", draft, bytes: droppedBytes } as const);
    return { found: new DraftFiles(handles, files), damage };
  }

  close(): Promise<void> {
    return this.files.close();
  }

  /** Their room is free for others. */
  async discard(): Promise<void> {
    emptyPack(this.#handles);
    await this.files.close();
  }
}

async function openOrClose(handles: PackHandles, room: PackRoom): Promise<Result<PackWorkspace>> {
  const opened = await openPackWorkspace(handles, { room });
  if (!opened.ok) closePack(handles);
  return opened;
}
