// Judges the hosts that the programs of one call connect to: by the agent's grants, the rules, remembered answers, and a person.
// Invariant: every verdict is on record before the connection that it allows. A host is judged once in a call, and
// again only when a question about it was answered.

import type { Grant } from "../approval/grant.ts";
import { connectOperation } from "../approval/offer.ts";
import type { ConnectionJudge, ConnectionVerdict } from "../network/connection-judge.ts";
import type { HostUse } from "../network/host-use.ts";
import { grantForHost, opensPrivate } from "../policy/host-grant.ts";
import type { Failure } from "../shared/failure.ts";
import { parseIpAddress } from "../shared/ip-address.ts";
import { limits } from "../shared/limits.ts";
import type { LiveCall } from "./call-context.ts";
import { type FoundHost, foundHostText, isLoopback } from "./found-host.ts";
import type { Judged, Walk } from "./walk.ts";

const unused = {
  refused: 0,
  refusal: null,
  connections: 0,
  requests: 0,
  bytesOut: 0,
  bytesIn: 0,
  bytesKept: 0,
  addresses: [],
} as const;

interface HostAsking {
  /** How long a question waits. */
  readonly mostMs: number;
  /** False: what is neither granted nor remembered is refused. */
  readonly asksPerson: boolean;
}

export class HostAccess implements ConnectionJudge {
  readonly #walk: Walk;
  readonly #live: LiveCall;
  /** What the call itself names, and was granted. */
  readonly #named: ReadonlySet<string>;
  readonly #verdicts = new Map<string, Promise<ConnectionVerdict>>();
  #asksPerson = true;
  /** Refused because nobody was asked. */
  readonly #unasked = new Set<string>();

  constructor(walk: Walk, live: LiveCall, { action }: Grant) {
    const { network } = action.view;
    this.#walk = walk;
    this.#live = live;
    this.#named = new Set(typeof network === "object" ? network.hosts : []);
  }

  /** From now on, connections are only what is allowed already. A program has to request every other host. */
  askNobody(): void {
    this.#asksPerson = false;
  }

  /** A program waits for the answer, and most give up soon. The question stays open after that. */
  judge(host: string, port: number): Promise<ConnectionVerdict> {
    return this.#once(host, port, limits.connectionHoldMs);
  }

  /** A program asks for the host without connecting to it. */
  async request(host: string, port: number, mostMs: number): Promise<ConnectionVerdict> {
    const name = foundHostText({ host, port });
    const known = await this.#verdicts.get(name);
    const isSettled = known?.decision === "allow" || (known?.decision === "deny" && !this.#unasked.has(name));
    return known !== undefined && isSettled ? known : await this.#anew(host, port, { mostMs, asksPerson: true });
  }

  /** Before the call runs: no program waits yet, so a question waits as long as any other. */
  async ask(hosts: readonly FoundHost[]): Promise<readonly HostUse[]> {
    return await Promise.all(
      hosts.map(async ({ host, port }) => {
        const verdict = await this.#once(host, port, Infinity);
        const question = verdict.decision === "ask" ? verdict.question : null;
        const why = verdict.decision === "allow" ? null : verdict.why;
        return { ...unused, host, port, decision: verdict.decision, question, why };
      }),
    );
  }

  /** A host that waits for an answer is judged again when there is one. */
  async #once(host: string, port: number, mostMs: number): Promise<ConnectionVerdict> {
    const known = this.#verdicts.get(foundHostText({ host, port }));
    if (known !== undefined && !(await this.#isAnsweredSince(await known))) return await known;
    return await this.#anew(host, port, { mostMs, asksPerson: this.#asksPerson });
  }

  async #isAnsweredSince(verdict: ConnectionVerdict): Promise<boolean> {
    if (verdict.decision !== "ask" || verdict.question === null) return false;
    const queued = await this.#walk.context.session.backend.store.queue.find(verdict.question);
    return queued === undefined || queued.answer !== null;
  }

  #anew(host: string, port: number, asking: HostAsking): Promise<ConnectionVerdict> {
    const name = foundHostText({ host, port });
    const verdict = this.#judge(host, port, asking);
    this.#verdicts.set(name, verdict);
    return verdict;
  }

  async #judge(host: string, port: number, asking: HostAsking): Promise<ConnectionVerdict> {
    const name = foundHostText({ host, port });
    const judged = this.#judged(name);
    const verdict = await this.#verdict(host, port, judged, asking);
    if (verdict.decision === "deny" && !asking.asksPerson) this.#unasked.add(name);
    else this.#unasked.delete(name);
    this.#live.record.opened(judged, verdict.decision, verdict.decision === "allow" ? null : verdict.why);
    return verdict;
  }

  async #verdict(
    host: string,
    port: number,
    judged: Judged,
    { mostMs, asksPerson }: HostAsking,
  ): Promise<ConnectionVerdict> {
    const grant = grantForHost(this.#walk.context.capability.netGrants.hosts, host, port) ?? null;
    // What was allowed is the address itself, and not a name that leads to it.
    const isAddress = host === "localhost" || parseIpAddress(host) !== null;
    const mayBePrivate = isAddress || (grant !== null && opensPrivate(grant));
    const allowed = { decision: "allow", mayBePrivate, grant } as const;
    const { decision } = judged.verdict;
    if (decision === "allow" || (decision === "ask" && this.#named.has(foundHostText({ host, port })))) return allowed;
    // The box's own localhost is meant far more often than the machine's.
    if (decision === "ask" && isLoopback(host))
      return {
        decision: "deny",
        why: `the machine's own ${foundHostText({ host, port })} has to be granted, or named in needs.network`,
      };
    let question: string | null = null;
    const granted = await this.#walk.grant(judged, asksPerson ? "person" : "memory", {
      mostMs,
      onAsked: ({ id }) => (question = id),
    });
    if (granted.ok) return allowed;
    return refusedBy(granted.failure, question);
  }

  #judged(name: string): Judged {
    const { tool, session, capability } = this.#walk.context;
    return this.#walk.judge({
      tool,
      agent: session.id.agent,
      steps: [],
      operation: { name: connectOperation, path: name, mode: "r", details: {} },
      contents: [],
      stopsAtFailure: true,
      view: { paths: [], links: [], workspace: { kind: "scratch" }, network: { hosts: [name] } },
      effects: [
        { kind: "tool", tool },
        { kind: "network", host: name },
      ],
      limits: capability.limits,
    });
  }
}

function refusedBy({ error, message }: Failure, question: string | null): ConnectionVerdict {
  // A person's no, or a rule's. Everything else is no answer yet.
  if (error === "approval_denied" || question === null) return { decision: "deny", why: message };
  return { decision: "ask", question, why: message };
}
