// Prints the arguments of a tool, from the same schema that checks them.

import { safeJson } from "../../audit/entry.ts";
import type { OwnCommand } from "../../shared/own-command.ts";
import type { Schema, ToolDescription } from "../../tools/tool-schema.ts";
import { wrapText } from "../terminal/table.ts";
import type { Screen } from "../terminal/terminal.ts";

export function toolHelpLines(tool: ToolDescription, screen: Screen, own: OwnCommand): string[] {
  const schema = tool.arguments;
  const width = Math.min(screen.width, 100);
  const lines = [`${screen.paint(tool.name, "bold")}: ${tool.title}`, "", ...wrapText(tool.description, width), ""];
  lines.push(screen.paint("Arguments, as one JSON object:", "bold"));
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const need = schema.required?.includes(name) === true ? ", required" : "";
    lines.push(`  ${screen.paint(name, "cyan")}  ${screen.paint(describeType(field) + need, "dim")}`);
    lines.push(...wrapText(field.description ?? "", width, "      "));
  }
  const examples = (schema.examples ?? []).map((example) => `  ${own("call", tool.name, safeJson(example))}`);
  if (examples.length > 0) lines.push("", screen.paint("Examples:", "bold"), ...examples);
  return lines;
}

function describeType(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  const range = schema.minimum === undefined ? "" : ` ${schema.minimum} to ${schema.maximum ?? "any"}`;
  switch (schema.type) {
    case "string":
      return "text";
    case "integer":
      return `whole number${range}`;
    case "number":
      return `number${range}`;
    case "boolean":
      return "true or false";
    case "array":
      return schema.items === undefined ? "list" : `list of ${describeType(schema.items)}`;
    case "object":
      return typeof schema.additionalProperties === "object"
        ? `map of names to ${describeType(schema.additionalProperties)}`
        : "map";
    case undefined:
    default:
      return "value";
  }
}
