// A tool's schemas as JSON Schema (2020-12), told from the ones that also check it.

import { z } from "zod";
import type { Json } from "../shared/json.ts";
import type { Tool } from "./tool.ts";

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

/** zod leaves examples out where a field is transformed, which may change them; ours are written as they are typed. */
export function toolSchema(tool: Tool): Schema {
  const examples = tool.arguments.meta()?.["examples"] as readonly Json[] | undefined;
  const schema = jsonSchema(tool.arguments);
  return examples === undefined ? schema : { ...schema, examples };
}

/** As input: what a result has beyond its schema is no fault of it. */
export function resultSchema(tool: Tool): Schema {
  return jsonSchema(tool.result);
}

/** Told once: a server tells them to every client. */
const told = new WeakMap<z.ZodType, Schema>();

function jsonSchema(type: z.ZodType): Schema {
  const known = told.get(type);
  if (known !== undefined) return known;
  const schema = z.toJSONSchema(type, { io: "input", unrepresentable: "any" }) as Schema;
  told.set(type, schema);
  return schema;
}
