// Checks whether a program in a box could reach a UNIX socket of the host. A read-only bind does not prevent a connection, and a system
// call filter cannot see a path. So if a socket is in view, programs cannot make UNIX sockets at all.

import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { baseName, isWithin, joinPath, parentPath } from "../shared/path.ts";
import { resolvePath } from "../process/real-path.ts";

/** True if a bound socket lies, or may lie, inside one of the paths. One whose place is not found counts as inside. */
export function hostSocketInView(paths: readonly string[]): boolean {
  const directories = new Map<string, string>();
  // The kernel keeps the name that was passed to bind, with its links: /var/run/x.sock lies in /run.
  const realPath = (socket: string): string => {
    const parent = parentPath(socket);
    const real = directories.get(parent) ?? resolvePath(parent).real;
    directories.set(parent, real);
    return joinPath(real, baseName(socket));
  };
  const isInView = (socket: string) => paths.some((path) => isWithin(realPath(socket), path));
  const bound = boundSockets();
  if (bound.some(({ name }) => name.startsWith("/") && isInView(name))) return true;
  const relative = bound.filter(({ name }) => !name.startsWith("/"));
  if (relative.length === 0) return false;
  const owners = ownersOfSockets();
  return relative.some(({ name, inode }) => {
    const places = (owners.get(inode) ?? []).map((pid) => placeOf(pid, name));
    // SECURITY(T09): every process that has it must still be where it bound it.
    return places.length === 0 || places.some((place) => place === null || isInView(place));
  });
}

interface BoundSocket {
  readonly name: string;
  readonly inode: string;
}

function boundSockets(): BoundSocket[] {
  // Columns: Num RefCount Protocol Flags Type St Inode Path. `@` starts an abstract name, which a box with its own network namespace
  // cannot reach. An accepted connection has the name of its listener.
  return readFileSync("/proc/net/unix", "utf8")
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [, inode = "", name = ""] = /^(?:\S+\s+){6}(\d+)\s(.+)$/.exec(line) ?? [];
      return name === "" || name.startsWith("@") ? [] : [{ name, inode }];
    });
}

/** The processes that have each socket open, as far as this user may see them. */
function ownersOfSockets(): Map<string, string[]> {
  const owners = new Map<string, string[]>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    for (const opened of namesIn(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(linkAt(`/proc/${pid}/fd/${opened}`) ?? "")?.[1];
      if (inode !== undefined) owners.set(inode, [...(owners.get(inode) ?? []), pid]);
    }
  }
  return owners;
}

/** Where a name leads from the directory of this process. Null if no socket lies there: it was bound somewhere else. */
function placeOf(pid: string, name: string): string | null {
  const directory = linkAt(`/proc/${pid}/cwd`);
  if (directory === null || !directory.startsWith("/")) return null;
  const place = resolvePath(joinPath(directory, name)).real;
  return lstatSync(place, { throwIfNoEntry: false })?.isSocket() === true ? place : null;
}

/** A process may end, or belong to somebody else. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
