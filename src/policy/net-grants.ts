// An agent's `net_grants`: nothing, the whole network of the machine, or single hosts.

import { fail, ok, type Result } from "../shared/result.ts";
import { commonHostGrants, type HostGrant, parseHostGrant, type WrittenHostGrant } from "./host-grant.ts";
import { hostAndPortText } from "./host-pattern.ts";
import { hostSets, isHostSetName } from "./host-sets.ts";

export type WrittenNetGrant = string | WrittenHostGrant;

export interface NetGrants {
  /** `*`: programs have the network of the machine, as it is. */
  readonly isWhole: boolean;
  /** `ask`: programs may try any host, and a person is asked about each. */
  readonly isAsked: boolean;
  readonly hosts: readonly HostGrant[];
}

/** A failure's message begins with the index of the entry that is wrong, and its field. */
export function parseNetGrants(written: readonly WrittenNetGrant[]): Result<NetGrants> {
  const isWhole = written.includes("*");
  const hosts = new Map<string, HostGrant>();
  for (const [index, entry] of written.entries()) {
    if (entry === "*" || entry === "ask") {
      if (isWhole && written.length > 1)
        return fail("invalid_args", `[${index}]: "*" is the whole network, so other entries say nothing`, {
          hint: 'Write ["*"] alone, or single hosts.',
        });
      continue;
    }
    const grants = parseHostGrant(entry);
    if (!grants.ok) return fail("invalid_args", `[${index}].${grants.failure.message}`, { hint: grants.failure.hint });
    for (const grant of grants.value) {
      const place = hostAndPortText(grant.host, grant.port);
      const same = hosts.get(place);
      if (same !== undefined && saysMore(same) && saysMore(grant))
        return fail("invalid_args", `[${index}].host: ${place} has an entry already`, { hint: "Keep one of the two." });
      if (same === undefined || saysMore(grant)) hosts.set(place, grant);
    }
  }
  return ok({ isWhole, isAsked: written.includes("ask"), hosts: [...hosts.values()] });
}

function saysMore({ open, isPrivate }: HostGrant): boolean {
  return open !== null || isPrivate;
}

/** What both sides grant. */
export function narrowNetGrants(parent: NetGrants, narrower: NetGrants): NetGrants {
  if (narrower.isWhole) return parent;
  const isAsked = narrower.isAsked && (parent.isAsked || parent.isWhole || parent.hosts.length > 0);
  const hosts = parent.isWhole ? narrower.hosts : commonHostGrants(parent.hosts, narrower.hosts);
  return { isWhole: false, isAsked, hosts };
}

/** Ends each line about what is reached and nobody is asked about. */
export const ownException = ", by your own exception";

/** One line for each entry, with what it opens. They hold names of hosts as written. */
export function describeNetGrants({ isWhole, isAsked, hosts }: NetGrants): readonly string[] {
  if (isWhole) return [`the whole network of this machine${ownException}`];
  const sets = new Map<string, string[]>();
  for (const { text, host, port, isPrivate, open } of hosts) {
    const place = hostAndPortText(host, port);
    const more = [
      ...(isPrivate ? ["also at a private address"] : []),
      ...(open === null ? [] : [`opened by the gate: ${open.methods?.join(" ") ?? "any method"}`]),
      ...(open?.credential == null ? [] : ["with a credential of yours"]),
      ...(open?.cache === true ? ["cached"] : []),
    ];
    const line = [place, ...more].join(", ");
    sets.set(text, [...(sets.get(text) ?? []), line]);
  }
  const lines = [...sets].map(([text, places]) =>
    isHostSetName(text)
      ? `${text}: ${places.join("; ")} (${hostSets[text].opens})${ownException}`
      : `${places.join()}${ownException}`,
  );
  return isAsked ? [...lines, "any other host, after a question"] : lines;
}

/** For lists that were checked before. This throws, because a wrong one is a bug in the caller. */
export function netGrantsOf(written: NetGrants | readonly WrittenNetGrant[]): NetGrants {
  if (!isWritten(written)) return written;
  const parsed = parseNetGrants(written);
  if (!parsed.ok) throw new TypeError(`net_grants${parsed.failure.message}`);
  return parsed.value;
}

function isWritten(grants: NetGrants | readonly WrittenNetGrant[]): grants is readonly WrittenNetGrant[] {
  return Array.isArray(grants);
}
