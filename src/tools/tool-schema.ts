// Derives a tool's JSON Schema (2020-12) from the schemas that also validate its arguments.

import { z } from "zod";
import type { Json } from "../shared/json.ts";
import type { Tool, ToolHints } from "./tool.ts";

/** The part of JSON Schema that the tools' schemas use. */
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

/** The description of a tool for a model, a client and a person. It is plain data, so the build can write it to a file. */
export interface ToolDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  readonly arguments: Schema;
  /** Uses zod's input form, so a result may have more fields than its schema. */
  readonly result: Schema;
}

/** Cached for each tool, because a server sends it to every client. */
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

/** zod drops examples if a field is transformed. The tools' examples are written as input, so they are added again. */
function argumentsSchema(type: z.ZodType): Schema {
  const examples = type.meta()?.["examples"] as readonly Json[] | undefined;
  const schema = jsonSchema(type);
  return examples === undefined ? schema : { ...schema, examples };
}

function jsonSchema(type: z.ZodType): Schema {
  return z.toJSONSchema(type, { io: "input", unrepresentable: "any" }) as Schema;
}
