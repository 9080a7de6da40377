// The sessions of a server with many clients: one for each connection, and shared ones by name for clients that hold
// no connection.

import { createHash } from "node:crypto";
import { limits } from "../shared/limits.ts";
import { clientPrefix } from "../shared/session-id.ts";
import type { OpenSession } from "./session.ts";

/** Opens a session of that name; without one, a new one that ends with its connection. */
export type Opener = (name: string | undefined) => Promise<OpenSession>;

export interface ConnectionSession {
  open(): Promise<OpenSession>;
  isBusy(): boolean;
  close(): void;
}

export interface Sessions {
  /** Opened when it is first asked for. */
  forConnection(): ConnectionSession;
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
      let session: OpenSession | undefined;
      return {
        open: () => (opened ??= open(undefined).then((done) => (session = done))),
        isBusy: () => session?.isBusy() === true,
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
      if (byName.size >= limits.clientSessions) {
        const quiet = await quietest(byName);
        if (quiet === null)
          throw new Error(`${limits.clientSessions} sessions are at work already. Try again when one is done.`);
        forget(...quiet);
      }
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

/** The one that was not used for the longest time, and that nothing runs in. */
async function quietest(byName: ReadonlyMap<string, Named>): Promise<[string, Named] | null> {
  const oldest = [...byName].sort(([, one], [, other]) => one.usedAt - other.usedAt);
  for (const [name, known] of oldest) {
    const session = await known.session.catch(() => null);
    if (session === null || !session.isBusy()) return [name, known];
  }
  return null;
}

/**
 * What a client without a connection is known by: the name in its address, else what it calls itself; null where that
 * is no name. `worker`: a short name of the worker, if there is one. SECURITY(T43): no part can hold the mark between them.
 */
export function sessionName(request: Request | undefined, client: string, worker: string | null): string | null {
  const asked = request === undefined ? null : new URL(request.url).searchParams.get("session");
  const own = asked ?? `~${createHash("sha256").update(client).digest("hex").slice(0, 24)}`;
  if (asked !== null && !/^[\w.-]{1,64}$/.test(asked)) return null;
  return `${clientPrefix}${worker === null ? "" : `${worker}:`}${own}`;
}
