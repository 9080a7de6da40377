// What Shell knows of a program, one row each. A row says which of its words are options, values and paths, what it
// refuses and why, and carries examples of both, which are checked when the table is made.

import type { Result } from "../shared/result.ts";
import { compileOptions, type OptionSpec, type OptionTable, type PathWord, type OptionWords } from "./options.ts";

export interface ProgramForm {
  readonly kind: "program";
  readonly paths: readonly PathWord[];
  /** The commands that a wrapper would start, judged; the innermost last. */
  readonly inner: readonly (readonly string[])[];
  /** `NAME=value` words that env would set. */
  readonly variables: readonly string[];
}

/** git in one of its forms, by itself or behind env, which has the other fields. */
export interface GitProgramForm extends Omit<ProgramForm, "kind"> {
  readonly kind: "git";
  /** The subcommand and its words. */
  readonly words: readonly string[];
  /** It is asked about itself, and needs no repository. */
  readonly isAboutItself: boolean;
  /** Where it works: each from where the one before leads. */
  readonly directories: readonly string[];
  readonly pathspecs: readonly PathspecMode[];
}

/** How git takes the paths it is given. */
export type PathspecMode = "literal" | "glob" | "noglob" | "icase";

export type Form = ProgramForm | GitProgramForm | { readonly kind: "type"; readonly names: readonly string[] };

/** Words that a wrapper puts in only when it runs: in the place of a mark, or (null) at the end. */
export interface LaterWords {
  readonly mark: string | null;
}

export interface FormContext {
  /** By the name that was written. */
  readonly program: string;
  /** True when another program would start it. */
  readonly isInside: boolean;
  /** Nothing stands around it but programs that start it with just these words. */
  readonly isWhole: boolean;
  readonly later: LaterWords | null;
  readonly judgeInner: (argv: readonly string[], later: LaterWords | null) => Result<ProgramForm>;
  /** For a program that adds no words: what it starts may be git as well. */
  readonly judgeWhole: (argv: readonly string[], later: LaterWords | null) => Result<ProgramForm | GitProgramForm>;
}

export interface Examples {
  readonly passes: readonly string[];
  readonly refused: readonly string[];
}

/**
 * What the words are that belong to no option. `first: "text"`: a pattern, or a script, unless one of these options
 * was given. `most`: one more would do what `why` says.
 */
export type Operands =
  | "paths"
  | "text"
  | { readonly first: "text"; readonly unless: string }
  | { readonly most: number; readonly why: string };

/** Says what is wrong, as the end of a sentence that begins with the program's name; null: nothing. */
export type WordCheck = (read: OptionWords, args: readonly string[]) => string | null;

interface RowBase {
  readonly names: readonly string[];
  readonly examples: Examples;
}
/** It reads, and prints what it finds. */
export interface ReadingRow extends RowBase {
  readonly kind: "reading";
  readonly options: OptionTable;
  readonly operands: Operands;
  readonly check: WordCheck | null;
}
/** It runs what it is given: nothing to judge, the box decides. */
export interface RunnerRow extends RowBase {
  readonly kind: "runner";
  readonly check: ((args: readonly string[]) => string | null) | null;
}
/** Its words are read by a function of its own. */
export interface SpecialRow extends RowBase {
  readonly kind: "special";
  readonly read: (args: readonly string[], context: FormContext) => Result<Form>;
}
export type ProgramRow = ReadingRow | RunnerRow | SpecialRow;

interface ReadingSpec extends OptionSpec {
  readonly operands: Operands;
  readonly check?: WordCheck;
  readonly examples: Examples;
}

export function reading(names: string, { operands, check, examples, ...options }: ReadingSpec): ReadingRow {
  return {
    kind: "reading",
    names: names.split(" "),
    options: compileOptions(options),
    operands,
    check: check ?? null,
    examples,
  };
}

export function runner(names: string, examples: Examples, check?: RunnerRow["check"]): RunnerRow {
  return { kind: "runner", names: names.split(" "), check: check ?? null, examples };
}

export function special(names: string, read: SpecialRow["read"], examples: Examples): SpecialRow {
  return { kind: "special", names: names.split(" "), read, examples };
}

export function programForm(paths: readonly PathWord[], more: Partial<ProgramForm> = {}): ProgramForm {
  return { kind: "program", paths, inner: more.inner ?? [], variables: more.variables ?? [] };
}
