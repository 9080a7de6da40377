// The sessions of a server with many clients: one for each connection, and shared ones by name for clients that hold
// no connection.

import { createHash } from "node:crypto";
import { limits } from "../shared/limits.ts";
import type { OpenSession } from "./session.ts";

/** Opens a session of that name; without one, a new one that ends with its connection. */
export type Opener = (name: string | undefined) => Promise<OpenSession>;

export interface Sessions {
  /** Opened when it is first asked for. */
  forConnection(): { open(): Promise<OpenSession>; close(): void };
  named(name: string): Promise<OpenSession>;
  /** When the calls of all have ended. */
  close(): Promise<void>;
}

interface Named {
  readonly session: Promise<OpenSession>;
  usedAt: number;
}

export function createSessions(open: Opener, now: () => number = Date.now): Sessions {
  const byName = new Map<string, Named>();
  const closing = new Set<Promise<void>>();
  const closeSoon = (session: Promise<OpenSession> | undefined): void => {
    if (session === undefined) return;
    const closed = session
      .then((opened) => opened.close())
      .catch(() => undefined) // it was never opened, or is gone already
      .finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const forget = (name: string, { session }: Named): void => {
    byName.delete(name);
    closeSoon(session);
  };
  return {
    forConnection() {
      let opened: Promise<OpenSession> | undefined;
      return {
        open: () => (opened ??= open(undefined)),
        close: () => closeSoon(opened),
      };
    },
    async named(name) {
      const before = now() - limits.sessionIdleS * 1000;
      for (const [other, known] of byName) if (known.usedAt < before && other !== name) forget(other, known);
      const known = byName.get(name);
      if (known !== undefined) {
        known.usedAt = now();
        return await known.session;
      }
      if (byName.size >= limits.clientSessions) throw new Error(`${limits.clientSessions} sessions are open already.`);
      const session = open(name);
      byName.set(name, { session, usedAt: now() });
      try {
        return await session;
      } catch (error) {
        byName.delete(name);
        throw error;
      }
    },
    async close() {
      for (const [name, known] of byName) forget(name, known);
      await Promise.all(closing);
    },
  };
}

/** What a client without a connection is known by: the name in its address, else what it calls itself. */
export function sessionName(request: Request | undefined, client: string): string | null {
  const asked = request === undefined ? null : new URL(request.url).searchParams.get("session");
  if (asked === null) return `mcp-${createHash("sha256").update(client).digest("hex").slice(0, 12)}`;
  return /^[\w.-]{1,64}$/.test(asked) ? asked : null;
}
