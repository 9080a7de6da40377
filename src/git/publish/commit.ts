// Builds a commit's bytes exactly as git writes them, so that the gate knows the id before it asks a person.
// Invariant: no name, address or trailer can add a header or a line of its own.

import { fail, ok, type Result } from "../../shared/result.ts";
import { readsAsTrailer } from "./look-alike.ts";
import type { ObjectId } from "./object.ts";

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** Who and when: whole seconds since 1970, and the offset from UTC, positive to the east. */
export interface Signature extends Identity {
  readonly timeS: number;
  readonly offsetMinutes: number;
}

/** A line `key: value` at the end of the message. */
export interface Trailer {
  readonly key: string;
  readonly value: string;
}

export interface CommitContent {
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
  readonly trailers?: readonly Trailer[];
}

const DAY_MINUTES = 24 * 60;
// Matches a visible character: not blank, not a format character, not an ignorable one, and not the empty Braille pattern.
const visible = /[^\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

function agentTrailer(agent: string): Trailer {
  return { key: "Sallyport-Agent", value: agent };
}

/** An agent's message as the landed commit contains it. */
export function landedMessage(message: string, agent: string): Result<string> {
  return commitMessage(message, [agentTrailer(agent)]);
}

/** The content of the commit object. */
export function encodeCommit(commit: CommitContent): Result<Uint8Array<ArrayBuffer>> {
  const author = signatureLine("author", commit.author);
  if (!author.ok) return author;
  const committer = signatureLine("committer", commit.committer);
  if (!committer.ok) return committer;
  const message = commitMessage(commit.message, commit.trailers ?? []);
  if (!message.ok) return message;
  const parents = commit.parents.map((parent) => `parent ${parent}\n`).join("");
  const text = `tree ${commit.tree}\n${parents}${author.value}\n${committer.value}\n\n${message.value}`;
  return ok(new TextEncoder().encode(text));
}

/** The message with its trailers, as the commit contains it. Without trailers, only a final line feed is added. */
function commitMessage(message: string, trailers: readonly Trailer[]): Result<string> {
  if (!visible.test(message)) return fail("invalid_args", "message: is empty.", { hint: "Say what the commit does." });
  if (message.includes("\0")) return fail("invalid_args", "message: holds a NUL, which ends a message for git.");
  if (!isText(message))
    return fail("invalid_args", "message: holds half of a character, or one that Unicode rules out.");
  if (trailers.length === 0) return ok(message.endsWith("\n") ? message : `${message}\n`);
  const lines: string[] = [];
  for (const { key, value } of trailers) {
    const clean = value.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
    if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(key))
      return fail("invalid_args", `trailers: ${JSON.stringify(key)} is no name for a trailer.`, {
        hint: "Letters, digits and dashes, like Reviewed-by.",
      });
    if (clean === "" || !isText(clean)) return fail("invalid_args", `trailers: ${key} has no value.`);
    // SECURITY(T29): with two such lines, a program that reads the first one would believe the message and not the gate.
    if (readsAsTrailer(message, key))
      return fail("invalid_args", `message: has a line "${key}:" of its own.`, {
        hint: "Leave that line out: it is added when the commit is built.",
      });
    lines.push(`${key}: ${clean}\n`);
  }
  const body = message.replace(/\s+$/u, "");
  return ok(`${body}\n${endsInTrailers(body) ? "" : "\n"}${lines.join("")}`);
}

// Git reads the last paragraph as trailers if each of its lines is a trailer and it is not the only paragraph.
function endsInTrailers(body: string): boolean {
  const lines = body.split("\n");
  const blank = lines.findLastIndex((line) => line.trim() === "");
  if (blank < 0) return false;
  const last = lines.slice(blank + 1);
  return last.every((line, index) => /^[A-Za-z0-9-]+[ \t]*:/.test(line) || (index > 0 && /^[ \t]/.test(line)));
}

// Git takes text with U+FFFE or another noncharacter for Latin-1, and writes other bytes.
function isText(text: string): boolean {
  return text.isWellFormed() && !/\p{Noncharacter_Code_Point}/u.test(text);
}

function signatureLine(role: "author" | "committer", signature: Signature): Result<string> {
  const { timeS, offsetMinutes } = signature;
  const name = cleanIdentity(signature.name);
  const problem = (text: string): Result<string> => fail("invalid_args", `${role}: ${text}.`);
  if (name === "") return problem("the name is empty once the characters that git leaves out are gone");
  if (!isText(name + signature.email)) return problem("holds half of a character, or one that Unicode rules out");
  if (/\0/.test(name + signature.email)) return problem("holds a NUL");
  if (!Number.isSafeInteger(timeS) || timeS < 0) return problem("the time is not in whole seconds since 1970");
  if (!Number.isInteger(offsetMinutes) || Math.abs(offsetMinutes) >= DAY_MINUTES)
    return problem("the distance from UTC is not in whole minutes within a day");
  return ok(`${role} ${name} <${cleanIdentity(signature.email)}> ${timeS} ${timeZone(offsetMinutes)}`);
}

// Like git's ident.c: removes characters that git drops at the ends of a name or an address, and those it drops everywhere.
// A dot at the end ("Jr.") stays, as in newer versions of git. Older versions drop it.
function cleanIdentity(text: string): string {
  const crud = String.raw`[\x01-\x20,:;<>"\\']+`;
  return text.replace(new RegExp(`^${crud}|${crud}$`, "g"), "").replace(/[\n<>]/g, "");
}

function timeZone(offsetMinutes: number): string {
  const minutes = Math.abs(offsetMinutes);
  const digits = Math.trunc(minutes / 60) * 100 + (minutes % 60);
  return `${offsetMinutes < 0 ? "-" : "+"}${String(digits).padStart(4, "0")}`;
}
