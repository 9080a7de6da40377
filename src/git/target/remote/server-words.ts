// Removes the server's words from git's messages after a person was signed in. The server may have put the credential into them, in
// any encoding.
// Invariant: only git's own fixed words are left; of the server's words, only the kind of error remains.

const withheld = "(the server's own words are not passed on, because the person was signed in there)";

/** Messages of git and curl. The rest of the line after a match is cut. The only address in them is the one that git was given. */
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

/** Maps a line of the server to fixed words that `remote-error.ts` recognises. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/authentication failed|permission denied|access denied|invalid credentials|http basic: /i, "access denied"],
  [/repository .*not found|no such repository|project you were looking for/i, "no such repository"],
  [/does not appear to be a git repository/i, "no such repository"],
  [/shallow|filter/i, "no shallow or filter"],
];

/** SECURITY(T41): cleans the text line by line. */
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

/** Reasons that git servers give in fixed words. */
const reasons =
  /(?:pre-receive |protected branch |update )?hook declined|protected branch|non-fast-forward|fetch first|stale info|needs force|already exists|cannot lock ref|failed to (?:update ref|lock)|incorrect old value|branch is currently checked out|deletion prohibited|unpacker error|shallow update not allowed/i;

/** SECURITY(T41): cleans the reason of a refusal in the output of `git push --porcelain`. */
export function withoutServerReason(porcelain: string): string {
  return porcelain.replace(/^(!\t[^\t\n]*\t\[[^\]\n]*\]).*$/gm, (_, start: string) => {
    const reason = reasons.exec(_)?.[0];
    return `${start} (${reason ?? "the server refused the branch; its own words are not passed on"})`;
  });
}
