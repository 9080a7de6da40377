// The network of one call that reaches single hosts: opened before its first program starts, closed after the last.

import type { Grant } from "../approval/grant.ts";
import type { Broker } from "../network/broker.ts";
import type { HostUse } from "../network/host-use.ts";
import type { NetworkLimits } from "../network/traffic.ts";
import { grantForHost, type HostGrant, parseHostGrant } from "../policy/host-grant.ts";
import { hostSetOf } from "../policy/host-sets.ts";
import type { BoxNetwork } from "../process/box-network.ts";
import type { Outcome } from "../process/outcome.ts";
import { limits } from "../shared/limits.ts";
import type { RunLimits } from "../shared/run-limits.ts";
import type { StepNetwork } from "../tools/tool.ts";
import { openRequestLines, type RequestLines } from "./credential-requests.ts";
import { type FoundHost, foundHost, foundHostText } from "./found-host.ts";
import { HostAccess } from "./host-access.ts";
import type { Walk } from "./walk.ts";

export interface CallNetwork {
  /** What a box of the call needs. Null: its programs have no network. */
  readonly box: BoxNetwork | null;
  /** After a program has ended: what it reached and what it did not. The next program may follow. */
  endStep(outcome: Outcome): Promise<{ readonly outcome: Outcome; readonly network: StepNetwork }>;
  /** Both throw if the record of a request could not be written. */
  close(): void;
}

/** Nothing that the call could reach was allowed, so its boxes have no network, as without hosts. */
function closedNetwork(uses: readonly HostUse[]): CallNetwork {
  return {
    box: null,
    endStep: (outcome) => Promise.resolve({ outcome, network: { isOpen: false, uses, unreached: [] } }),
    close: () => undefined,
  };
}

class OpenedNetwork implements CallNetwork {
  readonly #broker: Broker;
  readonly #walk: Walk;
  readonly #requests: RequestLines;
  #before: readonly HostUse[] = [];

  constructor(broker: Broker, walk: Walk, requests: RequestLines) {
    this.#broker = broker;
    this.#walk = walk;
    this.#requests = requests;
  }

  get box(): BoxNetwork {
    return this.#broker;
  }

  async endStep(outcome: Outcome): Promise<{ readonly outcome: Outcome; readonly network: StepNetwork }> {
    await this.#broker.endBox();
    this.#requests.check();
    const uses = this.#broker.uses().map((use) => since(use, this.#before));
    this.#before = this.#broker.uses();
    const network = {
      isOpen: true,
      uses: uses.filter(({ isUsed }) => isUsed).map(({ use }) => use),
      unreached: this.#broker.unreachedNames(),
    };
    const isCut = this.#broker.limitHit && outcome.limitHit === null;
    return { outcome: isCut ? { ...outcome, limitHit: "network" } : outcome, network };
  }

  close(): void {
    this.#broker.close();
    const { live } = this.#walk.context;
    live?.inside?.reaches(null);
    this.#requests.close();
    for (const use of this.#broker.uses()) {
      const { host, port, connections, requests, refused, bytesOut, bytesIn, bytesKept, addresses } = use;
      // `network.opened` has why a host was not allowed. What happened to one that was is said here.
      const why = use.refusal ?? (use.decision === "allow" ? use.why : null);
      if (connections === 0 && bytesKept === 0 && why === null) continue;
      const more = { ...(requests > 0 && { requests }), ...(bytesKept > 0 && { bytes_kept: bytesKept }) };
      const failed = { ...(refused > 0 && { refused }), ...(why !== null && { why }) };
      live?.record.used(
        { host: foundHostText({ host, port }) },
        { connections, ...more, ...failed, bytes_out: bytesOut, bytes_in: bytesIn, addresses },
      );
    }
  }
}

/** Null if the call reaches no single hosts. */
export async function openCallNetwork(grant: Grant, walk: Walk): Promise<CallNetwork | null> {
  const { action } = grant;
  const { session, capability, live } = walk.context;
  if (typeof action.view.network !== "object" || live === null) return null;
  const { hosts } = capability.netGrants;
  const access = new HostAccess(walk, live, grant);
  const named = action.view.network.hosts;
  // Where the call names its hosts, those that a package manager usually reaches are only a guess: a project can have a registry of
  // its own. If a program connects to one, the person is asked then.
  const isGuess = (found: FoundHost) => named.length > 0 && isOfPackages(found);
  const found = action.effects.map(foundHost).filter((one) => one !== null);
  const asked = await access.ask(
    found.filter((one) => grantForHost(hosts, one.host, one.port) === undefined && !isGuess(one)),
  );
  const reachesHosts =
    walk.context.reachesHosts ||
    action.view.network.hosts.length > 0 ||
    asked.some(({ decision }) => decision === "allow");
  const { inside } = live;
  if (!reachesHosts && inside === null) return closedNetwork(asked);
  if (!reachesHosts) access.askNobody();
  // SECURITY(T17): a box whose requests cannot be recorded makes no more of them.
  const requests = openRequestLines(live.record, () => broker.close());
  const broker = await session.machine.openNetwork({
    judge: access,
    grants: [...hosts, ...action.view.network.hosts.flatMap(namedGrant)],
    limits: networkLimits(action.limits),
    stateDirectory: session.backend.config.stateDirectory,
    directory: () => session.backend.sandbox.makePrivateDirectory(),
    environment: session.backend.environment,
    requested: (request) => requests.add(request),
    inside,
    hasProxy: capability.netProxy,
  });
  inside?.reaches({
    async request(host, port, mostMs) {
      const verdict = await access.request(host, port, mostMs);
      const why = verdict.decision === "allow" ? null : verdict.why;
      const question = verdict.decision === "ask" ? verdict.question : null;
      return { decision: verdict.decision, why, question, isListening: broker.listensFor(host, port) };
    },
  });
  return new OpenedNetwork(broker, walk, requests);
}

function isOfPackages(found: FoundHost): boolean {
  const set = hostSetOf(foundHostText(found));
  return set !== undefined && set !== "github";
}

const MiB = 1024 * 1024;

function networkLimits(written: RunLimits): NetworkLimits {
  const {
    networkConnections = limits.networkConnections,
    networkOutMb = limits.networkOutMb,
    networkInMb = limits.networkInMb,
    networkIdleS = limits.networkIdleS,
  } = written;
  return {
    connections: networkConnections,
    outBytes: networkOutMb * MiB,
    inBytes: networkInMb * MiB,
    idleMs: networkIdleS * 1000,
  };
}

/** What the call names gets its listeners as if it were granted. The judge decides. */
function namedGrant(text: string): readonly HostGrant[] {
  const parsed = parseHostGrant(text);
  return parsed.ok ? parsed.value : [];
}

interface CountedUse {
  readonly use: HostUse;
  readonly isUsed: boolean;
}

/** What was used since then. A host that was only judged counts as used. */
function since(use: HostUse, before: readonly HostUse[]): CountedUse {
  const last = before.find(({ host, port }) => host === use.host && port === use.port);
  if (last === undefined) return { use, isUsed: true };
  const connections = use.connections - last.connections;
  const requests = use.requests - last.requests;
  const bytesOut = use.bytesOut - last.bytesOut;
  const bytesIn = use.bytesIn - last.bytesIn;
  const bytesKept = use.bytesKept - last.bytesKept;
  const refused = use.refused - last.refused;
  return {
    use: { ...use, refused, connections, requests, bytesOut, bytesIn, bytesKept },
    isUsed: connections > 0 || refused > 0 || bytesKept > 0 || use.decision !== last.decision,
  };
}
