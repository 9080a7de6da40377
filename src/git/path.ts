// Checks a path inside a repository that a caller names: relative, checked by component, taken literally.

import { isGitDirectoryName } from "../shared/git-name.ts";
import { fail, ok, type Result } from "../shared/result.ts";

const MAX_LENGTH = 4_000;

export function parseRepositoryPath(text: string): Result<string> {
  const problem = pathProblem(text);
  if (problem === null) return ok(text);
  return fail("invalid_args", `path: ${JSON.stringify(text.slice(0, 120))} ${problem}.`, {
    hint: "Give a path relative to the repository, like src/a.ts. It is taken literally: no patterns.",
  });
}

/** `~`, `~/x`, `~root`, `~root/x`, and bash's `~+`. Not `~tilde.txt` or `~$report.docx`: those are names of files. */
export function namesHome(text: string): boolean {
  return /^~(?:[A-Za-z_][\w-]*|[+-]?\d*)(?:\/|$)/.test(text);
}

function pathProblem(text: string): string | null {
  if (text === "") return "is empty";
  if (text.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (!text.isWellFormed()) return "holds half of a character";
  if (text.includes("\0")) return "holds a NUL";
  if (text.startsWith("/")) return "is absolute";
  if (namesHome(text)) return "begins with somebody's ~, which nobody expands; a file of that name is ./~…";
  if (text.startsWith(":")) return "begins with :, which git reads as a pattern";
  if (text.includes("\\")) return "holds a backslash";
  for (const part of text.split("/")) {
    if (part === "..") return "leads upwards";
    if (isGitDirectoryName(part)) return "is inside the repository's own directory, which is not content";
  }
  return null;
}
