// A rule says which forms of a program Shell starts: which of its words are options, values and paths, and what is
// refused and why.

import type { Result } from "../../shared/result.ts";
import { type JudgedOptions, type PathWord } from "./judge-options.ts";
import type { OptionSpec } from "./option-spec.ts";

interface FormParts {
  readonly paths: readonly PathWord[];
  /** The commands that a wrapper would start, judged; the innermost last. */
  readonly inner: readonly (readonly string[])[];
  /** `NAME=value` words that env would set. */
  readonly variables: readonly string[];
}

/** A command line that Shell starts. */
export interface ProgramForm extends FormParts {
  readonly kind: "program";
}

/** git by itself, or behind env. */
export interface GitProgramForm extends FormParts {
  readonly kind: "git";
  /** The subcommand and its words. */
  readonly words: readonly string[];
  /** git is asked about itself, and needs no repository. */
  readonly isAboutItself: boolean;
  /** Where git works: each from where the one before leads. */
  readonly directories: readonly string[];
  readonly pathspecs: readonly PathspecMode[];
}

/** How git takes the paths it is given. */
export type PathspecMode = "literal" | "glob" | "noglob" | "icase";

export type Form = ProgramForm | GitProgramForm | { readonly kind: "type"; readonly names: readonly string[] };

/** Words that a wrapper adds only when it runs: instead of a mark, or (null) at the end. */
export interface LaterWords {
  readonly mark: string | null;
}

export interface FormContext {
  /** By the name that was written. */
  readonly program: string;
  /** Another program would start it. */
  readonly isInside: boolean;
  /** The programs that would start it, if any, start it once, and with just these words. */
  readonly isWhole: boolean;
  readonly later: LaterWords | null;
  readonly judgeInner: (argv: readonly string[], later: LaterWords | null) => Result<ProgramForm>;
  /** For a program that adds no words: what it starts may be git as well. */
  readonly judgeWhole: (argv: readonly string[], later: LaterWords | null) => Result<ProgramForm | GitProgramForm>;
}

/**
 * What the words are that belong to no option. `first: "text"`: the first is a pattern or a script, unless one of these
 * options was given. `most`: with one more the program would do what `why` says.
 */
export type Operands =
  | "paths"
  | "text"
  | { readonly first: "text"; readonly unless: string }
  | { readonly most: number; readonly why: string };

/** What is wrong, as the end of a sentence that begins with the program's name; null: nothing. */
export type WordCheck = (read: JudgedOptions, args: readonly string[]) => string | null;

/** The program reads, and prints what it finds. */
export interface ReadingRule {
  readonly kind: "reads";
  readonly options: OptionSpec;
  readonly operands: Operands;
  readonly check: WordCheck | null;
}

/** The program runs any code that it is given: only the box bounds it. */
interface FreeRule {
  readonly kind: "runs freely";
  readonly check: ((args: readonly string[]) => string | null) | null;
}

/** A function of the program's own judges its words. */
interface OwnRule {
  readonly kind: "own";
  readonly judge: (args: readonly string[], context: FormContext) => Result<Form>;
}

export type ShellRule = ReadingRule | FreeRule | OwnRule;

interface ReadingSpec extends OptionSpec {
  readonly operands: Operands;
  readonly check?: WordCheck;
}

export function reads({ operands, check, ...options }: ReadingSpec): ReadingRule {
  return { kind: "reads", options, operands, check: check ?? null };
}

export function runsFreely(check: FreeRule["check"] = null): ShellRule {
  return { kind: "runs freely", check };
}

export function judgedBy(judge: OwnRule["judge"]): ShellRule {
  return { kind: "own", judge };
}

export function programForm(paths: readonly PathWord[], more: Partial<FormParts> = {}): ProgramForm {
  return { kind: "program", paths, inner: more.inner ?? [], variables: more.variables ?? [] };
}
