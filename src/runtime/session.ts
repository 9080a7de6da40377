// Sessions have names. One that nobody named is the same for every call of an agent in a project.

import { createHash } from "node:crypto";
import type { SessionCount } from "../audit/journal.ts";

/** Within one state directory: the session of calls that name none. */
export function defaultSession(project: string, agent: string): string {
  return `default-${createHash("sha256").update(`${project}\0${agent}`).digest("hex").slice(0, 8)}`;
}

/** The sessions that the record names; it is opened when they are asked for. */
export interface RecordedSessions {
  sessions(): readonly SessionCount[];
}

/**
 * Whose a session is that was kept when stores had only its name: the one agent that the record names for it. null: the
 * record names none, or several, and then it is nobody's.
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
