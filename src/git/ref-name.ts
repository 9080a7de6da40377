// Parses the name of a branch that a caller writes, and decides whether the branch needs a stronger warning in the question.
// Invariant: git also accepts every accepted name as a branch, and `refs/heads/` plus the name is the whole ref. One branch has
// one spelling, so that no other spelling of a protected branch goes unnoticed.

import { fail, ok, type Result } from "../shared/result.ts";

const MAX_BYTES = 240; // a file name below refs/heads, leaving space for git's ".lock"
const PREFIX = "refs/heads/";

const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}]/v;
const ignored = /\p{Default_Ignorable_Code_Point}/gv;

/** `refs/heads/x` is read as `x`; every other ref is refused. */
export function parseBranchName(text: string): Result<string> {
  const branch = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
  const problem = branchProblem(branch);
  if (problem === null) return ok(branch);
  return fail("invalid_args", `branch: ${JSON.stringify(text.slice(0, 120))} ${problem}.`, {
    hint: "Give the name of a branch, like main or fix/typo.",
  });
}

export function branchRef(branch: string): string {
  return `${PREFIX}${branch}`;
}

function branchProblem(branch: string): string | null {
  if (branch === "") return "is empty";
  if (!branch.isWellFormed()) return "holds half of a character";
  if (new TextEncoder().encode(branch).length > MAX_BYTES) return `is longer than ${MAX_BYTES} bytes`;
  if (unseen.test(branch)) return "holds a blank, a control or an invisible character";
  if (branch.startsWith("-")) return "begins with a dash, like an option";
  if (/^refs(?:\/|$)/i.test(branch)) return "names a ref that is not a branch";
  // Programs that resolve a name try `refs/<name>` before `refs/heads/<name>`.
  if (/^(?:heads|tags|remotes)\//i.test(branch))
    return "reads as a ref of its own: leave out what stands before the name";
  if (branch === "@" || /^head$/i.test(branch)) return "means the current commit, not a branch";
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(branch)) return "looks like the id of a commit";
  const character = /[~^:?*[\\]/.exec(branch);
  if (character !== null) return `holds ${character[0]}, which git keeps for itself`;
  if (branch.includes("..")) return "holds two dots in a row";
  if (branch.includes("@{")) return "holds @{, which git keeps for itself";
  if (branch.endsWith(".")) return "ends in a dot";
  for (const part of branch.split("/")) {
    if (part === "") return "has an empty part: a slash too many";
    if (part.startsWith(".")) return "has a part that begins with a dot";
    if (part.endsWith(".lock")) return "has a part that ends in .lock";
  }
  return null;
}

const protectedNames = new Set(["main", "master", "production"]);

/** True for `main`, `master`, `production`, `release…` and the default branch, also if only case or invisible characters differ. */
export function isProtectedBranch(branch: string, defaultBranch: string | null): boolean {
  const name = foldName(branch);
  if (protectedNames.has(name) || name.startsWith("release")) return true;
  return defaultBranch !== null && name === foldName(defaultBranch);
}

function foldName(branch: string): string {
  const name = branch.startsWith(PREFIX) ? branch.slice(PREFIX.length) : branch;
  return name.normalize("NFKC").replace(ignored, "").toUpperCase().toLowerCase().normalize("NFKC");
}
