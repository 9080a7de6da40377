// Opens the gate's side of the networks of boxes that reach single hosts.

import { networkInterfaces } from "node:os";
import type { Broker } from "../network/broker.ts";
import type { ConnectionJudge } from "../network/connection-judge.ts";
import type { CredentialRequest } from "../network/open/counted-request.ts";
import type { NetworkLimits } from "../network/traffic.ts";
import type { HostGrant } from "../policy/host-grant.ts";
import { lookUpAddresses } from "../process/network.ts";
import { limits } from "../shared/limits.ts";
import { ownPorts } from "../process/own-ports.ts";
import type { InsideServer } from "./inside-server.ts";

export interface NetworkOptions {
  readonly judge: ConnectionJudge;
  /** Hosts that are granted, or that the call names. */
  readonly grants: readonly HostGrant[];
  readonly limits: NetworkLimits;
  readonly stateDirectory: string;
  /** Where the gate writes a file that boxes show. */
  readonly directory: () => string;
  /** The person's environment, which may hold credentials for hosts. */
  readonly environment: Readonly<Record<string, string>>;
  /** A request that had a credential of the person has ended. */
  readonly requested: (request: CredentialRequest) => void;
  /** What programs reach at `limits.insidePort`. Null: nothing. */
  readonly inside: InsideServer | null;
  /** Whether programs find a proxy at `limits.proxyPort`. */
  readonly hasProxy: boolean;
}

/** The broker is loaded when a call needs it: most calls have no network. */
export async function openNetwork(options: NetworkOptions): Promise<Broker> {
  const { openBroker } = await import("../network/broker.ts");
  const { judge, grants, hasProxy, inside } = options;
  const isOpened = grants.some(({ open }) => open !== null);
  const opened = isOpened ? await (await import("./opened-hosts.ts")).openedHosts(options) : {};
  return openBroker({
    ...opened,
    judge,
    grants,
    limits: options.limits,
    lookup: lookUpAddresses,
    isOwnPort,
    proxyPort: hasProxy ? limits.proxyPort : null,
    inside: inside === null ? null : { port: limits.insidePort, serve: (connection) => inside.serve(connection) },
  });
}

/** SECURITY(T64): looked up for each connection, because a page may have been opened meanwhile. */
export function isOwnPort(address: string, port: number): boolean {
  return ownPorts().has(port) && isOfThisMachine(address);
}

function isOfThisMachine(address: string): boolean {
  if (address.startsWith("127.") || address === "::1" || address === "0.0.0.0" || address === "::") return true;
  return Object.values(networkInterfaces()).some((all) => all?.some((own) => own.address === address) === true);
}
