// Which headers a proxy passes on.

/** Of one connection, not of the message; and what a client says to the proxy alone. */
const ofConnection = new Set([
  "connection",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Names and values in turn, as node has them, without those that are not to be passed on. */
export function passedHeaders(raw: readonly string[], without: readonly string[] = []): string[] {
  const left = new Set([...ofConnection, ...without]);
  for (const [name, value] of pairs(raw))
    if (name.toLowerCase() === "connection") for (const one of value.split(",")) left.add(one.trim().toLowerCase());
  // The length is part of the message, whatever `Connection` says: without it, both ends would see another end of the body.
  left.delete("content-length");
  return pairs(raw)
    .filter(([name]) => !left.has(name.toLowerCase()))
    .flat();
}

function pairs(raw: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? "", raw[2 * index + 1] ?? ""]);
}
