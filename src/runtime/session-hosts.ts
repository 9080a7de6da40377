// The hosts that programs of each session wanted to reach, as the record has them. A program that stays open reads only what is new.

import type { EntryDecision } from "../audit/entry.ts";
import type { QueuedQuestion, RecordReader } from "../approval/shared-store.ts";
import { limits } from "../shared/limits.ts";
import { OneAtATime } from "../shared/one-at-a-time.ts";
import { sessionKey } from "../shared/session-id.ts";

export interface SessionHost {
  /** With its port. */
  readonly host: string;
  /** The last one: `allow` was reached, `deny` was refused, `ask` had no answer in time. */
  readonly decision: EntryDecision;
}

interface Seen extends SessionHost {
  readonly time: string;
}

interface OneSession {
  readonly agent: string;
  readonly session: string;
  readonly project: string | null;
  /** An ISO date. */
  readonly begun: string;
}

export class SessionHosts {
  readonly #record: RecordReader;
  readonly #turns = new OneAtATime();
  readonly #known = new Map<string, Map<string, Seen>>();
  #seq = 0;

  constructor(record: RecordReader) {
    this.#record = record;
  }

  /** Those since the session began, the latest first. */
  async of({ agent, session, begun }: OneSession): Promise<SessionHost[]> {
    await this.#turns.run(() => this.#read());
    const seen = [...(this.#known.get(sessionKey({ agent, name: session }))?.values() ?? [])];
    return seen
      .filter(({ time }) => time >= begun)
      .toReversed()
      .map(({ host, decision }) => ({ host, decision }));
  }

  async #read(): Promise<void> {
    const last = await this.#record.lastSeq();
    if (last === this.#seq) return;
    const found = [];
    for await (const entry of this.#record.list({ event: "network.opened", after: this.#seq, before: last + 1 }))
      found.push(entry);
    this.#seq = last;
    for (const { agent, session, args, decision, time } of found.toReversed()) {
      const host = (args as { readonly host?: unknown } | null)?.host;
      if (session === null || decision === null || typeof host !== "string") continue;
      const key = sessionKey({ agent: agent ?? "", name: session });
      const hosts = this.#known.get(key) ?? new Map<string, Seen>();
      this.#known.set(key, hosts);
      hosts.delete(host); // so that it comes last
      hosts.set(host, { host, decision, time });
      for (const oldest of hosts.keys()) if (hosts.size > limits.sessionHosts) hosts.delete(oldest);
    }
  }
}

/** Whether a program of the session waits for the answer. */
export function isOfSession({ question }: QueuedQuestion, { agent, session, project }: OneSession): boolean {
  const isOfProject = project === null || question.project === project;
  return question.session === session && question.action.agent === agent && isOfProject;
}
