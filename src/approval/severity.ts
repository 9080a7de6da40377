// The order of how much is at stake.

import type { Severity } from "./approver.ts";

export const severityRanks: Readonly<Record<Severity, number>> = { low: 0, medium: 1, high: 2 };

/** The lowest of them. */
export function leastSeverity(severities: readonly [Severity, ...Severity[]]): Severity {
  return severities.reduce((least, one) => (severityRanks[one] < severityRanks[least] ? one : least));
}

/** The highest of them; `low` if there are none. */
export function mostSevere(severities: readonly Severity[]): Severity {
  return severities.reduce<Severity>((most, one) => (severityRanks[one] > severityRanks[most] ? one : most), "low");
}
