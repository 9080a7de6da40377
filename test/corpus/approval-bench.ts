// A case about approvals on the bench: a world with a configuration and a log of its own, because answers are kept there.

import { strict as assert } from "node:assert";
import { mkdirSync } from "node:fs";
import {
  type Approver,
  createGate,
  type AnswerService,
  type Gate,
  type Question,
  type Reply,
} from "../../src/index.ts";
import type { RuleText } from "../../src/policy/rule.ts";
import { scripted } from "../fixtures/approver.ts";
import { configOf, createToolRegistry, type ExecArgs, type Grants, usualGrants } from "./bench.ts";
import type { World } from "./world.ts";

export interface ApprovalGate {
  readonly approvers?: readonly (Approver | ((answerService: AnswerService) => Approver))[];
  readonly rules?: readonly RuleText[];
  readonly grants?: Grants;
  readonly project?: string;
  readonly more?: Record<string, unknown>;
}

export const configHomeOf = (world: World) => `${world.directory}/config`;
export const stateOf = (world: World) => `${world.directory}/state`;

export function openApprovalGate(world: World, options: ApprovalGate = {}): Gate {
  const { approvers = [], rules = [], grants = usualGrants(world), project = world.root, more = {} } = options;
  mkdirSync(configHomeOf(world), { recursive: true, mode: 0o700 });
  const before = process.env["XDG_CONFIG_HOME"];
  process.env["XDG_CONFIG_HOME"] = configHomeOf(world);
  try {
    return createGate({
      registry: createToolRegistry(),
      statePath: stateOf(world),
      project,
      session: "approval",
      configText: configOf(grants, { policy: { rules }, ...more }),
      approvers,
    });
  } finally {
    process.env["XDG_CONFIG_HOME"] = before;
  }
}

export async function withApprovalGate<T>(
  world: World,
  options: ApprovalGate,
  work: (gate: Gate) => Promise<T>,
): Promise<T> {
  const gate = openApprovalGate(world, options);
  try {
    return await work(gate);
  } finally {
    gate.close();
  }
}

/** What a person would be shown of this call; it is refused. */
export async function shown(
  world: World,
  args: ExecArgs,
  rules: readonly RuleText[] = [],
): Promise<{ question: Question | undefined; reply: Reply }> {
  const approver = scripted(() => ({ decision: "deny" }));
  return withApprovalGate(world, { approvers: [approver], rules }, async (gate) => {
    const reply = await gate.call({ tool: "Exec", args });
    assert.ok(!reply.ok);
    return { question: approver.asked[0], reply };
  });
}
