// Which requests a grant with `open: true` lets through.
// Invariant: nothing is pushed to a repository in this way, whatever methods are allowed: pushes leave by git_push.

import type { OpenHost } from "../../policy/open-host.ts";
import { matchesGlob, parseGlob } from "../../shared/glob.ts";

/** Headers that make a server take one method for another. */
export const methodHeaders = ["x-http-method", "x-http-method-override", "x-method-override"];

const DECODED_TIMES = 3;
const never = ["CONNECT", "TRACE"];

/** Why the request is refused; null: it is not. `target` begins with the path; `contentType` is the header, "" if there is none. */
export function requestProblem(open: OpenHost, method: string, target: string, contentType = ""): string | null {
  if (!target.startsWith("/")) return "the request names no path";
  // SECURITY(T66): under every spelling that a server might decode.
  if (spellings(target).some((text) => /git-receive-pack/i.test(text))) return "pushes leave by git_push";
  const path = target.replace(/[?#].*$/s, "");
  if (never.includes(method)) return `${method} is not allowed`;
  if (open.methods !== null && !open.methods.includes(method) && !isGitRead(open.methods, method, target, contentType))
    return `${method} is not among ${open.methods.join(", ")}`;
  return open.paths === null || isAmong(path, open.paths) ? null : "the path is not among those that are granted";
}

/**
 * A fetch of git sends what it has as the body of a POST, and changes nothing.
 * SECURITY(T66): only as git itself sends it. An API that takes whatever is below one of its paths does not take this type, and no
 * spelling makes it end the path before.
 */
function isGitRead(methods: readonly string[], method: string, target: string, contentType: string): boolean {
  const isGits = contentType === "application/x-git-upload-pack-request" && target.endsWith("/git-upload-pack");
  const isPlain = [target, plainPath(target) ?? ""].every((path) => /^\/[^?#;\p{Cc}]+$/u.test(path));
  return method === "POST" && methods.includes("GET") && isGits && isPlain;
}

function isAmong(path: string, globs: readonly string[]): boolean {
  const relative = plainPath(path)?.replace(/^\/|\/$/g, "");
  if (relative === undefined) return false;
  return globs.some((glob) => {
    const parsed = parseGlob(glob);
    return parsed.ok && matchesGlob(parsed.value, relative);
  });
}

/** SECURITY(T66): null for a path that a server could read as another one. `%2F` in a name is common, so it counts as `/`. */
function plainPath(path: string): string | null {
  const decoded = decode(path);
  if (decoded === null || /[\\\0]|%[0-9a-f]{2}|\/\//i.test(decoded) || /(?:^|\/)\.{1,2}(?:[/;]|$)/.test(decoded))
    return null;
  return decoded;
}

function spellings(text: string): string[] {
  const all = [text];
  for (let turn = 0; turn < DECODED_TIMES; turn += 1) {
    const last = all[all.length - 1] ?? "";
    all.push(
      decode(last) ?? last.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
    );
  }
  return all;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
