// The client of a request: its name and its capabilities, as it states them. None of it is proof.

import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { displayText } from "../shared/display.ts";
import { fieldsOf } from "../shared/json.ts";

export interface McpClient {
  /** For the record: `MCP client NAME VERSION`. */
  readonly name: string;
  /** What it calls itself, `NAME VERSION`; null if it says nothing. */
  readonly claims: string | null;
  /** Whether the client says that it can show a form to a person. */
  readonly hasForms: boolean;
  readonly wantsDebugLog: boolean;
}

/** A 2026 request describes the client in its envelope, a 2025 connection in its initialization. */
export function clientOf(server: Server, { mcpReq }: ServerContext, logLevel: string | null): McpClient {
  const envelope = fieldsOf(mcpReq.envelope);
  const { name, version } = fieldsOf(envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion());
  const { elicitation } = fieldsOf(envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities());
  const said = typeof name === "string" ? `${name} ${typeof version === "string" ? version : ""}`.trim() : "";
  const claims = said === "" ? null : displayText(said, { maxLength: 80 });
  return {
    name: `MCP client ${claims ?? "without a name"}`,
    claims,
    hasForms: hasForms(elicitation),
    wantsDebugLog: (envelope[LOG_LEVEL_META_KEY] ?? logLevel) === "debug",
  };
}

/** `{}` comes from a version of the protocol without modes, where it meant forms. */
function hasForms(elicitation: unknown): boolean {
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return "form" in elicitation || !("url" in elicitation);
}
