// The ports on which gates of this machine listen: the page, MCP over HTTP, forwarded ports. Each gate says so with an abstract UNIX
// socket, whose name has the port. The kernel lists the names, for every user and whatever state directory, and takes a name off the list
// when its process ends. Names and ports belong to the same thing: one network of the machine.
// Invariant: a port is listed as long as the process that announced it lives, or until it withdraws it.

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";

const PREFIX = "sallyport-port-";

/** Returns what takes the port off the list again. */
export function announcePort(port: number): () => void {
  const name = createServer((connection) => connection.destroy());
  // SECURITY(T64): nobody else has this name first, and then gives it up.
  name.listen(`\0${PREFIX}${port}-${randomUUID()}`);
  if (!name.listening) throw new Error(`the gate cannot announce its port ${port}`);
  name.unref();
  return () => void name.close();
}

export function ownPorts(): ReadonlySet<number> {
  const names = readFileSync("/proc/net/unix", "utf8").matchAll(new RegExp(` @${PREFIX}(\\d+)-`, "g"));
  return new Set(Array.from(names, ([, port]) => Number(port)));
}
