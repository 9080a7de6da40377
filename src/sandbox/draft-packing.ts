// Where git packs the history for a new draft: a bare repository without objects of its own, which borrows those of the person.
// Invariant: it lies beside the git directory of the draft, and no program of the agent sees it. A pack gets into the draft only by
// `takePack`.

import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";

/** Objects that the gate has made for a history without what is hidden. */
export const MADE_PACK = "objects/pack/made.pack";

/** The name of a new pack, as `pack-objects` is told it. */
export function packName(kind: PackKind): string {
  return `objects/pack/${kind}`;
}

/** Of the person's history as it is, or without what is hidden. */
export type PackKind = "whole" | "filtered";

export function packingOf(directory: string): string {
  return `${directory}/packing`;
}

export interface BorrowedObjects {
  /** The person's directory of objects. Its path has no line feed. */
  readonly objects: string;
  readonly config: string;
  /** The commits whose parents are missing, as git keeps them. Null if there are none. */
  readonly shallow: string | null;
}

/** `directory` is the draft's own. */
export function makePacking(directory: string, { objects, config, shallow }: BorrowedObjects): void {
  const place = packingOf(directory);
  for (const name of ["", "/objects", "/objects/info", "/objects/pack", "/refs"]) mkdirSync(place + name, 0o700);
  writeFileSync(`${place}/HEAD`, "ref: refs/heads/none\n");
  writeFileSync(`${place}/config`, config);
  writeFileSync(`${place}/objects/info/alternates`, `${objects}\n`);
  if (shallow !== null) writeFileSync(`${place}/shallow`, shallow);
}

/** Writes `MADE_PACK`. Git has to index it. */
export async function writeMadePack(directory: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  await writeFile(`${packingOf(directory)}/${MADE_PACK}`, chunks, { flag: "wx", mode: 0o600 });
}

/** Moves the pack and its index into the draft, which has a git directory. */
export function takePack(directory: string, kind: PackKind): void {
  const from = `${packingOf(directory)}/objects/pack`;
  for (const name of readdirSync(from)) {
    const parts = new RegExp(`^${kind}(-[0-9a-f]+\\.(?:pack|idx|rev))$`).exec(name);
    if (parts !== null) renameSync(`${from}/${name}`, `${directory}/git/objects/pack/pack${parts[1]}`);
  }
}

export function removePacking(directory: string): void {
  rmSync(packingOf(directory), { recursive: true, force: true });
}
