// What git says after a person was signed in, without the words of the server: it may have put the credential into them, in
// any way of writing it.
// Invariant: only git's own fixed words are left, and of the server's the kind of error that they stand for.

const withheld = "(the server's own words are not passed on, because the person was signed in there)";

/** Git's and curl's own; what stands behind them in the line is cut. Addresses are the one that git was given. */
const ownWords: readonly RegExp[] = [
  /^fatal: Authentication failed for '[^']*'/,
  /^fatal: could not read (?:Username|Password) for '[^']*': terminal prompts disabled/,
  /^fatal: unable to access '[^']*': (?:The requested URL returned error: \d{3}|Could not resolve (?:host|proxy)|Failed to connect to|Connection timed out|Operation too slow|Operation timed out|Empty reply from server|SSL certificate problem|server certificate verification failed)/,
  /^fatal: repository '[^']*' not found/,
  /^fatal: unable to update url base from redirection/,
  /^fatal: transport '[a-z]+' not allowed/,
  /^fatal: the remote end hung up unexpectedly/,
  /^fatal: early EOF/,
  /^error: RPC failed; HTTP \d{3}/,
  /^error: failed to push some refs/,
];

/** What a line of the server tells, in words of ours that `remote-error.ts` knows. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/authentication failed|permission denied|access denied|invalid credentials|http basic: /i, "access denied"],
  [/repository .*not found|no such repository|project you were looking for/i, "no such repository"],
  [/does not appear to be a git repository/i, "no such repository"],
  [/shallow|filter/i, "no shallow or filter"],
];

/** SECURITY(T41): line by line. */
export function withoutServerWords(stderr: string): string {
  return stderr
    .split(/[\r\n]+/)
    .map(ownLine)
    .join("\n");
}

function ownLine(line: string): string {
  const text = line.trim();
  if (text === "") return "";
  for (const pattern of ownWords) {
    const own = pattern.exec(text);
    if (own !== null) return own[0];
  }
  const kind = kinds.find(([pattern]) => pattern.test(text))?.[1];
  const start = /^(?:fatal: remote error|fatal|error)(?=: )/.exec(text)?.[0] ?? "remote";
  return `${start}: ${kind === undefined ? withheld : `${kind} ${withheld}`}`;
}

/** Reasons that servers of git give in fixed words. */
const reasons =
  /(?:pre-receive |protected branch |update )?hook declined|protected branch|non-fast-forward|fetch first|stale info|needs force|already exists|cannot lock ref|failed to (?:update ref|lock)|incorrect old value|branch is currently checked out|deletion prohibited|unpacker error|shallow update not allowed/i;

/** SECURITY(T41): of `git push --porcelain`, the reason of a refusal. */
export function withoutServerReason(porcelain: string): string {
  return porcelain.replace(/^(!\t[^\t\n]*\t\[[^\]\n]*\]).*$/gm, (_, start: string) => {
    const reason = reasons.exec(_)?.[0];
    return `${start} (${reason ?? "the server refused the branch; its own words are not passed on"})`;
  });
}
