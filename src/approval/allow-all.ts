// --dangerously-allow-all: says yes to every question, except for what leaves the machine. A deny stays a deny.

import type { Approver } from "./approver.ts";
import { askedFindings } from "./offer.ts";

export const allowAll: Approver = {
  name: "--dangerously-allow-all",
  async ask({ action, verdict }) {
    if (askedFindings(verdict).some(({ effect }) => effect.kind === "push" || effect.kind === "pull")) return null;
    return { decision: "allow", digest: action.digest, scope: "once", who: "--dangerously-allow-all", reason: null };
  },
};
