// Which session: whose it is, and its name. Everything that is kept for a session is kept under both.
// Invariant: two different pairs never have the same key. Names are compared code point by code point: case and Unicode
// forms are not folded, so that two names are one session only where they are the same text.

import { fail, ok, type Result } from "./result.ts";

export interface SessionId {
  readonly agent: string;
  readonly name: string;
}

/** One text for one pair. SECURITY(T43): JSON, which quotes: no name can be put together into another agent's. */
export function sessionKey({ agent, name }: SessionId): string {
  return JSON.stringify([agent, name]);
}

/** What clients over HTTP are known by begins so; a name that is given to a gate does not. */
export const clientPrefix = "http:";

const nameLength = 200;

/** The name that a person, or a program that opens a gate, gives to a session. */
export function parseSessionName(text: string): Result<string> {
  const problem = problemOf(text);
  if (problem === null) return ok(text);
  return fail("invalid_args", problem, { hint: `A name has 1 to ${nameLength} characters in one line.` });
}

function problemOf(text: unknown): string | null {
  if (typeof text !== "string") return "not text";
  if (text === "") return "empty";
  if (text.length > nameLength) return `longer than ${nameLength} characters`;
  // A store would write every half of a surrogate pair as the same replacement character.
  if (!text.isWellFormed()) return "not Unicode text";
  if (/\p{Cc}/u.test(text)) return "a control character in it";
  if (text.startsWith(clientPrefix)) return `begins with ${clientPrefix}, as the sessions of clients over HTTP do`;
  return null;
}
