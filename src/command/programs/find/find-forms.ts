// Judges find's words for Shell: which are paths, and which commands find would start. Only tests and actions that are
// listed pass.

import { fail, ok, type Result } from "../../../shared/result.ts";
import { type PathWord, pathWords, refuseForm, showWord } from "../../rules/judge-options.ts";
import { type Form, type FormContext, judgedBy, programForm, type ShellRule } from "../../rules/shell-rule.ts";
import { findCommandLength, findValueKind, startsCommand, withoutValue } from "./find-words.ts";

export const findForms: ShellRule = judgedBy(judgeFind);

/** Stands for a found file. Its name begins with the directory in which find starts, so it is never an option. */
const FOUND = "./found";

function judgeFind(args: readonly string[], context: FormContext): Result<Form> {
  if (context.later !== null)
    return refuseForm("find would get words that nobody has judged.", "Start find by itself.");
  let at = args.findIndex((word) => !/^(-[HLP]|-O\d|--)$/.test(word));
  if (at < 0) at = args.length;
  const expression = args.findIndex((word, index) => index >= at && /^(-.|[()!,])/.test(word));
  const from = args.slice(at, expression < 0 ? args.length : expression);
  const judge = new FindJudge(args, at + from.length, context);
  const problem = judge.read();
  if (problem !== null) return problem;
  if (judge.inner.length > 0 && (args.includes("-files0-from") || from.some((path) => path.startsWith("+")))) {
    return refuseForm(
      "find would give names to a program that could be taken for options.",
      "Write the places to look in as ./NAME.",
    );
  }
  return ok(programForm([...pathWords(from), ...judge.paths], { inner: judge.inner, variables: judge.variables }));
}

type Problem = ReturnType<typeof fail>;

class FindJudge {
  readonly paths: PathWord[] = [];
  readonly inner: (readonly string[])[] = [];
  readonly variables: string[] = [];
  readonly #args: readonly string[];
  readonly #context: FormContext;
  #at: number;

  constructor(args: readonly string[], start: number, context: FormContext) {
    this.#args = args;
    this.#at = start;
    this.#context = context;
  }

  read(): Problem | null {
    while (this.#at < this.#args.length) {
      const problem = this.#readPredicate(this.#args[this.#at++] ?? "");
      if (problem !== null) return problem;
    }
    return null;
  }

  #readPredicate(word: string): Problem | null {
    if (withoutValue.has(word)) return null;
    if (startsCommand(word)) return this.#readCommand(word);
    const kind = findValueKind(word);
    if (word === "-delete") return refuseForm("find -delete deletes files.");
    if (kind === "written file") return refuseForm(`find ${word} writes a file.`);
    if (kind === null) return refuseForm(`find ${showWord(word)} is not a test or action that Shell lets through.`);
    const value = this.#args[this.#at++];
    if (value === undefined) return fail("invalid_args", `command: find ${word} needs a value.`);
    if (kind === "path") this.paths.push(...pathWords([value]));
    return null;
  }

  #readCommand(action: string): Problem | null {
    const start = this.#at;
    const length = findCommandLength(this.#args, start);
    if (length === null || length === 0)
      return fail("invalid_args", `command: find ${action} needs a command, and ';' or '{} +' at its end.`);
    this.#at = start + length + 1;
    const command = this.#args.slice(start, start + length);
    const isMany = this.#args[start + length] === "+";
    const filled = command.flatMap((word, index) =>
      word !== "{}" ? [word] : isMany && index === length - 1 ? [FOUND, FOUND] : [FOUND],
    );
    // find replaces a `{}` within a word, too: what the word will be, nobody has judged.
    const later = filled.some((word) => word.includes("{}")) ? { mark: "{}" } : null;
    const form = this.#context.judgeInner(filled, later);
    if (!form.ok) return form;
    this.inner.push(command, ...form.value.inner.slice(1));
    this.paths.push(...form.value.paths.filter(({ path }) => path !== FOUND));
    this.variables.push(...form.value.variables);
    return null;
  }
}
