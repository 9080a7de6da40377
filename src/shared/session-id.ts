// A session is identified by its agent and its name. Everything stored for a session is stored under both.
// Invariant: two different pairs never have the same key. Names are compared code point by code point: case and Unicode
// forms are not folded, so two names mean one session only if they are the same text.

import { fail, ok, type Result } from "./result.ts";

export interface SessionId {
  readonly agent: string;
  readonly name: string;
}

/** One text for each pair. SECURITY(T43): JSON quotes both parts, so no name can be built that reads as another agent's. */
export function sessionKey({ agent, name }: SessionId): string {
  return JSON.stringify([agent, name]);
}

/** Null if it is no such text. */
export function parseSessionKey(key: string): SessionId | null {
  try {
    const [agent, name] = JSON.parse(key) as unknown[];
    return typeof agent === "string" && typeof name === "string" ? { agent, name } : null;
  } catch {
    return null;
  }
}

/** Session names of HTTP clients begin with this; names that are given to a gate do not. */
export const clientPrefix = "http:";

const nameLength = 200;

/** Checks the name that a person, or a program that opens a gate, gives to a session. */
export function parseSessionName(text: string): Result<string> {
  const problem = problemOf(text);
  if (problem === null) return ok(text);
  return fail("invalid_args", problem, { hint: `A name has 1 to ${nameLength} characters in one line.` });
}

function problemOf(text: unknown): string | null {
  if (typeof text !== "string") return "not text";
  if (text === "") return "empty";
  if (text.length > nameLength) return `longer than ${nameLength} characters`;
  // A store would write every lone surrogate as the same replacement character.
  if (!text.isWellFormed()) return "not Unicode text";
  if (/\p{Cc}/u.test(text)) return "a control character in it";
  if (text.startsWith(clientPrefix)) return `begins with ${clientPrefix}, as the sessions of clients over HTTP do`;
  return null;
}
