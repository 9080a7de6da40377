// Sessions have names. One that nobody named is the same for every call of an agent in a project.

import { createHash } from "node:crypto";

/** Within one state directory: the session of calls that name none. */
export function defaultSession(project: string, agent: string): string {
  return `default-${createHash("sha256").update(`${project}\0${agent}`).digest("hex").slice(0, 8)}`;
}
