// less has a way of its own with options: `-b5o` goes on after the number, `-px$olog` after the dollar sign, and words
// with a `+` are keys that it types to itself. So its words are taken from a list of whole spellings.

import type { OptionWords } from "../options.ts";
import { showWord } from "../options.ts";

const passing: readonly RegExp[] = [
  /^-[aABcCdeEfFgGiIJKLmMnNqQrRsSuUwWX~]+$/,
  /^-[bhjxyz]\d+$/,
  /^(-p|--pattern=)[^$]*$/,
  /^--(pattern|chop-long-lines|ignore-case|IGNORE-CASE|line-numbers|LINE-NUMBERS|no-init|quit-at-eof|QUIT-AT-EOF)$/,
  /^--(quit-if-one-screen|raw-control-chars|RAW-CONTROL-CHARS|squeeze-blank-lines|long-prompt|LONG-PROMPT|version|help)$/,
  /^-[V?]$/,
  /^\+(\d+|G)$/,
];

export function findLessProblem(_read: OptionWords, args: readonly string[]): string | null {
  const end = args.indexOf("--");
  const options = end < 0 ? args : args.slice(0, end);
  const wrong = options.find((word) => /^[-+]./.test(word) && !passing.some((pattern) => pattern.test(word)));
  if (wrong === undefined) return null;
  return `${showWord(wrong)} can write files or run programs, or is not known`;
}
