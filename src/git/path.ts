// A path inside a repository, as a caller may name it: relative, by component, taken literally.

import { fail, ok, type Result } from "../shared/result.ts";

const MAX_LENGTH = 4_000;

export function parseRepositoryPath(text: string): Result<string> {
  const problem = pathProblem(text);
  if (problem === null) return ok(text);
  return fail("invalid_args", `path: ${JSON.stringify(text.slice(0, 120))} ${problem}.`, {
    hint: "Give a path relative to the repository, like src/a.ts. It is taken literally: no patterns.",
  });
}

function pathProblem(text: string): string | null {
  if (text === "") return "is empty";
  if (text.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (!text.isWellFormed()) return "holds half of a character";
  if (text.includes("\0")) return "holds a NUL";
  if (text.startsWith("/")) return "is absolute";
  if (text.startsWith("~")) return "begins with ~, which nobody expands";
  if (text.startsWith(":")) return "begins with :, which git reads as a pattern";
  if (text.includes("\\")) return "holds a backslash";
  for (const part of text.split("/")) {
    if (part === "..") return "leads upwards";
    if (isGitDirectoryName(part)) return "is inside the repository's own directory, which is not content";
  }
  return null;
}

// Code points that HFS+ leaves out when it compares names.
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** True for `.git` and every name that some file system takes for it: case, HFS+'s ignored characters, NTFS's short and stream names. */
export function isGitDirectoryName(name: string): boolean {
  const folded = name.replace(HFS_IGNORED, "").normalize("NFKC").toLowerCase();
  const base = (folded.split(":")[0] as string).replace(/[. ]+$/, "");
  return base === ".git" || base === "git~1";
}
