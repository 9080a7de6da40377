// The hosts that a call names in `needs.network`, and what the box has of the network with them.

import type { Capability } from "../../policy/capability.ts";
import { hostAndPortText, parseHostAndPort } from "../../policy/host-pattern.ts";
import { hostSets, isHostSetName } from "../../policy/host-sets.ts";
import type { NetworkVariables } from "../../process/box-environment.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { PlanContext } from "../tool.ts";

/** `true` or `false`, hosts with their ports, or names of sets of hosts. A host alone means port 443. */
export type NeededNetwork = boolean | readonly string[];

const HTTPS = 443;

/** Each host once, with its port. */
export function parseNeededHosts(needed: NeededNetwork | undefined): Result<readonly string[]> {
  if (typeof needed !== "object") return ok([]);
  const hosts = new Set<string>();
  for (const [index, text] of needed.entries()) {
    for (const one of isHostSetName(text) ? hostSets[text].hosts : [text]) {
      const parsed = parseHostAndPort(one);
      const wrong = (reason: string, hint = "Name single hosts with their ports, as in example.org:443.") =>
        fail("invalid_args", `needs.network[${index}]: ${reason}`, { hint });
      if (!parsed.ok) return wrong(parsed.failure.message, parsed.failure.hint);
      const { host, port } = parsed.value;
      const isOne = host.kind === "range" ? !one.includes("/") : host.kind !== "below";
      if (!isOne || port === "any") return wrong(`${JSON.stringify(one)} is more than one host and port`);
      hosts.add(hostAndPortText(host, port ?? HTTPS));
    }
  }
  return ok([...hosts].sort());
}

/** What the box has of the network, if the call may have what it needs. */
export function networkWith(
  needed: NeededNetwork | undefined,
  hosts: readonly string[],
  { network }: PlanContext,
): PlanContext["network"] {
  if (needed === true) return "host";
  return network === "none" && hosts.length > 0 ? "hosts" : network;
}

export function networkVariables(
  network: PlanContext["network"],
  { netProxy, netGrants }: Capability,
): readonly NetworkVariables[] {
  if (network !== "hosts") return network === "none" ? ["offline"] : [];
  const isOpened = netGrants.hosts.some(({ open }) => open !== null);
  return [...(netProxy ? (["proxy"] as const) : []), ...(isOpened ? (["certificates"] as const) : [])];
}
