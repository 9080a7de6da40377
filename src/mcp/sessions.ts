// The sessions of a server with many clients: one for each connection, and shared ones by name for clients that hold no connection.

import { createHash } from "node:crypto";
import { limits } from "../shared/limits.ts";
import { clientPrefix } from "../shared/session-id.ts";
import type { OpenSession } from "./session.ts";

/** Opens the session of that name. Without a name it opens a new one that ends with its connection. */
export type Opener = (name: string | undefined) => Promise<OpenSession>;

export interface ConnectionSession {
  open(): Promise<OpenSession>;
  isBusy(): boolean;
  close(): void;
}

export interface Sessions {
  /** The session is opened on first use. */
  forConnection(): ConnectionSession;
  named(name: string): Promise<OpenSession>;
  /** Resolves when the calls of all sessions have ended. */
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
      .catch(() => undefined) // the session was never opened, or is closed already
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

/** The session that was unused for the longest time and in which nothing runs. */
async function quietest(byName: ReadonlyMap<string, Named>): Promise<[string, Named] | null> {
  const oldest = [...byName].sort(([, one], [, other]) => one.usedAt - other.usedAt);
  for (const [name, known] of oldest) {
    const session = await known.session.catch(() => null);
    if (session === null || !session.isBusy()) return [name, known];
  }
  return null;
}

/**
 * The session name of a client without a connection: the name in its address, otherwise a hash of the name that it states.
 * Null if the name in the address is invalid. `worker` is a short name of the worker, if there is one. SECURITY(T43): no part
 * can contain the separator.
 */
export function sessionName(request: Request | undefined, client: string, worker: string | null): string | null {
  const asked = request === undefined ? null : new URL(request.url).searchParams.get("session");
  const own = asked ?? `~${createHash("sha256").update(client).digest("hex").slice(0, 24)}`;
  if (asked !== null && !/^[\w.-]{1,64}$/.test(asked)) return null;
  return `${clientPrefix}${worker === null ? "" : `${worker}:`}${own}`;
}
