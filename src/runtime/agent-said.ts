// What an agent's client says about its own tools, as entries of the record.
// Invariant: it is kept apart from what the gate knows. Such an entry has neither call, tool, decision nor digest, is never counted as a
// call, and nothing reads it back to decide.

import { type Entry, safeJson } from "../audit/entry.ts";
import type { Journal } from "../audit/journal.ts";
import { type Clock, systemClock } from "../shared/clock.ts";
import { EntryBound } from "./entry-bound.ts";

export interface AgentSaid {
  /** The client, by the name that it gives itself. */
  readonly client: string;
  readonly tool: string;
  readonly input: unknown;
  /** The client's own name for its session. */
  readonly session: string | null;
}

interface Speaker {
  readonly session: string;
  readonly agent: string;
}

export function recordAgentSaid(journal: Journal, said: AgentSaid, speaker: Speaker): Entry {
  return append(journal, said, speaker);
}

/** What the programs of one box say: any of them can, as often as it likes. */
export interface SaidInBox {
  /** Records it, or counts it if there was too much. */
  add(said: AgentSaid): void;
  /** Records how much was left out. */
  close(): void;
}

export function openSaidInBox(journal: Journal, speaker: Speaker, clock: Clock = systemClock): SaidInBox {
  const bound = new EntryBound(clock);
  return {
    add(said) {
      // SECURITY(T75): bounded in time and in all, or a program could fill the record.
      if (bound.takes()) bound.wrote(safeJson(append(journal, said, speaker).args).length);
      // At once, because a gate that is killed writes nothing at the end.
      else if (bound.dropped === 1) append(journal, { dropped: 1 }, speaker);
    },
    close() {
      const { dropped } = bound;
      if (dropped > 1) append(journal, { dropped }, speaker);
    },
  };
}

/** SECURITY(T75): of no call. Its words would otherwise count as arguments of the call, and what is redacted of them as secrets of it. */
function append(journal: Journal, args: AgentSaid | { readonly dropped: number }, { session, agent }: Speaker): Entry {
  // Not durable: the next entry that is makes it survive a power cut, too.
  return journal.append({ event: "agent.said", session, agent, call_id: null, args }, { durable: false });
}
