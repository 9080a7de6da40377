// Checks whether a program in a box could reach a UNIX socket of the host. A read-only bind does not prevent a connection, and a system
// call filter cannot see a path. So if a socket is in view, programs cannot make UNIX sockets at all.

import { readFileSync } from "node:fs";
import { baseName, isWithin, joinPath, parentPath } from "../shared/path.ts";
import { resolvePath } from "../process/real-path.ts";

/** True if a bound socket lies, or may lie, inside one of the paths. A socket name that is not absolute counts as inside. */
export function hostSocketInView(paths: readonly string[]): boolean {
  const directories = new Map<string, string>();
  // The kernel keeps the name that was passed to bind, with its links: /var/run/x.sock lies in /run.
  const realPath = (socket: string): string => {
    const parent = parentPath(socket);
    const real = directories.get(parent) ?? resolvePath(parent).real;
    directories.set(parent, real);
    return joinPath(real, baseName(socket));
  };
  return [...boundSockets()].some((socket) => {
    if (!socket.startsWith("/")) return true;
    const real = realPath(socket);
    return paths.some((path) => isWithin(real, path));
  });
}

function boundSockets(): Set<string> {
  const names = new Set<string>();
  // Columns: Num RefCount Protocol Flags Type St Inode Path. `@` starts an abstract name, which a box with its own network namespace
  // cannot reach.
  for (const line of readFileSync("/proc/net/unix", "utf8").split("\n").slice(1)) {
    const name = /^(?:\S+\s+){7}(.+)$/.exec(line)?.[1];
    if (name !== undefined && !name.startsWith("@")) names.add(name);
  }
  return names;
}
