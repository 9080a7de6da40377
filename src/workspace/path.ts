// Paths of files in a workspace. Callers write `src/a.ts` or `/workspace/src/a.ts`; both become `src/a.ts`.
// Invariant: joined to a directory, a WorkspacePath stays below it, and no component of it can be taken for `.git`.

import { isGitDirectoryName } from "../shared/git-name.ts";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";

declare const parsed: unique symbol;

/** A relative path with `/` as separator and no empty, `.` or `..` components. The empty text is the workspace itself. */
export type WorkspacePath = string & { readonly [parsed]: true };

export const workspaceRoot = "/workspace";
export const rootPath = "" as WorkspacePath;

/** Parses a file's path. `field` is the name of the argument, for error messages. */
export function parseWorkspacePath(text: string, field = "path"): Result<WorkspacePath> {
  const path = parseWorkspaceDirectory(text, field);
  if (!path.ok || path.value !== rootPath) return path;
  return refused(field, text, "is the workspace itself, not a file in it");
}

// Most paths match this. They need no normalization and have no forbidden names.
const plainPath = /^(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:\/|$))+(?<!\/)$/;
const PLAIN_LENGTH = 120;

/** Like `parseWorkspacePath`, but also accepts the workspace itself: `.`, `/workspace` or the empty text. */
export function parseWorkspaceDirectory(text: string, field = "path"): Result<WorkspacePath> {
  if (text.startsWith("/") && text !== workspaceRoot && !text.startsWith(`${workspaceRoot}/`))
    return refused(field, text, `is not below ${workspaceRoot}`, " git_pull brings files of a project there.");
  const relative = text.startsWith("/") ? text.slice(workspaceRoot.length + 1) : text;
  if (plainPath.test(relative) && relative.length <= PLAIN_LENGTH) return ok(relative as WorkspacePath);
  const parts = relative.split("/").filter((part) => part !== "" && part !== ".");
  for (const part of parts) {
    const problem = nameProblem(part);
    if (problem !== undefined) return refused(field, text, problem);
  }
  const path = parts.join("/");
  if (byteLength(path) > limits.workspacePathBytes)
    return refused(field, text, `is longer than ${limits.workspacePathBytes} bytes`);
  if (parts.length > limits.workspaceDepth)
    return refused(field, text, `is deeper than ${limits.workspaceDepth} names`);
  return ok(path as WorkspacePath);
}

/** The form used in results: `/workspace/src/a.ts`. */
export function spellWorkspacePath(path: WorkspacePath): string {
  return path === rootPath ? workspaceRoot : `${workspaceRoot}/${path}`;
}

/** Orders paths by code unit, so that a page can continue after any text. */
export function compareWorkspacePaths(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The parent directories without the workspace itself: `a/b/c` gives `a` and `a/b`. */
export function* parentsOf(path: WorkspacePath): Generator<WorkspacePath> {
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) yield path.slice(0, at) as WorkspacePath;
}

/** Why one component of a path is refused. Undefined if it is allowed. */
export function nameProblem(name: string): string | undefined {
  if (name === "..") return "leads upwards";
  if (!name.isWellFormed()) return "holds half of a character";
  if (name.includes("\0")) return "holds a NUL";
  if (name.includes("\\")) return "holds a backslash";
  // A line feed in a name would split a line in every list, diff and review.
  if (/\p{Cc}/v.test(name)) return "holds a control character";
  if (byteLength(name) > limits.workspaceNameBytes) return `has a name longer than ${limits.workspaceNameBytes} bytes`;
  // SECURITY(T08): git executes files in a `.git` for the next person who uses git in the directory.
  if (isGitDirectoryName(name)) return "is inside a .git, which is git's own and not content";
  return undefined;
}

function refused(field: string, text: string, problem: string, more = ""): Result<never> {
  return fail("invalid_args", `${field}: ${JSON.stringify(text.slice(0, 120))} ${problem}.`, {
    hint: `Give a path such as src/a.ts or ${workspaceRoot}/src/a.ts.${more}`,
  });
}

/** The length in UTF-8. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7ff && (code < 0xd800 || code > 0xdfff)) bytes += 2;
    else if (code > 0x7f) bytes += 1; // each half of a surrogate pair counts two of the four bytes
  }
  return bytes;
}
