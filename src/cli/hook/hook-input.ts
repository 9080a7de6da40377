// Reads what a client sends to its hook. What cannot be read with certainty ends the command with exit 2, which the clients take for a no.

import { resolve } from "node:path";
import { displayText } from "../../shared/display.ts";
import { isAbsolutePath } from "../../shared/path.ts";
import { UsageError } from "../usage-error.ts";
import type { HookClient } from "./hook-client.ts";

export interface HookInput {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The client's own name for its session. */
  readonly session: string | null;
  /** Where the client works. */
  readonly directory: string;
  /** What a shell would get; null for every other tool. */
  readonly script: string | null;
  /** Where that shell would start. */
  readonly startsIn: string;
}

export function readHookInput(text: string, client: HookClient): HookInput {
  const said = fieldsOf(parsed(text, client), "the input", client);
  const event = textOf(said, "hook_event_name", client);
  if (event !== client.event)
    throw refusedInput(`the event is ${shownName(event)}`, `Install this command for ${client.event} alone.`);
  const tool = textOf(said, "tool_name", client);
  const input = fieldsOf(said["tool_input"], "tool_input", client);
  const directory = directoryOf(said, client);
  const { tool: shell, field, directoryField } = client.shell;
  const named = directoryField === null ? undefined : input[directoryField];
  if (tool === shell && named !== undefined && typeof named !== "string")
    throw refusedInput(`tool_input.${directoryField} is not a text`, hintFor(client));
  return {
    tool,
    input,
    session: typeof said["session_id"] === "string" ? said["session_id"] : null,
    directory,
    script: tool === shell ? textOf(input, field, client) : null,
    startsIn: resolve(directory, typeof named === "string" ? named : "."),
  };
}

function directoryOf(said: Readonly<Record<string, unknown>>, client: HookClient): string {
  const directory = textOf(said, "cwd", client);
  if (isAbsolutePath(directory)) return directory;
  throw refusedInput(`cwd is ${shownName(directory)}, which is not an absolute path`, hintFor(client));
}

function parsed(text: string, client: HookClient): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusedInput(text.trim() === "" ? "standard input is empty" : "standard input is not JSON", hintFor(client));
  }
}

function fieldsOf(value: unknown, what: string, client: HookClient): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw refusedInput(`${what} is not an object`, hintFor(client));
}

function textOf(fields: Readonly<Record<string, unknown>>, name: string, client: HookClient): string {
  const value = fields[name];
  if (typeof value === "string" && value !== "") return value;
  throw refusedInput(`${name} is not a text`, hintFor(client));
}

function refusedInput(problem: string, hint: string): UsageError {
  return new UsageError(`the tool is refused, because the hook cannot judge it: ${problem}`, hint);
}

function hintFor({ name, event }: HookClient): string {
  return `Let the client itself call \`sallyport hook ${name}\`, as its hook for ${event}.`;
}

function shownName(text: string): string {
  return displayText(JSON.stringify(text), { maxLength: 80 });
}
