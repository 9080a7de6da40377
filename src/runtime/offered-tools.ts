// The tools that an agent is granted, described for a model and a client.

import type { SharedRule } from "../approval/shared-store.ts";
import { allowsWholeNetwork, allowsTool } from "../policy/capability.ts";
import type { Tool } from "../tools/tool.ts";
import { describeTool, type Schema, type ToolDescription } from "../tools/tool-schema.ts";
import { failureSlugs } from "../shared/failure.ts";
import type { Gate } from "./session-gate.ts";

/** A JSON Schema (2020-12) of an object. */
export type ObjectSchema = Schema & { readonly type: "object" };

export interface OfferedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  /** The schema of the whole reply, so a refusal matches it too. */
  readonly outputSchema: ObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

export interface GateToOffer {
  readonly agent: string;
  readonly config: Gate["config"];
  readonly capability: Gate["capability"];
  readonly registry: Gate["registry"];
  /** The rules of the project and of everywhere. */
  readonly storedRules: () => readonly SharedRule[];
}

/** In order of registration. */
export function offeredTools(gate: GateToOffer): readonly OfferedTool[] {
  return gate.registry.names.flatMap((name) => {
    const tool = descriptionOf(name, gate);
    return tool === undefined || !allowsTool(gate.capability, name) ? [] : [offer(tool, gate)];
  });
}

function descriptionOf(name: string, { registry }: GateToOffer): ToolDescription | undefined {
  const tool = registry.find(name);
  return registry.describe?.(name) ?? (tool === undefined ? undefined : describeTool(tool));
}

function offer(tool: ToolDescription, gate: GateToOffer): OfferedTool {
  const { name, title, description, hints } = tool;
  return {
    name,
    title,
    description,
    inputSchema: asObject(tool.arguments),
    outputSchema: replySchema(asObject(tool.result)),
    annotations: {
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: reachesOthers(hints.openWorld, gate),
    },
  };
}

/** Removes `$schema`, because clients assume 2020-12 and some fail on its name. */
function asObject(schema: Schema & { $schema?: string }): ObjectSchema {
  const { $schema: _, ...rest } = schema;
  return { ...rest, type: "object" };
}

function replySchema(result: ObjectSchema): ObjectSchema {
  return {
    type: "object",
    properties: {
      ok: {
        type: "boolean",
        description: "Whether it was done. A program that ended with 1 was run, so that is true.",
      },
      result,
      error: { type: "string", enum: [...failureSlugs], description: "Where ok is false: which kind of no." },
      message: { type: "string" },
      hint: { type: "string", description: "What would make it pass." },
      because: { type: "array", items: { type: "string" }, description: "The rules and grants that said so." },
    },
    required: ["ok"],
  };
}

function reachesOthers(reach: Tool["hints"]["openWorld"], gate: GateToOffer): boolean {
  switch (reach) {
    case "never":
      return false;
    case "always":
      return true;
    case "granted":
      return allowsWholeNetwork(gate.capability);
    case "asked":
      return allowsWholeNetwork(gate.capability) || mayBeGivenNetwork(gate);
  }
}

/** Whether a call that asks for the network can get it, from a person or from a rule. */
function mayBeGivenNetwork({ config, agent, storedRules }: GateToOffer): boolean {
  if (config.approvals.mode === "ask" || config.policy.otherwise.network === "allow") return true;
  const stored = storedRules().filter((rule) => rule.agent === null || rule.agent === agent);
  return [...config.policy.rules, ...stored.map(({ rule }) => rule)].some(
    ({ text }) => text.effect === "network" && text.decide === "allow",
  );
}
