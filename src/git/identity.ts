// Who the person is, by their own git configuration; read as text, and nothing of it is followed or run.

import { readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { parseConfigFile } from "./config-file.ts";
import type { Identity } from "./publish/commit.ts";

/** The places where git looks for a person's own settings; the later one wins. */
export function personIdentity(home: string, configHome: string): Identity {
  const found: { name?: string; email?: string } = {};
  for (const file of [`${configHome}/git/config`, `${home}/.gitconfig`]) {
    for (const { section, subsection, key, value } of readSettings(file)) {
      if (section !== "user" || subsection !== null || value === null) continue;
      if (key === "name" || key === "email") found[key] = value;
    }
  }
  const user = userName();
  return { name: found.name ?? user, email: found.email ?? `${user}@${hostname()}` };
}

function readSettings(file: string): ReturnType<typeof parseConfigFile> {
  try {
    return parseConfigFile(readFileSync(file, "utf8"));
  } catch {
    return []; // not there, or not for us to read: then there are no settings
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "sallyport";
  }
}
