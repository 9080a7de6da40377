// Hosts that the reader of a script found, and how a host with its port is written.

import type { Effect } from "../action/effect.ts";
import { hostText, parseOneHost } from "../policy/host-pattern.ts";

export interface FoundHost {
  readonly host: string;
  readonly port: number;
}

/** As in effects, rules and questions. */
export function foundHostText({ host, port }: FoundHost): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** `localhost` is 127.0.0.1 and ::1. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host.startsWith("127.");
}

/** The host that a program inside would reach. Null if it is not known, or the box itself. */
export function foundHost(effect: Effect): FoundHost | null {
  if (effect.kind !== "network" || effect.at !== "inside") return null;
  const found = parseOneHost(effect.host);
  if (found === null || found.port === null) return null;
  const host = hostText(found.host);
  return isLoopback(host) ? null : { host, port: found.port };
}
