// Refuses a run whose configuration names a credential that is not there: an agent would start, and fail at its first request.

import type { Environment } from "../../config/environment.ts";
import type { Gate } from "../../runtime/session-gate.ts";
import { readHostSecret } from "../../runtime/host-secret.ts";
import { displayText } from "../../shared/display.ts";
import { UsageError } from "../usage-error.ts";

export function needSecrets({ agent, capability }: Gate, environment: Environment): void {
  for (const { text, open } of capability.netGrants.hosts) {
    const credential = open?.credential ?? null;
    const secret = credential === null ? null : readHostSecret(credential, environment);
    if (secret?.ok !== false) continue;
    const { message, hint } = secret.failure;
    throw new UsageError(displayText(`agents.${agent}.net_grants: ${text}: ${message}`), displayText(hint ?? ""));
  }
}
