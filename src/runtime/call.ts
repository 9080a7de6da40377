// Turns an unknown request into a Call: the tool exists, the agent may use it, and the arguments match its schema.

import type { z } from "zod";
import { allowsTool, type Capability } from "../policy/capability.ts";
import { nearestName } from "../shared/nearest.ts";
import { type OwnCommand, bareOwnCommand } from "../shared/own-command.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { fit } from "../shared/shape.ts";
import type { Registry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";

export interface CallRequest<Name extends string = string> {
  readonly tool: Name;
  readonly args?: unknown;
}

export interface Call {
  readonly tool: Tool;
  readonly args: unknown;
}

export function parseCall(
  request: CallRequest,
  registry: Registry,
  capability: Capability | undefined,
  command: OwnCommand = bareOwnCommand,
): Result<Call> {
  const name = request.tool;
  const tool = typeof name === "string" ? registry.find(name) : undefined;
  // SECURITY(T01): the gate checks this before it reads the arguments, and never asks a person about it.
  if (tool !== undefined && !allowsTool(capability, tool.name)) {
    return fail("permission_denied", `This agent may not use ${tool.name}.`, {
      hint: `Whoever runs this gate can add ${JSON.stringify(tool.name)} to the agent's tool_grants.`,
      because: [`use the tool ${tool.name}: not in tool_grants`],
    });
  }
  if (tool === undefined) {
    const known = registry.names.filter((candidate) => allowsTool(capability, candidate));
    const meant = typeof name === "string" ? nearestName(name, known) : undefined;
    const all = known.length === 0 ? "This agent has no tools." : `This agent has: ${known.join(", ")}.`;
    return fail("tool_not_found", `There is no tool ${JSON.stringify(name) ?? String(name)}.`, {
      hint: meant === undefined ? all : `Did you mean ${meant}? ${all}`,
    });
  }
  if (typeof request.args === "string") return textForArguments(request.args, tool);
  const fitting = tool.shape === undefined ? null : fit(tool.shape, request.args ?? {});
  if (fitting !== null) return ok({ tool, args: fitting.value });
  const parsed = tool.arguments.safeParse(request.args ?? {});
  if (parsed.success) return ok({ tool, args: parsed.data });
  return invalidArguments(tool, request.args ?? {}, parsed.error, command);
}

/** Refuses arguments that arrived as text, because a model did not write a JSON object. The message shows the text. */
function textForArguments(text: string, tool: Tool): Result<never> {
  const came = `${JSON.stringify(text.slice(0, 200))}${text.length > 200 ? ` and ${text.length - 200} more characters` : ""}`;
  const what = isJson(text) ? "are a text, not an object" : "are not JSON";
  return fail("invalid_args", `The arguments ${what}: ${came}.`, {
    hint: `Write them as one JSON object, as ${tool.name}'s schema says.`,
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function invalidArguments(tool: Tool, args: unknown, error: z.ZodError, command: OwnCommand): Result<never> {
  const known = "shape" in tool.arguments ? Object.keys(tool.arguments.shape as object) : [];
  const problems = error.issues.slice(0, 5).map((issue) => describeIssue(issue, args, known));
  const more = error.issues.length > problems.length ? ` (and ${error.issues.length - problems.length} more)` : "";
  return fail("invalid_args", `${problems.join("; ")}${more}.`, {
    hint: `The tool's schema says what ${tool.name} takes; a person sees it with \`${command("call", "--help", tool.name)}\`.`,
  });
}

function describeIssue(issue: z.core.$ZodIssue, args: unknown, known: readonly string[]): string {
  const path = issue.path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    "",
  );
  if (issue.code === "unrecognized_keys") {
    const meant = path === "" && issue.keys.length === 1 ? meantArgument(issue.keys[0] ?? "", known) : "";
    return `${issue.keys.map((key) => JSON.stringify(key)).join(", ")}: no such argument${meant}`;
  }
  if (issue.code === "invalid_type" && issue.expected in typeNames) {
    const wanted = typeNames[issue.expected];
    const given = valueAt(args, issue.path);
    const what = path === "" ? "the arguments" : path;
    return given === undefined
      ? `${what}: missing, give ${wanted}`
      : `${what}: must be ${wanted}, not ${kindOf(given)}`;
  }
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}

/** Who misspells a name mostly has its first letter right; a short name is near to all others. */
function meantArgument(key: string, known: readonly string[]): string {
  const near = nearestName(
    key,
    known.filter((one) => one[0] === key[0]),
  );
  return near === undefined ? "" : ` (did you mean ${near}?)`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return (Array.isArray(value) ? typeNames["array"] : typeNames[typeof value]) ?? typeof value;
}

function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    args,
  );
}
