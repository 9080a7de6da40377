// Paths whose loss is more than ordinary work: the machine's directories, the home, the granted directories, and every
// directory that holds one of them.

import { isWithin } from "../../shared/path.ts";
import type { CommandContext, CommandLine } from "../words/command-line.ts";
import { type CommandWord, resolvePathText } from "../words/command-word.ts";

const names = (text: string): string[] => text.split(" ").map((name) => `/${name}`);
const systemDirectories: ReadonlySet<string> = new Set([
  ...names("bin boot dev etc home lib lib32 lib64 libx32 media mnt opt proc root run sbin srv sys usr var"),
  ...names("usr/bin usr/sbin usr/lib usr/local usr/share usr/include var/lib var/log"),
]);
const device =
  /^\/dev\/(?:[shvx]v?d[a-z]|nvme\d|mmcblk|loop|dm-|md\d|mapper\/|disk\/|ram\d|mem$|kmem$|port$|sr\d|nbd|zram|r?disk\d)/;

/**
 * "system": a directory of the machine, or one that holds the home or a granted directory. "own": the home or a granted
 * directory itself; to delete a part of it is ordinary work.
 */
export type Critical = "system" | "own" | null;

/** Of the paths that a word may name, the worst. */
export function criticalPath(word: CommandWord, command: CommandLine): Critical {
  const found = pathsOf(word, command).map((path) => criticalityOf(withoutWildcards(path), command.context));
  return found.includes("system") ? "system" : found.includes("own") ? "own" : null;
}

/** The absolute paths that a word may name; patterns stay in them as they are written. */
export function pathsOf({ shape }: CommandWord, { cwds }: CommandLine): string[] {
  if (shape === null || shape === "") return [];
  return cwds.map((cwd) => resolvePathText(shape, cwd)).filter((path) => path !== null);
}

export function isDevice(path: string): boolean {
  return device.test(path);
}

/** `/a/*` is all of `/a`; `/proc/1/root` is `/`. */
function withoutWildcards(path: string): string {
  let rest = path.replace(/^\/proc\/[^/]+\/root(?=\/|$)/, "");
  while (/\/(?:[*?.]*[*?][*?.]*|\.\[\^?!?\.\][*?]*)$/.test(rest)) rest = rest.slice(0, rest.lastIndexOf("/"));
  return rest === "" ? "/" : rest;
}

function criticalityOf(path: string, { home, roots, boxPaths = [] }: CommandContext): Critical {
  if (boxPaths.includes(path)) return null;
  if (path === "/" || systemDirectories.has(path) || /^\/home\/[^/]+$/.test(path)) return "system";
  const own = [home, ...roots].filter((root) => root !== "/");
  if (own.includes(path)) return "own";
  return own.some((root) => isWithin(root, path)) ? "system" : null;
}
