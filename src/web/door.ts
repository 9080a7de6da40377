// The addresses at which the page's server is reached, each with its own rules: loopback, for whoever has the link, and the outer
// one, for paired devices.
// Invariant: behind the outer door there are no links and no pages that entered by one.

import type { Context } from "hono";

export interface Door {
  /** What a request may name as `Host`; the first is what a person is told. */
  readonly hosts: () => readonly string[];
  readonly scheme: "http" | "https";
  readonly isOuter: boolean;
}

export function loopbackDoor(port: () => number): Door {
  return {
    hosts: () => ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port()}`),
    scheme: "http",
    isOuter: false,
  };
}

/** `names`: as in an address, without the port. SECURITY(T110): nothing but TLS leads here. */
export function outerDoor(names: () => readonly string[], port: () => number): Door {
  const written = (name: string) => (port() === 443 ? name : `${name}:${port()}`);
  return { hosts: () => names().map(written), scheme: "https", isOuter: true };
}

/** Where the request comes from; null where that is not known. */
export function addressOf(c: Context): string | null {
  const { incoming } = (c.env ?? {}) as {
    readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
  };
  return incoming?.socket?.remoteAddress?.replace(/^::ffff:/, "") ?? null;
}
