// Who in src/ can open a connection: the network's own modules and globals, each only in the files that are named here.

import { codeOnly, importsOf } from "./source-scan.ts";

const modules = /^(?:node:)?(?:net|http|https|http2|tls|dgram|dns|dns\/promises|inspector|inspector\/promises)$/;
/** Packages of ours that listen or connect by themselves. */
const packages = new Set(["undici", "ws", "@hono/node-server"]);
const globals =
  /(?<![.\w$])fetch\s*\(|(?:[=(,?:[]|=>)\s*fetch\s*[;,)}\]\n]|\b(?:WebSocket|WebSocketStream|EventSource|XMLHttpRequest|WebTransport)\b|\bglobalThis\b/;

/** Why each of them may. */
export const networkFiles: ReadonlyMap<string, string> = new Map([
  ["process/network.ts", "it is the door for requests"],
  ["cli/serve/listen.ts", "it listens, for the page and for MCP over HTTP"],
  ["cli/inside/inside-gate.ts", "it serves connections that a box made, and listens nowhere itself"],
  ["cli/inside/inside-parts.ts", "it holds the text of a program for the box, and connects nowhere itself"],
  ["cli/inside/inside-said.ts", "it holds the text of another one"],
  ["network/outbound.ts", "it connects a box to a host that is allowed, at an address that was checked"],
  ["network/port-forward.ts", "it listens on this machine, for the person who looks at a server in a box"],
  ["network/http-proxy.ts", "it reads requests of a box, and connects nowhere"],
  ["network/post-once.ts", "it sends a request through a connection of network/outbound.ts"],
  ["network/send-on.ts", "it sends requests of a box through connections of network/outbound.ts"],
  ["network/open/authority.ts", "it makes certificates, and connects nowhere"],
  ["network/open/open-layer.ts", "it speaks HTTP and TLS over connections of network/outbound.ts"],
  ["network/pass-on.ts", "it asks whether a text is an address, and connects nowhere"],
  ["process/own-ports.ts", "it holds a name in the kernel's list, and hangs up on whoever connects"],
  ["process/input-writer.ts", "a Socket writes to a pipe of our own, and connects nowhere"],
  ["process/pipe-reader.ts", "a Socket reads a pipe of our own, and connects nowhere"],
]);

export function networkProblems(path: string, source: string): string[] {
  const imports = importsOf(source).filter(({ typeOnly }) => !typeOnly);
  const reaches =
    imports.some(({ from }) => modules.test(from) || packages.has(from)) || globals.test(codeOnly(source));
  if (reaches && !networkFiles.has(path))
    return [`${path}: can open a connection; use process/network.ts, or say in \`networkFiles\` why it may`];
  return !reaches && networkFiles.has(path) ? [`${path}: is among \`networkFiles\`, and opens no connection`] : [];
}
