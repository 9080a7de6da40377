// Checks a revision that a caller writes: any syntax of git, but nothing that git could take for an option or for a path outside
// the repository. It checks only the text; git decides whether the revision names anything.
// Invariant: neither side of a range begins with "-". Blanks and shell characters occur only inside
// `@{…}`, `^{…}`, `:/…` and the path after `:`.

import { fail, ok, type Result } from "../shared/result.ts";

const MAX_LENGTH = 200;

// Refused at every position: control characters, and characters that reorder or hide text.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{2800}\u{3164}\u{ffa0}]/u;
const SHELL_CHARACTERS = /[\s|&;<>()$`\\"'*?[\]{}!]/u;

export function parseRevision(text: string): Result<string> {
  const problem = revisionProblem(text);
  if (problem === null) return ok(text);
  return fail("invalid_args", `ref: ${JSON.stringify(text.slice(0, 80))} ${problem}.`, {
    hint: "Give a commit, branch, tag, range or revision:path, like HEAD~2, v1.0, main..feature or HEAD:src/a.ts.",
  });
}

/** Null if the text may be passed to git; otherwise what is wrong with it. */
export function revisionProblem(text: string): string | null {
  if (text === "") return "is empty";
  if (text.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (!text.isWellFormed() || UNSEEN.test(text)) return "holds a control or invisible character";
  const plain = withoutFreeText(text);
  if (plain === null) return "has a brace that is not closed";
  if (SHELL_CHARACTERS.test(plain)) return "holds a blank or a shell character where a name is due";
  for (const side of plain.split(/\.{2,3}/)) {
    if (side.startsWith("-")) return "begins with a dash, like an option";
    if (side.startsWith("/")) return "begins with a slash, like a path";
  }
  return null;
}

/** The revision without the parts that may contain any text; null if a brace is not closed. */
function withoutFreeText(text: string): string | null {
  let rest = text;
  let plain = "";
  while (rest !== "") {
    const brace = /^[@^]\{/.exec(rest);
    if (brace !== null) {
      const end = rest.indexOf("}");
      if (end < 0) return null;
      plain += rest.slice(0, 1);
      rest = rest.slice(end + 1);
    } else if (rest.startsWith("^!")) {
      plain += "^";
      rest = rest.slice(2);
    } else if (rest.startsWith(":")) {
      return `${plain}:`; // the rest is the text of `:/message`, or a path
    } else {
      plain += rest.slice(0, 1);
      rest = rest.slice(1);
    }
  }
  return plain;
}
