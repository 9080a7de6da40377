// What a worker does with a pack in the browser's private file system. As use-library.ts, it goes to the browser as text.

import type { PackHandles } from "../../src/browser.ts";
import type { Library } from "./use-library.ts";

export type PackTask =
  /** Writes batch after batch up to `to`, or without end, and tells each that took effect. */
  | { readonly kind: "write"; readonly from: number; readonly to?: number }
  | { readonly kind: "read" }
  /** Takes bytes off the end of the larger file. */
  | { readonly kind: "cut"; readonly bytes: number }
  /** Writes a file of so many bytes. */
  | { readonly kind: "large"; readonly bytes: number };

export interface PackSeen {
  readonly files: Readonly<Record<string, string>>;
  readonly droppedBytes: number;
  /** The sizes of both files. */
  readonly sizes: readonly number[];
  /** Of a write that was refused. */
  readonly refused: string | null;
}

/** The handles of a `FileSystemDirectoryHandle`, whose types are not node's. */
interface OpfsDirectory {
  getFileHandle(
    name: string,
    options: { create: boolean },
  ): Promise<{ createSyncAccessHandle(): Promise<PackHandles[0]> }>;
}

export async function usePack(
  library: Library,
  task: PackTask,
  tell: (number: number) => void,
): Promise<PackSeen | null> {
  const { storage } = navigator as unknown as { storage: { getDirectory(): Promise<OpfsDirectory> } };
  const directory = await storage.getDirectory();
  const handleOf = async (name: string): Promise<PackHandles[0]> => {
    const file = await directory.getFileHandle(name, { create: true });
    for (;;) {
      try {
        return await file.createSyncAccessHandle();
      } catch (error) {
        // A worker that was ended lets go of its files a moment later.
        if ((error as Error).name !== "NoModificationAllowedError") throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  const handles: PackHandles = [await handleOf("a.pack"), await handleOf("b.pack")];
  const sizes = (): number[] => handles.map((handle) => handle.getSize());
  if (task.kind === "cut") {
    const larger = handles[0].getSize() > handles[1].getSize() ? handles[0] : handles[1];
    larger.truncate(larger.getSize() - task.bytes);
    const seen = { files: {}, droppedBytes: 0, sizes: sizes(), refused: null };
    for (const handle of handles) handle.close();
    return seen;
  }
  const opened = await library.openPackWorkspace(handles, { smallestToCopy: 200_000 });
  if (!opened.ok) throw new Error(opened.failure.message);
  const { files, droppedBytes } = opened.value;
  const put = (path: string, text: string) => {
    const parsed = library.parseWorkspacePath(path);
    if (!parsed.ok) throw new Error(parsed.failure.message);
    const bytes = new TextEncoder().encode(text);
    return { operation: "write", path: parsed.value, bytes, executable: false } as const;
  };
  if (task.kind === "write")
    for (let number = task.from; number <= (task.to ?? Infinity); number += 1) {
      const batch = Array.from({ length: 5 }, (_, index) => put(`d${index}/file`, `${number} `.repeat(1_000)));
      const applied = await files.apply([put("number", String(number)), ...batch]);
      if (!applied.ok) throw new Error(applied.failure.message);
      tell(number);
    }
  let refused: string | null = null;
  if (task.kind === "large") {
    const applied = await files.apply([put("number", "too far"), put("large", "x".repeat(task.bytes))]);
    if (!applied.ok) refused = applied.failure.message;
  }
  const content: Record<string, string> = {};
  for (const { path } of (await files.list()).entries) {
    const file = await files.read(path);
    if (file.ok) content[path] = new TextDecoder().decode(file.value.bytes);
  }
  const seen = { files: content, droppedBytes, sizes: sizes(), refused };
  await files.close();
  return seen;
}
