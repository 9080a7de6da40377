// The base view: what every program sees regardless of its grants, namely the system's libraries and their data. It is read-only and
// holds no secrets. It has no directory of programs, because starting a program needs a grant on it.

import { lstatSync, readlinkSync } from "node:fs";
import type { Mount } from "../process/launch.ts";

// On most systems /lib is a link into /usr; on older ones it is a directory.
const topNames = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];
const libraries = ["/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/local/lib"];
const data = [
  "/usr/share/zoneinfo",
  "/usr/share/locale",
  "/usr/share/i18n",
  "/usr/share/terminfo",
  "/usr/share/ca-certificates",
  "/usr/share/perl",
  "/usr/share/file",
];

/** Returns the parts of the base view that exist on this machine. The caller skips parts that lie inside a grant. */
export function findBaseView(): Mount[] {
  const mounts: Mount[] = [];
  for (const name of topNames) {
    const path = `/${name}`;
    const kind = kindOf(path);
    if (kind === "link") mounts.push({ kind: "link", target: path, text: readlinkSync(path) });
    else if (kind === "directory" && name.startsWith("lib")) mounts.push(readOnly(path));
  }
  for (const path of [...libraries, ...data]) {
    if (kindOf(path) === "directory") mounts.push(readOnly(path));
  }
  return mounts;
}

/** The directories of the base view. */
export function baseViewPaths(): string[] {
  return findBaseView().flatMap((mount) => (mount.kind === "bind" ? [mount.target] : []));
}

function readOnly(path: string): Mount {
  return { kind: "bind", source: path, target: path, writable: false };
}

function kindOf(path: string): "link" | "directory" | "other" {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true) return "link";
  return found?.isDirectory() === true ? "directory" : "other";
}
