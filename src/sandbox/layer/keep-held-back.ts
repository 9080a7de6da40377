// Keeps what was held back of a call that has landed, for a person to look at. The rest of its layers goes.

import { chmodSync, lstatSync, mkdirSync, renameSync } from "node:fs";
import { errorCode } from "../../shared/error-code.ts";
import { baseName, isWithin } from "../../shared/path.ts";
import { type Layer, placeOf } from "./layer.ts";
import type { LayerHome } from "./layer-home.ts";

/** Returns where; null if nothing of it is there, because it was only deleted. */
export function keepHeldBack(
  home: LayerHome,
  layers: readonly Layer[],
  heldBack: readonly { readonly path: string }[],
): string | null {
  const sources = heldBack.flatMap(({ path }) => sourceOf(path, layers) ?? []);
  if (sources.length === 0) return null;
  const directory = home.make();
  mkdirSync(`${directory.path}/held`, { mode: 0o700 });
  for (const [number, source] of sources.entries()) {
    // To move a directory needs the right to write to it, and the program may have taken that away.
    if (lstatSync(source).isDirectory()) chmodSync(source, 0o700);
    renameSync(source, `${directory.path}/held/${number}-${[...baseName(source)].slice(0, 60).join("")}`);
  }
  return home.keep(directory);
}

function sourceOf(path: string, layers: readonly Layer[]): string | null {
  for (const layer of layers.toReversed()) {
    const { directory, upper } = placeOf(layer);
    if (!isWithin(path, directory)) continue;
    const found = existing(upper + path.slice(directory.length));
    if (found !== null) return found;
  }
  return null;
}

/** Null for a mark of the overlay that something was deleted, for a name that is not UTF-8, and for a path that is too long. */
function existing(path: string): string | null {
  try {
    return lstatSync(path).isCharacterDevice() ? null : path;
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return null;
  }
}
