// A revision as a caller may write it: any syntax git has, but never something git could take for an option or
// a path outside the repository. Text only; whether it names anything is git's to say.
// Invariant: does not begin with "-", on either side of a range; blanks and shell characters only inside
// `@{…}`, `^{…}`, `:/…` and the path after `:`.

import { fail, ok, type Result } from "../shared/result.ts";

const MAX_LENGTH = 200;

// Never, wherever they stand: controls, and what reorders or hides text.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{2800}\u{3164}\u{ffa0}]/u;
const SHELL_CHARACTERS = /[\s|&;<>()$`\\"'*?[\]{}!]/u;

export function parseRevision(text: string): Result<string> {
  const problem = revisionProblem(text);
  if (problem === null) return ok(text);
  return fail("invalid_args", `ref: ${JSON.stringify(text.slice(0, 80))} ${problem}.`, {
    hint: "Give a commit, branch, tag, range or revision:path, like HEAD~2, v1.0, main..feature or HEAD:src/a.ts.",
  });
}

/** null: it may be passed to git; otherwise what is wrong with it. */
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

/** The revision without the parts in which any text may stand; null when a brace is not closed. */
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
      return `${plain}:`; // `:/message` or a path: the rest is theirs
    } else {
      plain += rest.slice(0, 1);
      rest = rest.slice(1);
    }
  }
  return plain;
}
