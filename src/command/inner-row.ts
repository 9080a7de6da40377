// What a program that starts others would start: one row each, with examples that a test reads as scripts.

import { type CommandWord, knownWord, textsOf, unknownWord } from "./command-word.ts";
import { type LooseSpec, readLoose } from "./loose-options.ts";
import type { RiskyCommand } from "./risk-row.ts";

export type Inner =
  | {
      readonly kind: "command";
      readonly words: readonly CommandWord[];
      /** Where it starts, when the wrapper changes that. */
      readonly directory?: CommandWord | null;
      /** Something else decides whether it is started: what it would run counts, not what it would risk. */
      readonly isUnused?: true;
    }
  /** A text that a shell reads: the word's text, or, where only its shape is known, that and more. */
  | {
      readonly kind: "script";
      readonly script: CommandWord;
      readonly by?: ScriptReader;
      /** It may be run, or be only a text: what it would destroy or push counts, not what it would run. */
      readonly isText?: true;
    }
  /** What stands on its standard input: a shell reads it, or (`read`) something else of which this is what it starts. */
  | { readonly kind: "input"; readonly read?: (text: string) => readonly Inner[] }
  /** Something that nobody knows. */
  | { readonly kind: "unknown" };

/** Which shell reads a script: another one; the one that runs the command; the same, at some later time. */
export type ScriptReader = "another shell" | "this shell" | "this shell, later";

export interface InnerRow {
  readonly names: readonly string[];
  readonly read: (command: RiskyCommand) => readonly Inner[];
  /** A script, and commands that are inside of it, `…` for an unknown word. */
  readonly examples: readonly (readonly [script: string, ...inner: string[]])[];
}

export const unknownInner: Inner = { kind: "unknown" };

export function innerRow(names: string, examples: InnerRow["examples"], read: InnerRow["read"]): InnerRow {
  return { names: names.split(" "), read, examples };
}

/** Options, some operands of its own, then a command. `unless`: options with which it starts none. */
export function wrapper(
  names: string,
  spec: LooseSpec & { readonly skip?: number; readonly unless?: string; readonly directory?: string },
  examples: InnerRow["examples"],
): InnerRow {
  const options = { ...spec, stand: "before operands" } as const;
  const split = (text = ""): string[] => text.split(" ").filter((name) => name !== "");
  const [unless, directory] = [split(spec.unless), split(spec.directory)];
  return innerRow(names, examples, ({ args }) => {
    const read = readLoose(args, options);
    return read.has(...unless) ? [] : innerCommand(read.operands.slice(spec.skip ?? 0), read.value(...directory));
  });
}

export function innerCommand(words: readonly CommandWord[], directory: CommandWord | null = null): Inner[] {
  return words.length === 0 ? [] : [{ kind: "command", words, directory }];
}

export function innerScript(script: CommandWord | null | undefined, by: ScriptReader = "another shell"): Inner[] {
  return script === null || script === undefined ? [] : [{ kind: "script", script, by }];
}

/** Words that a program joins with spaces and hands to a shell. */
export function joinedScript(words: readonly CommandWord[]): CommandWord {
  const texts = textsOf(words);
  const shapes = words.map(({ shape }) => shape ?? "$x");
  return { text: texts.includes(null) ? null : texts.join(" "), shape: words.length === 0 ? null : shapes.join(" ") };
}

/** A command line to which a program adds words of its own. */
export function withMore({ text, shape }: CommandWord): CommandWord {
  return text === null ? { text, shape: `${shape ?? "$x"} $x` } : knownWord(`${text} "$@"`);
}

/** Words in which a mark will be replaced: they are unknown, and their shape has `$x` in its place. */
export function withMark(words: readonly CommandWord[], mark: string): CommandWord[] {
  return words.map((word) =>
    word.text?.includes(mark) === true ? { text: null, shape: word.text.replaceAll(mark, "$x") } : word,
  );
}

export function withLater(words: readonly CommandWord[]): CommandWord[] {
  return words.length === 0 ? [] : [...words, unknownWord];
}
