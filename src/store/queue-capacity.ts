// Limits the number of waiting questions: for a session, for an agent, and in total.
// Invariant: no session can use up an agent's limit, and no agent the total limit. The last quarter is reserved for those with
// few questions.

import type { Database } from "./database.ts";
import { QueueFull } from "../approval/shared-store.ts";
import { limits } from "../shared/limits.ts";
import type { QuestionRows } from "./question-rows.ts";
import type { DatabaseRow } from "./row.ts";

/** SQLite maintains this index, so that counting reads no question. */
export const waitingIndex =
  "CREATE INDEX IF NOT EXISTS questions_waiting ON questions (expires_at, agent, session) WHERE answer IS NULL";

const counted =
  "count(*) AS total, sum(agent IS ?1) AS agent, sum(agent IS ?1 AND session = ?2) AS session " +
  "FROM questions WHERE answer IS NULL AND expires_at > ?3";

type Level = "total" | "agent" | "session";

/**
 * Throws QueueFull if there is no room for the question. `session` is the key of the agent's session, as stored in the rows.
 * SECURITY(T39): a client can choose any session name, but not its agent, so sessions alone would not limit it.
 */
export function checkQueueCapacity(
  database: Database,
  rows: QuestionRows,
  asker: { readonly session: string; readonly agent: string; readonly now: number },
): void {
  const { session, agent, now } = asker;
  if (problemOf(database.prepare(`SELECT ${counted}`).all(agent, session, now)) === null) return;
  // Questions of killed processes do not count, although they stay until a member withdraws them.
  const isOrphan = rows.orphanCheck();
  const byOwner = database.prepare(`SELECT owner, 0 AS used, ${counted} GROUP BY owner`).all(agent, session, now);
  const problem = problemOf(byOwner.filter((row) => !isOrphan(row)));
  if (problem !== null) throw new QueueFull(problem);
}

function problemOf(rows: readonly DatabaseRow[]): string | null {
  const sum = (name: Level) => rows.reduce((all, row) => all + Number(row[name] ?? 0), 0);
  const [session, agent, total] = [sum("session"), sum("agent"), sum("total")];
  if (session >= limits.questionsWaiting) return `${session} questions of this session wait already`;
  if (isFull(agent, limits.questionsWaitingAgent, session))
    return `${agent} questions of this agent wait already, in all its sessions`;
  return isFull(total, limits.questionsWaitingTotal, agent) ? `${total} questions wait already, of all agents` : null;
}

/** `own` is the number of questions of the one that asks. */
function isFull(waiting: number, most: number, own: number): boolean {
  return waiting >= most || (waiting >= most * 0.75 && own >= limits.questionsAlways);
}
