// How many questions may wait: of a session, of an agent, of all.
// Invariant: no session fills an agent's room, and no agent the whole room: the last quarter is for who has few.

import type { DatabaseSync } from "node:sqlite";
import { QueueFull } from "../approval/queue.ts";
import { limits } from "../shared/limits.ts";
import type { OrphanedQuestions } from "./orphaned-questions.ts";

/** Kept up to date by sqlite, so that counting reads no question. */
const index =
  "CREATE INDEX IF NOT EXISTS questions_waiting ON questions (expires_at, agent, session) WHERE answer IS NULL";

const counted =
  "count(*) AS total, sum(agent IS ?1) AS agent, sum(agent IS ?1 AND session = ?2) AS session " +
  "FROM questions WHERE answer IS NULL AND expires_at > ?3";

type Level = "total" | "agent" | "session";

/** Throws QueueFull where the question finds no room. SECURITY(T39): names of sessions are free, agents' are not. */
export function openQueueCapacity(
  database: DatabaseSync,
  orphans: Pick<OrphanedQuestions, "check">,
  now: () => number,
) {
  database.exec(index);
  const count = database.prepare(`SELECT ${counted}`);
  const countByOwner = database.prepare(`SELECT owner, ${counted} GROUP BY owner`);
  /** `session`: the key of the agent's session, as the rows have it. */
  return (session: string, agent: string): void => {
    if (problemOf(count.all(agent, session, now())) === null) return;
    // Those of killed processes wait for nobody, until somebody withdraws them.
    const isOrphan = orphans.check();
    const rows = countByOwner.all(agent, session, now()).filter(({ owner }) => !isOrphan({ owner, used: 0 }));
    const problem = problemOf(rows);
    if (problem !== null) throw new QueueFull(problem);
  };
}

function problemOf(rows: readonly Readonly<Record<string, unknown>>[]): string | null {
  const sum = (name: Level) => rows.reduce((all, row) => all + Number(row[name] ?? 0), 0);
  const [session, agent, total] = [sum("session"), sum("agent"), sum("total")];
  if (session >= limits.questionsWaiting) return `${session} questions of this session wait already`;
  if (isFull(agent, limits.questionsWaitingAgent, session))
    return `${agent} questions of this agent wait already, in all its sessions`;
  return isFull(total, limits.questionsWaitingTotal, agent) ? `${total} questions wait already, of all agents` : null;
}

/** `own`: how many of them are of the one that asks. */
function isFull(waiting: number, most: number, own: number): boolean {
  return waiting >= most || (waiting >= most * 0.75 && own >= limits.questionsAlways);
}
