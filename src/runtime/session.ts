// Names of sessions. Calls of an agent in a project that name no session share one.

import { createHash } from "node:crypto";
import type { SessionCount } from "../audit/journal.ts";

/** The session, within one state directory, of calls that name none. */
export function defaultSession(project: string, agent: string): string {
  return `default-${createHash("sha256").update(`${project}\0${agent}`).digest("hex").slice(0, 8)}`;
}

/** The sessions in the record, which is opened when they are read. */
export interface RecordedSessions {
  sessions(): readonly SessionCount[];
}

/**
 * Finds the agent of a session from a store that had only session names: the one agent that the record names for it. Null if the record
 * names none or several; then no agent owns the session.
 */
export function agentByRecord(record: RecordedSessions): (session: string) => string | null {
  let agents: Map<string, Set<string>> | null = null;
  const read = (): Map<string, Set<string>> => {
    const found = new Map<string, Set<string>>();
    for (const { name, agent } of record.sessions()) {
      const known = found.get(name) ?? new Set();
      if (agent !== null) known.add(agent);
      found.set(name, known);
    }
    return found;
  };
  return (session) => {
    const known = [...((agents ??= read()).get(session) ?? [])];
    return known.length === 1 ? (known[0] as string) : null;
  };
}

/** The branch on which a session lands, if nobody names another. */
export function sessionBranch(session: string): string {
  return `sallyport/${session.replace(/[^\w.-]+/g, "-")}`;
}
