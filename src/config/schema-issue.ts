// Turns an issue from the schema into a message: the field, the reason, and what would pass.

import { z } from "zod";
import { nearestName } from "../shared/nearest.ts";
import type { ConfigError } from "./config-error.ts";
import { fieldName, noAgentName, valueAt } from "./field-name.ts";
import type { FieldPath, Source } from "./source.ts";

export interface SchemaNode {
  readonly description?: string;
  readonly type?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: SchemaNode | false;
  readonly oneOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
}

const nodes = new WeakMap<z.ZodType, SchemaNode>();

/** The requirements of a schema, as data. Computed on demand, because only errors need them. */
export function schemaNodeOf(schema: z.ZodType): SchemaNode {
  const known = nodes.get(schema) ?? (z.toJSONSchema(schema, { io: "input" }) as SchemaNode);
  nodes.set(schema, known);
  return known;
}

export function schemaErrors(source: Source, issues: readonly z.core.$ZodIssue[], schema: z.ZodType): ConfigError[] {
  const root = schemaNodeOf(schema);
  return issues.flatMap(meantIssues).flatMap((issue) => {
    const path = issue.path as FieldPath;
    const nodes = nodesAt(path, root);
    if (issue.code !== "unrecognized_keys") return [errorOf(source, issue, path, nodes)];
    const meant = nodes.filter((node) => fitsKind(node, valueAt(source.value, path)));
    const known = knownKeys(meant.length === 0 ? nodes : meant);
    return issue.keys.map((key) => {
      const near = nearestName(key, known);
      const hint = near === undefined ? `Known here: ${known.join(", ")}.` : `Did you mean ${near}?`;
      return source.errorAt([...path, key], `${fieldName([...path, key])}: unknown key`, hint, "key");
    });
  });
}

/** Of a value that fits no alternative: the issues of the one alternative that has its type. */
function meantIssues(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const isOtherType = ({ code, path }: z.core.$ZodIssue) => code === "invalid_type" && path.length === 0;
  const [meant, ...others] = issue.errors.filter((issues) => !issues.some(isOtherType));
  if (meant === undefined || others.length > 0) return [issue];
  return meant.flatMap((inner) => meantIssues({ ...inner, path: [...issue.path, ...inner.path] }));
}

function errorOf(source: Source, issue: z.core.$ZodIssue, path: FieldPath, nodes: readonly SchemaNode[]): ConfigError {
  const value = valueAt(source.value, path);
  const say = (reason: string, hint: string, at: "key" | "value" = "value") =>
    source.errorAt(path, path.length === 0 ? `the file ${reason}` : `${fieldName(path)}: ${reason}`, hint, at);
  if (issue.code === "invalid_key") return noAgentName(source, path);
  if (value === undefined) return say("missing", expectation(nodes));
  if (fieldName(path) === "store" && typeof value === "string" && /^postgres(ql)?:/.test(value)) {
    return say("PostgreSQL is not available yet", "Use sqlite.");
  }
  if (issue.code === "invalid_type") {
    return say(`must be ${typeName(issue.expected)}, not ${typeName(typeOf(value))}`, expectation(nodes));
  }
  if (issue.code === "invalid_format") {
    const hint = "Use letters, digits, _ . - and, for any run of characters, *.";
    return say(`${shortJson(value)} is not the name of a tool`, hint);
  }
  const isNumber = typeof value === "number";
  if (issue.code === "too_small") {
    if (isNumber) return say(`${value} is too small`, expectation(nodes));
    return say("empty", "Write a value, or leave the entry out.");
  }
  if (issue.code === "too_big") {
    if (isNumber) return say(`${value} is too large`, expectation(nodes));
    return say("too long", `At most ${issue.maximum} ${Array.isArray(value) ? "entries" : "characters"}.`);
  }
  const wantsAll = fieldName(path) === "approvals.mode" && shortJson(value).startsWith('"allow');
  const more = wantsAll ? " Everything is allowed only by the flag --dangerously-allow-all." : "";
  return say(`${shortJson(value)} is not known`, expectation(nodes) + more);
}

function expectation(nodes: readonly SchemaNode[]): string {
  const words = nodes.flatMap((node) => node.enum ?? (node.const === undefined ? [] : [node.const])).map(String);
  if (words.length > 0) return `Use ${listWords([...new Set(words)])}.`;
  const [node] = nodes;
  if (node?.type === "integer") return `Use a whole number from ${node.minimum} to ${node.maximum}.`;
  if (node?.type === "array") return "Write it as a list: [a, b].";
  if (node?.type === "string") return "Write it as text, in quotes if need be.";
  return `Write its keys below it: ${knownKeys(nodes).join(", ") || "a name for each agent"}.`;
}

function listWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function knownKeys(nodes: readonly SchemaNode[]): string[] {
  return [...new Set(nodes.flatMap((node) => Object.keys(node.properties ?? {})))];
}

/** The alternative whose literal fields match the value. */
function fitsKind(node: SchemaNode, value: unknown): boolean {
  return Object.entries(node.properties ?? {}).every(
    ([key, part]) => part.const === undefined || part.const === valueAt(value, [key]),
  );
}

/** Every part of the schema that a path can mean; several if there are alternatives. */
function nodesAt(path: FieldPath, root: SchemaNode): SchemaNode[] {
  const open = (node: SchemaNode): SchemaNode[] =>
    (node.oneOf ?? node.anyOf ?? [node]).flatMap((one) => (one === node ? [node] : open(one)));
  return path.reduce<SchemaNode[]>(
    (nodes, part) =>
      nodes.flatMap((node) => {
        const own =
          typeof part === "string" && Object.hasOwn(node.properties ?? {}, part) ? node.properties?.[part] : undefined;
        const next = typeof part === "number" ? node.items : (own ?? (node.additionalProperties || undefined));
        return next === undefined ? [] : open(next);
      }),
    open(root),
  );
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && !Number.isInteger(value) ? "fraction" : typeof value;
}

const typeNames: Readonly<Record<string, string>> = {
  object: "a map",
  record: "a map",
  array: "a list",
  string: "text",
  int: "a whole number",
  number: "a number",
  fraction: "a fraction",
  boolean: "true or false",
  null: "nothing",
};

function typeName(type: string): string {
  return typeNames[type] ?? type;
}

function shortJson(value: unknown): string {
  const text = typeof value === "object" ? typeName(typeOf(value)) : (JSON.stringify(value) ?? "this");
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
