// The token that MCP clients send over HTTP. It is made once and kept in the state directory, which cannot be granted to an agent.

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { JournalFault } from "../audit/journal.ts";
import { openPrivateDirectory, openPrivateFile, writeOnce } from "./private-directory.ts";

export interface ClientToken {
  readonly token: string;
  readonly path: string;
}

/** `owner` is a name of plain letters. SECURITY(T32): each agent has its own token, which does not admit it as another agent. */
export function loadClientToken(stateDirectory: string, owner: string): ClientToken {
  openPrivateDirectory(stateDirectory, "state directory");
  const path = join(stateDirectory, `client-token-${owner}`);
  if (!existsSync(path)) writeOnce(path, `${randomBytes(32).toString("base64url")}\n`);
  openPrivateFile(path);
  const token = readFileSync(path, "utf8").trim();
  if (!/^[\w-]{32,}$/.test(token))
    throw new JournalFault(`${path} does not hold a token.`, { hint: `Remove it, and a new one is made: rm ${path}` });
  return { token, path };
}
