// Places whose loss is more than ordinary work: the machine's directories, the home, the roots, and all that holds them.

import { isWithin } from "../shared/path.ts";
import { type CommandContext, type CommandWord, resolvePathText } from "./command-word.ts";

export interface PathContext {
  readonly context: CommandContext;
  /** Where the command may be running; null: somewhere. */
  readonly cwds: readonly (string | null)[];
}

const systemDirectories = new Set(
  ["bin boot dev etc home lib lib32 lib64 libx32 media mnt opt proc root run sbin srv sys usr var"]
    .flatMap((names) => names.split(" ").map((name) => `/${name}`))
    .concat("usr/bin usr/sbin usr/lib usr/local usr/share usr/include var/lib var/log".split(" ").map((p) => `/${p}`)),
);
const device =
  /^\/dev\/(?:[shvx]v?d[a-z]|nvme\d|mmcblk|loop|dm-|md\d|mapper\/|disk\/|ram\d|mem$|kmem$|port$|sr\d|nbd|zram|r?disk\d)/;

/** `everything`: where a whole tree is lost. `tree`: a root or the home, in which part of the tree is ordinary work. */
export type Vital = "everything" | "tree" | null;

export function vitalPath(word: CommandWord, places: PathContext): Vital {
  const found = pathsOf(word, places).map((path) => vitalKindOf(withoutAll(path), places.context));
  return found.includes("everything") ? "everything" : found.includes("tree") ? "tree" : null;
}

/** The absolute paths that a word may name; patterns stay in them as they are written. */
export function pathsOf({ shape }: CommandWord, { cwds }: PathContext): string[] {
  if (shape === null || shape === "") return [];
  return cwds.map((cwd) => resolvePathText(shape, cwd)).filter((path) => path !== null);
}

export function isDevice(path: string): boolean {
  return device.test(path);
}

/** `/a/*` is all of `/a`; `/proc/1/root` is `/`. */
function withoutAll(path: string): string {
  let place = path.replace(/^\/proc\/[^/]+\/root(?=\/|$)/, "");
  while (/\/(?:[*?.]*[*?][*?.]*|\.\[\^?!?\.\][*?]*)$/.test(place)) place = place.slice(0, place.lastIndexOf("/"));
  return place === "" ? "/" : place;
}

function vitalKindOf(path: string, { home, roots, gatePaths = [] }: CommandContext): Vital {
  if (gatePaths.includes(path)) return null;
  if (path === "/" || systemDirectories.has(path) || /^\/home\/[^/]+$/.test(path)) return "everything";
  const kept = [home, ...roots].filter((root) => root !== "/");
  if (kept.includes(path)) return "tree";
  return kept.some((root) => isWithin(root, path)) ? "everything" : null;
}
