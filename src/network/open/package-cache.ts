// Which answers of a host with `cache: true` are package files that never change, so that the next call gets them from this machine.
// Invariant: nothing but the URL and the gate's own credential decides what such an answer is, and it is kept only for that credential.

import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline, type Readable, Transform } from "node:stream";
import { limits } from "../../shared/limits.ts";
import type { Allowed } from "../connections.ts";
import type { Meter } from "../traffic.ts";

/** Where the files are kept. */
export interface PackageCache {
  /** Null: there is none. Its content is what was kept, by its hash. */
  find(key: string): Promise<KeptPackage | null>;
  /** Passes the body on, and keeps it if it ends with this length. */
  keeping(key: string, headers: readonly string[], length: number): Transform;
}

export interface KeptPackage {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly length: number;
  readonly body: Readable;
}

/** The forms of URLs whose registries never change what is there. */
const registryFiles = [
  /^\/(?:@[^/]+\/)?[^/]+\/-\/[^/]+\.tgz$/, // npm
  /^\/packages\/[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{60}\/[^/]+$/, // PyPI: the hash of the file
  /^\/(?:api\/v1\/)?crates\/[^/]+\/(?:[^/]+\.crate|[^/]+\/download)$/,
  /^\/.+\/@v\/v[^/]+\.(?:zip|mod|info)$/, // go
  /^\/(?:[^/]+\/)+pool\/.+\.deb$/,
];
/** Other files, if the host itself says that they never change. */
const archive = /\.(?:tgz|tar\.(?:gz|bz2|xz|zst)|zip|whl|crate|gem|jar|deb|rpm|nupkg)$/;
const plainPath = /^(?!.*(?:\/\/|\/\.{1,2}(?:\/|$)))\/[\w.~@%+!$,=:()/-]*$/;

/** What clients say of themselves. A request with any other header is passed on as it is, and its answer is not kept. */
const harmless = /^(?:host|connection|keep-alive|te|user-agent|accept(?:-.*)?|priority|sec-fetch-.*|npm-.*|pacote-.*)$/;
/** What the gate adds to a request of a program. */
export interface AddedCredential {
  readonly header: string;
  readonly value: string;
  /** The value without its scheme. */
  readonly secret: string;
}

/** Null: the answer is neither looked for nor kept. */
export function packageKey(
  { method, url: path = "", headers }: IncomingMessage,
  { host, port, mayBePrivate }: Allowed,
  added: AddedCredential | null,
): string | null {
  if (method !== "GET" || !plainPath.test(path) || !(isRegistryFile(path) || archive.test(path))) return null;
  const replaced = added?.header.toLowerCase();
  if (Object.keys(headers).some((name) => name !== replaced && !harmless.test(name))) return null;
  // SECURITY(T78): what one agent may reach and another may not is part of the key.
  const reach = [host, port, mayBePrivate, added?.header, added?.value];
  return createHash("sha256")
    .update(JSON.stringify([path, ...reach]))
    .digest("hex");
}

/**
 * SECURITY(T78): sent instead of the program's headers. One that changes the answer, and is no part of the key, would let a program choose
 * what the others get.
 */
export function packageHeaders({ host, port }: Allowed, added: AddedCredential | null): string[] {
  const own = ["Host", port === 443 ? host : `${host}:${port}`, "User-Agent", "sallyport", "Accept", "*/*"];
  return [...own, "Accept-Encoding", "identity", ...(added === null ? [] : [added.header, added.value])];
}

/** SECURITY(T78): how long the body of an answer that may be kept will be; null: it may not be. */
export function keptLength(path: string, { statusCode, headers }: IncomingMessage): number | null {
  const said = (headers["cache-control"] ?? "").toLowerCase().split(/[\s,]+/);
  const length = Number(headers["content-length"] ?? Number.NaN);
  const mayBeKept =
    statusCode === 200 &&
    length > 0 &&
    length <= limits.packageFileBytes &&
    headers["set-cookie"] === undefined &&
    /^(?:identity)?$/i.test(headers["content-encoding"] ?? "") &&
    /^(?:accept-encoding)?$/i.test(headers.vary?.trim() ?? "") &&
    !said.some((word) => /^(?:no-store|no-cache|private)(?:=|$)/.test(word)) &&
    (isRegistryFile(path) || said.includes("immutable"));
  return mayBeKept ? length : null;
}

const isRegistryFile = (path: string): boolean => registryFiles.some((form) => form.test(path));

const keptNames = new Set(["content-type", "etag", "last-modified", "cache-control"]);

export function keptHeaders(headers: readonly string[]): string[] {
  const isKept = (index: number): boolean => keptNames.has((headers[index - (index % 2)] ?? "").toLowerCase());
  return headers.filter((_, index) => isKept(index));
}

export function sendKept(response: ServerResponse, { headers, length, body }: KeptPackage, meter: Meter): void {
  response.writeHead(200, [...headers, "Content-Length", String(length)]);
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (meter.kept(chunk.length)) done(null, chunk);
      else done(new Error("the call's limit for bytes is reached"));
    },
  });
  pipeline(body, counted, response, () => undefined); // each of them is closed, whichever ends first
}
