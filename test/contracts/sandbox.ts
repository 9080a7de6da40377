// The sandbox contract: what every way of starting programs must hold, seen from inside a box and from the host.
// It runs on a real gate, as whatever user runs the tests; `name` is in front of each title.
// `rights`: only what the rights of that user bear on.

import { describeDeepGuards } from "./sandbox/deep-guards.ts";
import { describeExits } from "./sandbox/exits.ts";
import { describeGuards } from "./sandbox/guards.ts";
import { describeHiding } from "./sandbox/hiding.ts";
import { describeLimits } from "./sandbox/limits.ts";
import { describeLinks } from "./sandbox/links.ts";
import { describeNetwork } from "./sandbox/network.ts";
import { describePrivileges } from "./sandbox/privileges.ts";
import { describeProcesses } from "./sandbox/processes.ts";
import { describeReads } from "./sandbox/reads.ts";
import { describeStreams } from "./sandbox/streams.ts";
import { describeWrites } from "./sandbox/writes.ts";
import type { ContractContext } from "./sandbox/context.ts";

export function sandboxContract(name: string, context: ContractContext, part: "whole" | "rights" = "whole"): void {
  describeReads(name, context);
  describeWrites(name, context);
  describeHiding(name, context);
  describeLinks(name, context);
  describeLimits(name, context);
  describePrivileges(name, context);
  describeGuards(name, context);
  // The namespaces of a user are made in another way than root's.
  describeNetwork(name, context);
  describeProcesses(name, context);
  if (part === "rights") return;
  describeExits(name, context);
  describeStreams(name, context);
  describeDeepGuards(name, context);
}
