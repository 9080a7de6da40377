// The tools as `tools/list` names them. A client puts this list into the context of its model, so it leaves out what a model does not
// need: the fields of each result, which `offeredTools` has, further examples, and bounds of lengths, which the gate checks.

import type { Schema } from "../tools/tool-schema.ts";
import type { ObjectSchema, OfferedTool } from "./offered-tools.ts";

/** Fits every reply. Clients of 2025 compare errors with it too. */
const replySchema: ObjectSchema = {
  type: "object",
  properties: { ok: { type: "boolean" }, result: { type: "object" } },
  required: ["ok"],
};

export function listedTools(tools: readonly OfferedTool[]): readonly OfferedTool[] {
  return tools.map((tool) => ({
    ...tool,
    inputSchema: withoutLengths(withFirstExample(tool.inputSchema)) as ObjectSchema,
    outputSchema: replySchema,
  }));
}

/** The first that shows an argument. */
function withFirstExample({ examples = [], ...schema }: Schema): Schema {
  const first = examples.find((one) => one !== null && Object.keys(one).length > 0);
  return first === undefined ? schema : { ...schema, examples: [first] };
}

const lengths = new Set(["minLength", "maxLength", "minItems", "maxItems"]);

function withoutLengths(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => (lengths.has(key) ? [] : [[key, shortened(key, value)]])),
  );
}

/** Goes only where schemas are: a property or an example may be called `maxLength` too. */
function shortened(key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (key === "properties")
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutLengths(one as Schema)]));
  if (key === "anyOf" || key === "oneOf") return (value as readonly Schema[]).map(withoutLengths);
  return key === "items" || key === "additionalProperties" ? withoutLengths(value as Schema) : value;
}
