// Turns git's message about a remote that it could not reach into a failure: the kind, and a line without secrets.

import { redactText } from "../../../audit/redact-text.ts";
import type { Cut } from "../../../process/time-allowed.ts";
import type { PersonResult } from "../../../process/start.ts";
import { fail } from "../../../shared/result.ts";
import type { RemoteUrl } from "../url.ts";

const MOST_CHARACTERS = 300;

const kinds: readonly {
  readonly pattern: RegExp;
  readonly error: "tool_failed" | "not_found";
  readonly message: (url: RemoteUrl) => string;
  readonly hint: (url: RemoteUrl) => string;
}[] = [
  {
    pattern: /host key verification failed|no matching host key/i,
    error: "tool_failed",
    message: ({ host }) => `the key of ${host} is not known, or is another than before`,
    hint: ({ host }) => `Connect once by hand (ssh ${host}), compare the key, and try again.`,
  },
  {
    pattern:
      /authentication failed|could not read (?:username|password)|terminal prompts disabled|permission denied|access denied|invalid credentials|returned error: 40[13]|http basic: /i,
    error: "tool_failed",
    message: ({ host }) => `${host} did not let git in`,
    hint: ({ protocol, host }) =>
      protocol === "ssh"
        ? "The person's ssh key must be in their agent (ssh-add) and be allowed there."
        : `The person's git must be able to sign in there without a question: set up a credential helper. A header without an address, and a helper that is not known to ask by host, are not used: write them as http.https://${host}.extraHeader and credential.https://${host}.helper.`,
  },
  {
    pattern: /returned error: 30\d|unable to update url base from redirection/i,
    error: "tool_failed",
    message: ({ host }) => `${host} sends git on to another address, which is not followed`,
    hint: () => "Name the address that it leads to: what is shown must be what is used.",
  },
  {
    pattern:
      /repository .{0,2200}not found|does not appear to be a git repository|returned error: 404|no such repository|project you were looking for/i,
    error: "not_found",
    message: ({ text }) => `there is no repository at ${text}, or none that the person may see`,
    hint: () => "Check the address, and whether the person can reach it with their own git.",
  },
  {
    pattern: /operation too slow|operation timed out|connection timed out|timeout, server .* not responding/i,
    error: "tool_failed",
    message: ({ host }) => `${host} said nothing for too long`,
    hint: () => "Does the host answer the person's own git?",
  },
  {
    pattern: /transport '.*' not allowed/i,
    error: "tool_failed",
    message: () => "git was led to a transport that is not allowed",
    hint: () => "Only https, ssh and, on this machine, http are used.",
  },
];

/** What git said, and why the gate ended it, if it did. */
export interface RemoteEnd {
  readonly stderr: string;
  readonly cut: PersonResult["cut"];
}

export function remoteFailure(url: RemoteUrl, { stderr, cut }: RemoteEnd, doing: string): ReturnType<typeof fail> {
  // If the gate ended git, that is the reason, whatever git had said before.
  if (cut !== null) return cutFailure(url, cut, doing);
  const kind = kinds.find(({ pattern }) => pattern.test(stderr));
  const said = saidLine(stderr);
  if (kind === undefined)
    return fail("tool_failed", `${doing} ${url.text}: git failed.`, {
      hint: "Is the host reachable from this machine?",
      because: said === "" ? [] : [`git: ${said}`],
    });
  return fail(kind.error, `${doing} ${url.text}: ${kind.message(url)}.`, {
    hint: kind.hint(url),
    because: said === "" ? [] : [`git: ${said}`],
  });
}

function cutFailure({ text, host }: RemoteUrl, cut: Cut, doing: string): ReturnType<typeof fail> {
  const isPush = doing.startsWith("Pushing");
  const again = isPush
    ? "Whether it arrived is not known: the same push again finds out, and does not land twice."
    : "Nothing has changed there.";
  if (cut === "cancelled") return fail("tool_failed", `${doing} ${text} was cancelled by the caller.`, { hint: again });
  const why = cut === "silent" ? "said nothing for too long" : "took too long";
  return fail("tool_failed", `${doing} ${text}: ${host} ${why}, so git was ended.`, {
    hint: `${again} Does the host answer the person's own git?`,
  });
}

/** The first line that says what is wrong. The other lines are advice for a person at a terminal. */
export function saidLine(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).map((line) => line.trim());
  const line =
    lines.find((text) => /^(?:fatal|error): /.test(text)) ??
    lines.find((text) => /^remote: ./.test(text)) ??
    lines.find((text) => text !== "") ??
    "";
  const clean = redactText(line.replace(/[\p{Cc}\p{Cf}]+/gu, " "));
  return clean.length > MOST_CHARACTERS ? `${clean.slice(0, MOST_CHARACTERS - 1)}…` : clean;
}
