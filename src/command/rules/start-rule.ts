// A rule says which commands a program starts: `timeout 5 rm x` starts `rm x`.

import type { CommandLine } from "../words/command-line.ts";
import { type CommandWord, knownWord, textsOf, unknownWord } from "../words/command-word.ts";
import { optionNames, type OptionSpec } from "./option-spec.ts";
import { readOptions } from "./read-options.ts";

/** What a program starts. */
export type Started =
  | {
      readonly kind: "command";
      readonly words: readonly CommandWord[];
      /** Where it starts, when the program changes that. */
      readonly directory?: CommandWord | null;
      /** Something else decides whether it is started. It counts as a program that runs, and has no other effects. */
      readonly isOnlyNamed?: true;
    }
  /** A text that a shell reads: the word's text; or, where only its shape is known, that and something unknown. */
  | {
      readonly kind: "script";
      readonly script: CommandWord;
      readonly by?: ScriptShell;
      /** A text in code: it may be run, or be printed. Of its effects only `destroy` and `push` count. */
      readonly isMaybeText?: true;
    }
  /** Its standard input: a shell reads it, or the program does, and `read` says what it starts then. */
  | { readonly kind: "input"; readonly read?: (text: string) => readonly Started[] }
  /** Something that only the run will know. */
  | { readonly kind: "unknown" };

/** Which shell reads a script: another one; the one that runs the command; the same one, at some later time. */
export type ScriptShell = "another shell" | "this shell" | "this shell, later";

export type StartRule = (command: CommandLine) => readonly Started[];

export const unknownStart: Started = { kind: "unknown" };

export interface WrapperSpec extends OptionSpec {
  /** How many operands of its own stand before the command. */
  readonly skip?: number;
  /** Options with which it starts nothing. */
  readonly unless?: string;
}

/** Options, some operands of its own, then a command. */
export function wrapper(spec: WrapperSpec): StartRule {
  const options: OptionSpec = { ...spec, stand: "before operands" };
  const unless = optionNames(spec.unless);
  return ({ args }) => {
    const read = readOptions(args, options);
    return read.has(...unless) ? [] : startCommand(read.operands.slice(spec.skip ?? 0));
  };
}

/** A verb, options, some operands, then a command: `conda run -n a rm x`. */
export function verbStarting(
  verbs: RegExp,
  { options, skip = 0 }: { readonly options?: OptionSpec; readonly skip?: number },
): StartRule {
  const behind: OptionSpec = { ...options, stand: "before operands" };
  return ({ args }) => {
    const [verb, ...rest] = readOptions(args, { stand: "before operands" }).operands;
    if (!verbs.test(verb?.text ?? "")) return [];
    return startCommand(readOptions(rest, behind).operands.slice(skip));
  };
}

/** Options whose values are command lines, to which the program may add words. */
export function optionStarting(spec: OptionSpec, options: string): StartRule {
  const names = optionNames(options);
  return ({ args }) =>
    readOptions(args, spec)
      .valuesOf(...names)
      .flatMap((command) => startScript(withMoreWords(command)));
}

export function startCommand(words: readonly CommandWord[], directory: CommandWord | null = null): Started[] {
  return words.length === 0 ? [] : [{ kind: "command", words, directory }];
}

export function startScript(script: CommandWord | null | undefined, by: ScriptShell = "another shell"): Started[] {
  return script === null || script === undefined ? [] : [{ kind: "script", script, by }];
}

/** Scripts behind a prefix, such as `exec=CMD`, in values. */
export function startPrefixed(words: readonly CommandWord[], prefix: RegExp): Started[] {
  return words.flatMap(({ text }) => {
    const found = text === null ? null : prefix.exec(text);
    return text === null || found === null ? [] : startScript(knownWord(text.slice(found[0].length)));
  });
}

/** Words that a program joins with spaces and gives to a shell. */
export function joinedScript(words: readonly CommandWord[]): CommandWord {
  const texts = textsOf(words);
  const shapes = words.map(({ shape }) => shape ?? "$x");
  return { text: texts.includes(null) ? null : texts.join(" "), shape: words.length === 0 ? null : shapes.join(" ") };
}

/** A command line to which a program adds words of its own. */
export function withMoreWords({ text, shape }: CommandWord): CommandWord {
  return text === null ? { text, shape: `${shape ?? "$x"} $x` } : knownWord(`${text} "$@"`);
}

/** Words in which the program will replace a mark such as `{}`. They are unknown, with `$x` for the mark in their shape. */
export function withMark(words: readonly CommandWord[], mark: string): CommandWord[] {
  return words.map((word) =>
    word.text?.includes(mark) === true ? { text: null, shape: word.text.replaceAll(mark, "$x") } : word,
  );
}

/** Words behind which the program will put more. */
export function withWordsLater(words: readonly CommandWord[]): CommandWord[] {
  return words.length === 0 ? [] : [...words, unknownWord];
}
