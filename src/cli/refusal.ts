// Prints a refusal on stderr for a person: what was refused, why, and what would allow it.

import type { Config } from "../config/load.ts";
import type { Reply } from "../runtime/reply.ts";
import { displayText } from "../shared/display.ts";
import type { Screen } from "./terminal/terminal.ts";

export type Refusal = Extract<Reply, { ok: false }>;

export function refusalLines(refusal: Refusal, config: Config, screen: Screen): string[] {
  const { error, message, hint } = refusal;
  const lines = [`${screen.paint("sallyport: refused", "red")} (${error}): ${displayText(message)}`];
  if (hint !== undefined) lines.push(`hint: ${displayText(hint)}`);
  if (config.file === null && (error === "permission_denied" || error === "fs_denied")) {
    lines.push(...firstConfigLines(config));
  }
  return lines;
}

/** A first configuration file to paste, for a person who has none yet. */
function firstConfigLines(config: Config): string[] {
  const file = displayText(`${config.configDirectory}/config.yaml`);
  return [
    `No configuration file is there yet, so the built-in defaults hold. A first ${file} could be:`,
    "",
    "  version: 1",
    "  agents:",
    "    default:",
    "      tool_grants: [Exec]",
    "      fs_grants:",
    "        - { path: /usr, mode: r }",
    '        - { path: "${project}", mode: r, hide: [".env*", "*.pem"], tracked: shown }',
  ];
}
