// The environment of a program on this machine: box-environment.ts with the name of its user.

import { userInfo } from "node:os";
import type { Result } from "../shared/result.ts";
import { environmentFor, fixedEnvironment } from "./box-environment.ts";

export function baseEnvironment(): Record<string, string> {
  return fixedEnvironment(programUser());
}

export function buildEnvironment(extra: Readonly<Record<string, string>>): Result<[string, string][]> {
  return environmentFor(programUser(), extra);
}

let cachedUserName: string | undefined;

export function programUser(): string {
  cachedUserName ??= readUserName();
  return cachedUserName;
}

function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "user"); // an id without an entry in the user database
  }
}
