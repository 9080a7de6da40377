// Secrets in the words of a command line: `--token`, `x`; `--password=x y`; and what a short flag means to its program.

import { flaggedPrograms, redactProgramFlags } from "./redact-program.ts";
import { isReference } from "./reference.ts";
import { isSecretName } from "./secret-name.ts";
import { redacted } from "./secret-shape.ts";

type Words = readonly (string | null)[];

/** null: something that is no word, and stays null. `rule` is for a word by itself. */
export function redactWords(words: Words, rule: (word: string) => string): (string | null)[] {
  const program = programOf(words);
  return words.map((word, index) => {
    if (word === null) return null;
    const previous = words[index - 1] ?? "";
    if (isFlagFor(previous, word)) return redacted;
    return redactWord(word, previous) ?? afterFlag(program, previous, rule(word));
  });
}

function isFlagFor(flag: string, value: string): boolean {
  const name = /^--?([A-Za-z][\w.-]{0,127})$/.exec(flag)?.[1];
  if (name === undefined || value === "" || isReference(value)) return false;
  return isSecretName(name, value) && !/^--?[A-Za-z][A-Za-z0-9-]{0,30}(?:=|$)/.test(value);
}

/** `--password=two words` is one value to its end. A script (`-c`, or one with newlines) is read as a text instead. */
function redactWord(word: string, previous: string): string | undefined {
  const equals = word.indexOf("=");
  if (equals < 1 || equals > 130 || /^-[a-z]*c$/.test(previous)) return undefined;
  const name = /^-{0,2}([A-Za-z_][\w.-]*)$/.exec(word.slice(0, equals))?.[1];
  const value = word.slice(equals + 1);
  if (name === undefined || value === "" || isReference(value) || /[\n;&|]\s|\s[;&|]/.test(value)) return undefined;
  return isSecretName(name, value) ? `${word.slice(0, equals + 1)}${redacted}` : undefined;
}

// Short flags mean something only to their program; written as one line, the rules for scripts apply to them too.
function afterFlag(program: string, previous: string, word: string): string {
  if (program === "" || word.length > 4096) return word;
  // One word, also where it holds what would end one in a line.
  const line = word.replace(/[\s"']/g, "_");
  const heads = /^-[A-Za-z-]{1,20}$/.test(previous) ? [`${program} ${previous} `, `${program} `] : [`${program} `];
  for (const head of heads) {
    const shown = redactProgramFlags(head + line);
    if (shown === head + line || !shown.startsWith(head)) continue;
    const kept = shown.slice(head.length, -redacted.length);
    return shown.endsWith(redacted) ? word.slice(0, kept.length) + redacted : shown.slice(head.length);
  }
  return word;
}

function programOf(words: Words): string {
  for (const word of words.slice(0, 8)) {
    const name = word?.slice(word.lastIndexOf("/") + 1) ?? "";
    if (flaggedPrograms.test(name)) return words.includes("login") ? `${name} login` : name;
  }
  return "";
}
