// Whether a program in a box could reach a UNIX socket of the host. A read-only bind does not stop a connection,
// and a system call filter cannot see a path: so where one is in view, no UNIX socket can be made at all.

import { readFileSync } from "node:fs";
import { isWithin } from "../shared/path.ts";

/** True when a socket that is bound now lies inside one of the paths, or might: names that are not absolute count. */
export function hostSocketInView(paths: readonly string[]): boolean {
  return boundSockets().some((socket) => !socket.startsWith("/") || paths.some((path) => isWithin(socket, path)));
}

function boundSockets(): string[] {
  const names: string[] = [];
  // Columns: Num RefCount Protocol Flags Type St Inode Path. `@` begins an abstract name, which a box's own
  // network namespace keeps out.
  for (const line of readFileSync("/proc/net/unix", "utf8").split("\n").slice(1)) {
    const name = /^(?:\S+\s+){7}(.+)$/.exec(line)?.[1];
    if (name !== undefined && !name.startsWith("@")) names.push(name);
  }
  return names;
}
