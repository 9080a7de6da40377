// What the bench compares with lives in bench/node_modules, which is filled here, the first time it is wanted.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const INSTALL_TIMEOUT_MS = 600_000;

/** Where the package is. */
export const installedAt = (name: string): string => `${here}node_modules/${name}`;

/** null: it is there now. A text says why it is not. */
export function install(name: string): string | null {
  if (existsSync(`${installedAt(name)}/package.json`)) return null;
  console.error(`installing ${name} into bench/node_modules (once) …`);
  const flags = ["--ignore-scripts", "--no-fund", "--no-audit", "--omit-lockfile-registry-resolved"];
  const ended = spawnSync("npm", ["ci", ...flags], { cwd: here, encoding: "utf8", timeout: INSTALL_TIMEOUT_MS });
  if (ended.status === 0) return null;
  return ended.error?.message ?? ended.stderr.trim().split("\n").at(-1) ?? "npm failed";
}

export function installedVersion(name: string): string {
  const text = readFileSync(`${installedAt(name)}/package.json`, "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
