// The ports on which this program listens: the page, and MCP over HTTP. Each is a file in the state directory, named by the port and
// marked with the process that listens.
// Invariant: a port that may still be in use is listed.

import { rmSync, writeFileSync } from "node:fs";
import { makeDirectories } from "../process/make-directories.ts";
import { namesIn } from "../process/names-in.ts";
import { markOfThisProcess, mayBeAlive } from "../process/process-mark.ts";

/** Returns what takes the port off the list again. */
export function announcePort(stateDirectory: string, port: number): () => void {
  const directory = directoryOf(stateDirectory);
  makeDirectories(directory, 0o700);
  const path = `${directory}/${port}-${markOfThisProcess()}`;
  writeFileSync(path, "", { mode: 0o600 });
  return () => rmSync(path, { force: true });
}

export function ownPorts(stateDirectory: string): ReadonlySet<number> {
  const directory = directoryOf(stateDirectory);
  const ports = new Set<number>();
  for (const name of namesIn(directory)) {
    const dash = name.indexOf("-");
    if (mayBeAlive(name.slice(dash + 1))) ports.add(Number(name.slice(0, dash)));
    else rmSync(`${directory}/${name}`, { force: true }); // of a process that was killed
  }
  return ports;
}

function directoryOf(stateDirectory: string): string {
  return `${stateDirectory}/ports`;
}
