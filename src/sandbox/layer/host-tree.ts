// Looks at the host's directory below a layer. It follows no link and opens only plain files.

import { type BigIntStats, closeSync, lstatSync, readdirSync } from "node:fs";
import { DirectoryHandle, nameIn, splitPath } from "../../process/directory-handle.ts";
import { withPlainFile } from "../../process/plain-file.ts";
import { decodePath } from "../tree-path.ts";

export class HostTree {
  readonly #handle: DirectoryHandle;
  /** The directory that was looked at last. The next path is often in it. */
  #last: { readonly path: string; readonly descriptor: number } | null = null;

  /** `directory`: a real path. Throws if it no longer is. */
  constructor(directory: string) {
    this.#handle = new DirectoryHandle(directory);
  }

  /** Undefined if nothing is there. `blocked`: something that is no directory has the name of a directory above it. */
  at(path: string): BigIntStats | "blocked" | undefined {
    const [parent, name] = splitPath(path);
    const descriptor = this.#open(parent);
    if (typeof descriptor !== "number") return descriptor === "blocked" ? "blocked" : undefined;
    return lstatSync(nameIn(descriptor, name), { bigint: true, throwIfNoEntry: false });
  }

  /** Opens the file to read it. Null if there is none. Throws errors of the disk. */
  read<T>(path: string, act: (descriptor: number) => T): T | null {
    const [parent, name] = splitPath(path);
    const descriptor = this.#open(parent);
    return typeof descriptor === "number" ? withPlainFile(nameIn(descriptor, name), act) : null;
  }

  /** Without names that are not UTF-8. Empty if the directory is gone or cannot be read. */
  names(path: string): string[] {
    const descriptor = this.#open(path);
    if (typeof descriptor !== "number") return [];
    return readdirSync(`/proc/self/fd/${descriptor}`, { encoding: "buffer" }).flatMap((name) => decodePath(name) ?? []);
  }

  close(): void {
    this.#forget();
    this.#handle.close();
  }

  #open(path: string): number | "missing" | "blocked" {
    if (path === "") return this.#handle.descriptor;
    if (this.#last?.path === path) return this.#last.descriptor;
    const opened = this.#handle.open(path);
    if (opened.is !== "open") return opened.is;
    this.#forget();
    this.#last = { path, descriptor: opened.descriptor };
    return opened.descriptor;
  }

  #forget(): void {
    if (this.#last !== null) closeSync(this.#last.descriptor);
    this.#last = null;
  }
}
