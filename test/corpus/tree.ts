// Everything below a directory as one value, to be compared before and after.

import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

export function treeOf(directory: string): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" }).sort()) {
    const path = `${directory}/${name}`;
    const found = lstatSync(path);
    const content = found.isFile() ? hashOf(path) : found.isSymbolicLink() ? readlinkSync(path) : "";
    tree[name] = `${found.mode.toString(8)} ${content}`;
  }
  return tree;
}

function hashOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
