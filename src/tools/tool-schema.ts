// A tool's schemas as JSON Schema (2020-12), told from the ones that also check it.

import { z } from "zod";
import type { Json } from "../shared/json.ts";
import type { Tool, ToolHints } from "./tool.ts";

/** The part of JSON Schema that our own schemas come out as. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly Json[];
}

/** What a model, a client and a person are told about a tool. Plain data: it can be written down at build time. */
export interface ToolDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  readonly arguments: Schema;
  /** As input: what a result has beyond its schema is no fault of it. */
  readonly result: Schema;
}

/** Made once for each tool: a server tells it to every client. */
const made = new WeakMap<Tool, ToolDescription>();

export function describeTool(tool: Tool): ToolDescription {
  const known = made.get(tool);
  if (known !== undefined) return known;
  const { name, title, description, hints } = tool;
  const result = jsonSchema(tool.result);
  const described = { name, title, description, hints, arguments: argumentsSchema(tool.arguments), result };
  made.set(tool, described);
  return described;
}

/** zod leaves examples out where a field is transformed, which may change them; ours are written as they are typed. */
function argumentsSchema(type: z.ZodType): Schema {
  const examples = type.meta()?.["examples"] as readonly Json[] | undefined;
  const schema = jsonSchema(type);
  return examples === undefined ? schema : { ...schema, examples };
}

function jsonSchema(type: z.ZodType): Schema {
  return z.toJSONSchema(type, { io: "input", unrepresentable: "any" }) as Schema;
}
