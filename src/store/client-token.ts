// The token that MCP clients send over HTTP: made once, kept in the state directory, which no agent can be granted.

import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { JournalFault } from "../audit/journal.ts";
import { codeOf, openPrivateDirectory, openPrivateFile } from "./private-directory.ts";

export interface ClientToken {
  readonly token: string;
  readonly path: string;
}

/** `owner`: a name of plain letters. SECURITY(T32): each agent has its own, and is not let in as another. */
export function loadClientToken(stateDirectory: string, owner: string): ClientToken {
  openPrivateDirectory(stateDirectory, "state directory");
  const path = join(stateDirectory, `client-token-${owner}`);
  if (!existsSync(path)) make(path);
  openPrivateFile(path);
  const token = readFileSync(path, "utf8").trim();
  if (!/^[\w-]{32,}$/.test(token))
    throw new JournalFault(`${path} does not hold a token.`, { hint: `Remove it, and a new one is made: rm ${path}` });
  return { token, path };
}

/** Whole or not at all: two servers that begin at once end up with the same. */
function make(path: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    unlinkSync(draft);
  }
}
