// A host grant: one host, or a pattern of hosts, with a port, that an agent's programs may reach.
// Invariant: the grant that names a host most exactly decides about it, whatever their order.

import { fail, ok, type Result } from "../shared/result.ts";
import { coversHost, hostAndPortText, type HostPattern, parseHostAndPort, parseOneHost } from "./host-pattern.ts";
import { hostSets, isHostSetName } from "./host-sets.ts";
import { type OpenHost, parseOpenHost, type WrittenOpenHost } from "./open-host.ts";

/** As in a configuration. Text is the same with nothing but `host`. */
export interface WrittenHostGrant extends WrittenOpenHost {
  /** Without a port, 443 is meant. Also the name of a set of hosts. */
  readonly host: string;
  readonly port?: number | "*" | undefined;
  readonly private?: boolean | undefined;
}

export interface HostGrant {
  /** As it was written, for messages. */
  readonly text: string;
  readonly host: HostPattern;
  /** Null is any port. */
  readonly port: number | null;
  /** Whether the name may lead to private addresses. */
  readonly isPrivate: boolean;
  /** What the gate does inside the connections; null if it does not open them. */
  readonly open: OpenHost | null;
}

const DEFAULT_PORT = 443;

/** A set of hosts gives several. A failure's message begins with the field that is wrong. */
export function parseHostGrant(written: string | WrittenHostGrant): Result<readonly HostGrant[]> {
  const { host, port, private: isPrivate = false, ...rest } = typeof written === "string" ? { host: written } : written;
  const open = parseOpenHost(rest);
  if (!open.ok) return open;
  const isSet = isHostSetName(host);
  if (isSet && port !== undefined) return wrong("port", `the set ${host} has ports of its own`, "Leave it out.");
  const grants: HostGrant[] = [];
  for (const one of isSet ? hostSets[host].hosts : [host]) {
    const place = parsePlace(one, port);
    if (!place.ok) return place;
    const problem = open.value === null ? null : openProblem(open.value, place.value.host, isSet);
    if (problem !== null) return problem;
    const text = isSet ? host : hostAndPortText(place.value.host, place.value.port);
    grants.push({ text, ...place.value, isPrivate, open: open.value });
  }
  return ok(grants);
}

function parsePlace(host: string, port: number | "*" | undefined): Result<Place> {
  const parsed = parseHostAndPort(host);
  if (!parsed.ok) return wrong("host", parsed.failure.message, parsed.failure.hint);
  const { host: pattern, port: written } = parsed.value;
  if (written !== null && port !== undefined) return wrong("port", "is written twice", "Leave one of the two out.");
  if (host.includes(":") && written === null && !host.startsWith("["))
    return wrong("host", `${JSON.stringify(host)} could end with a port`, `Write [${host}] or [${host}]:443.`);
  const meant = port ?? written ?? DEFAULT_PORT;
  return ok({ host: pattern, port: typeof meant === "number" ? meant : null });
}

/** The gate can answer for a name only, and puts a credential only into what one named host gets. */
function openProblem(open: OpenHost, host: HostPattern, isSet: boolean): ReturnType<typeof wrong> | null {
  if (host.kind === "range") return wrong("open", "an address has no certificate of its own", "Name the host.");
  if (open.credential !== null && (isSet || host.kind === "below"))
    return wrong("credential", "is for one host, not for several", "Write one entry for each host.");
  return null;
}

function wrong(field: string, reason: string, hint: string | undefined) {
  return fail("invalid_args", `${field}: ${reason}`, { hint });
}

/** Whether the grant names the addresses themselves, or says that the name may lead to private ones. */
export function opensPrivate({ host, isPrivate }: HostGrant): boolean {
  return isPrivate || host.kind === "localhost" || host.kind === "range";
}

/** The grant that decides about a connection. A port of null is not known: only a grant for any port covers it. */
export function grantForHost(grants: readonly HostGrant[], host: string, port: number | null): HostGrant | undefined {
  const one = parseOneHost(host);
  if (one === null) return undefined;
  return mostExact(grants.filter((grant) => covers(grant, { host: one.host, port })));
}

interface Place {
  readonly host: HostPattern;
  readonly port: number | null;
}

function covers(outer: Place, inner: Place): boolean {
  return (outer.port === null || outer.port === inner.port) && coversHost(outer.host, inner.host);
}

function mostExact(grants: readonly HostGrant[]): HostGrant | undefined {
  return grants.toSorted(byExactness)[0];
}

/** The host counts first, then the port. Of two grants for the same, the one that opens less. */
function byExactness(a: HostGrant, b: HostGrant): number {
  return (
    hostRank(b.host) - hostRank(a.host) ||
    Number(a.port === null) - Number(b.port === null) ||
    Number(a.open === null) - Number(b.open === null) ||
    Number(a.isPrivate) - Number(b.isPrivate) ||
    (a.text < b.text ? -1 : 1)
  );
}

function hostRank(host: HostPattern): number {
  switch (host.kind) {
    case "name":
    case "localhost":
      return 10_000;
    case "range":
      return host.bits;
    case "below":
      return host.suffix.length * 2 + Number(!host.isDeep);
  }
}

/**
 * What both lists grant. Privacy and the inside of connections are as in the parent's grant that decides there, so that the result
 * never opens a host that the parent does not, nor more of it.
 */
export function commonHostGrants(parent: readonly HostGrant[], narrower: readonly HostGrant[]): readonly HostGrant[] {
  const places = parent.flatMap((outer) =>
    narrower.flatMap((inner): Place[] => {
      if (outer.port !== null && inner.port !== null && outer.port !== inner.port) return [];
      const host = coversHost(outer.host, inner.host) ? inner.host : outer.host;
      return coversHost(inner.host, host) && coversHost(outer.host, host)
        ? [{ host, port: outer.port ?? inner.port }]
        : [];
    }),
  );
  const distinct = new Map(places.map((place) => [hostAndPortText(place.host, place.port), place]));
  return [...distinct].flatMap(([text, place]): HostGrant[] => {
    const deciding = mostExact(parent.filter((grant) => covers(grant, place)));
    return deciding === undefined ? [] : [{ ...deciding, ...place, text }];
  });
}
