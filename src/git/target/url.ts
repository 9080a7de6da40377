// Parses the address of a remote as a caller writes it: https, ssh, user@host:path, and http on this machine.
// Invariant: git contacts the address that a person reads. No accepted address has a transport that runs a program, is a disguised
// option, contains a secret, or means something else once it is decoded. One repository has one spelling.

import { redactShapes } from "../../audit/secret-shape.ts";
import { fail, ok, type Result } from "../../shared/result.ts";

export interface RemoteUrl {
  /** The text that git gets and a person sees. */
  readonly text: string;
  readonly protocol: "https" | "ssh" | "http";
  /** In lower case; an IPv6 address includes its brackets. */
  readonly host: string;
}

export interface GithubRepo {
  readonly owner: string;
  readonly name: string;
  /** `owner/name` */
  readonly text: string;
}

const MAX_LENGTH = 2_048;
const HINT = "Use https://host/path, ssh://user@host/path or user@host:path.";
const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}]/v;
const defaultPorts: Readonly<Record<RemoteUrl["protocol"], string>> = { https: "443", ssh: "22", http: "80" };

export function parseRemoteUrl(text: string): Result<RemoteUrl> {
  const read = readUrl(text);
  if (typeof read !== "string") return ok(read);
  // A refused address may contain a password, so the message does not repeat it.
  return fail("invalid_args", `url: ${read}.`, { hint: HINT });
}

function readUrl(text: string): RemoteUrl | string {
  if (text === "") return "is empty";
  if (text.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (unseen.test(text)) return "holds a blank, a line break, a control or an invisible character";
  if (text.startsWith("-")) return "begins with a dash, like an option";
  if (text.includes("\\")) return "holds a backslash";
  const helper = /^([A-Za-z0-9+.-]*)::/.exec(text);
  if (helper !== null) return `${JSON.stringify(`${helper[1]}::`)} would start a program (a remote helper of git)`;
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text);
  if (scheme === null) return readScpLike(text);
  const protocol = (scheme[1] as string).toLowerCase();
  const rest = text.slice(scheme[0].length);
  if (protocol === "https" || protocol === "ssh" || protocol === "http") return readAuthority(protocol, rest);
  if (protocol === "file") return "file:// is a path on this machine: that is a target of type local or local-bare";
  return `${protocol}:// is not spoken here`;
}

function readAuthority(protocol: RemoteUrl["protocol"], rest: string): RemoteUrl | string {
  const [, authority = "", path = ""] = /^([^/?#]*)(.*)$/s.exec(rest) ?? [];
  const at = authority.lastIndexOf("@");
  const user = at < 0 ? null : authority.slice(0, at);
  const match = /^(\[[^\]]*\]|[^:]*)(?::([0-9]{1,5}))?$/.exec(authority.slice(at + 1));
  if (match === null) return "has something other than a host and a port before its path";
  const [, host = "", port] = match;
  const problem = userProblem(user) ?? hostProblem(host) ?? portProblem(port) ?? pathProblem(path);
  if (problem !== null) return problem;
  if (protocol === "http" && !isLoopback(host.toLowerCase()))
    return "http sends everything readable by all in between; only https leaves this machine";
  const userPart = user === null ? "" : `${user}@`;
  const portPart = port === undefined || String(Number(port)) === defaultPorts[protocol] ? "" : `:${Number(port)}`;
  const name = host.toLowerCase();
  return { text: `${protocol}://${userPart}${name}${portPart}${trimmed(path)}`, protocol, host: name };
}

// `user@host:path`. Without the user, `c:path` and `host:path` could be anything.
function readScpLike(text: string): RemoteUrl | string {
  const parts = /^([^@/:]+)@(\[[^\]]*\]|[^/:@]+):(.+)$/s.exec(text);
  if (parts === null) {
    const isSecret = /^[^/@]*:[^/@]*@/.test(text);
    if (isSecret) return "has a password before its host, which would be written to the log";
    return text.includes(":")
      ? "is no address of a remote"
      : "is a path on this machine: that is a target of type local or local-bare";
  }
  const [, user = "", host = "", path = ""] = parts;
  const problem = userProblem(user) ?? hostProblem(host) ?? pathProblem(path.startsWith("/") ? path : `/${path}`);
  if (problem !== null) return problem;
  // Git does not decode this form: %41 in it is a literal percent sign and digits.
  if (path.includes("%")) return "has a percent sign in its path";
  return { text: `${user}@${host.toLowerCase()}:${trimmed(path)}`, protocol: "ssh", host: host.toLowerCase() };
}

function trimmed(path: string): string {
  return path.replace(/\/+$/, "");
}

function userProblem(user: string | null): string | null {
  if (user === null) return null;
  if (user.includes(":")) return "has a password before its host, which would be written to the log";
  if (user.startsWith("-")) return "has a user that begins with a dash, like an option";
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}$/.test(user))
    return "has something other than a plain user name before its host";
  if (redactShapes(user) !== user || isTokenLike(user))
    return "has what looks like a token before its host, which would be written to the log";
  return null;
}

/** Long, with mixed letters and digits: not a likely user name. */
function isTokenLike(user: string): boolean {
  return user.length >= 20 && /[0-9]/.test(user) && /[A-Za-z]/.test(user) && !/[.+-]/.test(user);
}

function hostProblem(host: string): string | null {
  if (host === "") return "has no host";
  if (host.startsWith("-")) return "has a host that begins with a dash, like an option";
  if (host.startsWith("["))
    return /^\[[0-9a-f:]{2,39}(?:%[0-9a-z]+)?\]$/i.test(host) && !host.includes("%")
      ? null
      : "has no IPv6 address in its brackets";
  if (host.includes("%")) return "has a percent sign in its host";
  if (/[^\x21-\x7e]/.test(host)) return "has letters in its host that look like others: write the xn-- form";
  if (!/^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i.test(host) || host.includes("..") || host.length > 253)
    return "has no valid host";
  const isNumber = /^(?:[0-9]+|0x[0-9a-f]*)$/i.test(host.slice(host.lastIndexOf(".") + 1));
  const isAddress = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.|$)){4}$/.test(host);
  return isNumber && !isAddress ? "has a number in place of its host" : null;
}

function portProblem(port: string | undefined): string | null {
  return port === undefined || (Number(port) > 0 && Number(port) < 65_536) ? null : "has a port that is none";
}

function pathProblem(path: string): string | null {
  if (/[?#]/.test(path)) return "has a query or a fragment, which no repository has";
  if (trimmed(path) === "") return "has no path after its host";
  for (const escape of path.matchAll(/%(.{0,2})/gs)) {
    const digits = escape[1] as string;
    if (!/^[0-9a-f]{2}$/i.test(digits)) return "has a percent sign in its path that stands for nothing";
    // Letters, digits and characters with a meaning must be written unescaped. Otherwise one repository would have two spellings.
    if (/[\p{Cc}A-Za-z0-9./\\%~:@_-]/u.test(String.fromCharCode(parseInt(digits, 16))))
      return `has %${digits} in its path: write the character itself`;
  }
  for (const part of path.slice(1).split("/")) {
    if (part === "." || part === "..") return `has ${part} as a part of its path`;
    if (part.startsWith("-")) return "has a part of its path that begins with a dash, like an option";
  }
  return null;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.[0-9]{1,3}){3}$/.test(host);
}

// GitHub itself created these two names with a leading dot. All others are mistakes or attempts to deceive.
const dotNames = new Set([".github", ".github-private"]);

/** Accepts only owner/name: no address, no `.git`, no variable. Nothing is expanded. */
export function parseGithubRepo(text: string): Result<GithubRepo> {
  const no = (reason: string): Result<GithubRepo> =>
    fail("invalid_args", `repo: ${JSON.stringify(text.slice(0, 120))} ${reason}.`, {
      hint: "Write it as owner/name, like octocat/hello-world.",
    });
  const parts = text.split("/");
  const [owner = "", name = ""] = parts;
  if (parts.length !== 2) return no("is not owner/name");
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$/.test(owner)) return no("has no owner that GitHub could have");
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/.test(name) && !dotNames.has(name.toLowerCase()))
    return no("has no name that a repository could have");
  if (name.includes("..")) return no("has two dots in a row");
  if (/\.(?:git|wiki)$/i.test(name)) return no("ends in what no repository's name ends in");
  return ok({ owner, name, text: `${owner}/${name}` });
}
