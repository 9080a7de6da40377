// Where a box listens, for the hosts that are granted. A program can connect only to these; the kernel refuses other ports.
// Ports below 1024 have a listener for every address, because no program in a box can listen there itself. Other ports have one for
// the address of each name only, so that a program's own server on 127.0.0.1:8080 gets what is sent to it.

import type { HostGrant } from "../policy/host-grant.ts";
import type { BoxListener } from "../process/box-network.ts";
import { parseIpAddress } from "../shared/ip-address.ts";
import type { NameMap } from "./names.ts";

const everywherePorts = [22, 80, 443];
/** Of a grant for every port. */
const usualPorts = [...everywherePorts, 8080, 8443, 5432, 3306, 6379, 9418];

/** `ownPorts`: of the gate itself, at 127.0.0.1 of the box. */
export function boxListeners(
  grants: readonly HostGrant[],
  names: NameMap,
  ownPorts: readonly (number | null)[],
): BoxListener[] {
  const wanted = [
    ...everywherePorts.map((port) => tcp(null, port)),
    { kind: "dns" as const, address: "0.0.0.0", port: 53 },
    ...ownPorts.flatMap((port) => (port === null ? [] : [tcp("127.0.0.1", port)])),
    ...grants.flatMap((grant) => listenersOf(grant, names)),
  ];
  const everywhere = new Set(wanted.filter(({ address }) => address === null).map(({ port }) => port));
  const needed = wanted.filter(
    ({ kind, address, port }) => kind === "dns" || address === null || !everywhere.has(port),
  );
  return [...new Map(needed.map((one) => [`${one.kind} ${one.address} ${one.port}`, one])).values()];
}

function listenersOf(grant: HostGrant, names: NameMap): BoxListener[] {
  const addresses = addressesOf(grant, names);
  // A pattern for every port would take the ports of programs' own servers.
  const ports = grant.port !== null ? [grant.port] : addresses.includes(null) ? everywherePorts : usualPorts;
  return ports.flatMap((port) => addresses.map((address) => tcp(address, port)));
}

/** Null: the addresses are not known before programs look the names up. */
function addressesOf({ host }: HostGrant, names: NameMap): (string | null)[] {
  switch (host.kind) {
    case "name": {
      const address = names.reserve(host.name);
      return address === null ? [] : [address];
    }
    case "localhost":
      return ["127.0.0.1", "::1"];
    case "below":
      return [null];
    case "range":
      return [host.bits === parseIpAddress(host.address)?.bits ? host.address : null];
  }
}

const tcp = (address: string | null, port: number): BoxListener => ({ kind: "tcp", address, port });
