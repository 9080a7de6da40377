// The gate's files in the browser's private file system: the key of the record, and the pack of the open draft.

import type { PackHandles } from "../../src/workspace/pack-workspace.ts";
import type { PackHandle } from "../../src/workspace/pack-handle.ts";

export const ROOT = "sallyport";
const KEY_BYTES = 32;
const WAIT_MS = 20;
const LONGEST_WAIT_MS = 10_000;

/** A handle as the browser has it. The types of the DOM for windows leave it out. */
interface SyncFile extends FileSystemFileHandle {
  createSyncAccessHandle(): Promise<PackHandle>;
}

async function directory(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  return await root.getDirectoryHandle(ROOT, { create: true });
}

/** A worker that was ended lets go of its files a moment later. */
async function openFile(name: string): Promise<PackHandle> {
  const file = (await (await directory()).getFileHandle(name, { create: true })) as SyncFile;
  const until = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    try {
      return await file.createSyncAccessHandle();
    } catch (error) {
      if ((error as Error).name !== "NoModificationAllowedError" || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }
}

/** A new key continues no old log: the journal refuses to write to a log that has another key. */
export async function loadKey(): Promise<Uint8Array> {
  const handle = await openFile("audit.key");
  try {
    const key = new Uint8Array(KEY_BYTES);
    if (handle.getSize() === KEY_BYTES && handle.read(key, { at: 0 }) === KEY_BYTES) return key;
    crypto.getRandomValues(key);
    handle.truncate(0);
    if (handle.write(key, { at: 0 }) !== KEY_BYTES) throw new Error("The key of the record could not be stored.");
    handle.flush();
    return key;
  } finally {
    handle.close();
  }
}

export async function openReserve(): Promise<PackHandle> {
  return await openFile("reserve");
}

export async function openPack(): Promise<PackHandles> {
  return [await openFile("draft-a.pack"), await openFile("draft-b.pack")];
}

export function emptyPack(handles: PackHandles): void {
  for (const handle of handles) {
    handle.truncate(0);
    handle.flush();
  }
}

export function closePack(handles: PackHandles): void {
  for (const handle of handles) handle.close();
}
