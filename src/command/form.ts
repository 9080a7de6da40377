// Judges the words of one command for Shell: may this program start, in this form, and which of its words are paths?
// Quotes, braces and globs are expanded already. A program is its name; the caller finds where it lies.
// Invariant: a form that passes neither writes nor starts a program by a feature of its own. The exceptions are programs that
// run freely, which the box bounds, and wrappers, whose inner command was judged here as well.

import { baseName, isAbsolutePath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { judgeOptions, type JudgedOptions, pathWords, refuseForm, showWord } from "./rules/judge-options.ts";
import { programs } from "./programs/table.ts";
import {
  type Form,
  type FormContext,
  type GitProgramForm,
  type LaterWords,
  type Operands,
  type ProgramForm,
  programForm,
  type ReadingRule,
  reads,
  type ShellRule,
} from "./rules/shell-rule.ts";

/** By name, the programs that Shell starts. */
export type ProgramTable = ReadonlyMap<string, ShellRule>;

const MOST_WRAPPERS = 8;

export function judgeForm(argv: readonly string[], programTable: ProgramTable): Result<Form> {
  return judge(argv, programTable, { depth: 0, isWhole: true }, null);
}

interface Around {
  /** How many programs would start each other before this one. */
  readonly depth: number;
  /** All of them start it once, and with just its words. */
  readonly isWhole: boolean;
}

/** The programs of the table, and more by name from the configuration. */
export function createProgramTable(extra: readonly string[] = []): ProgramTable {
  const table = new Map(ownPrograms);
  for (const name of extra) {
    if (!/^[^\s/-][^\s/]*$/u.test(name)) throw new Error(`${JSON.stringify(name)} is not a program's name.`);
    if (!table.has(name)) table.set(name, reads({ operands: "paths" }));
  }
  return table;
}

const ownPrograms: ProgramTable = new Map(
  programs.flatMap(({ names, shell }) => (shell === null ? [] : names.map((name) => [name, shell] as const))),
);

function judge(
  argv: readonly string[],
  programTable: ProgramTable,
  around: Around,
  later: LaterWords | null,
): Result<Form> {
  const [written = "", ...args] = argv;
  if (around.depth > MOST_WRAPPERS)
    return refuseForm(`more than ${MOST_WRAPPERS} programs that start each other.`, "Start the last one by itself.");
  const program = nameOf(written, later);
  if (!program.ok) return program;
  const rule = programTable.get(program.value);
  if (rule === undefined) return unknownProgram(program.value); // SECURITY(T23): by name, from a list
  switch (rule.kind) {
    case "own":
      return rule.judge(args, formContext(program.value, programTable, around, later));
    case "runs freely": {
      const problem = rule.check?.(args) ?? null;
      return problem === null ? ok(programForm([])) : refuseForm(`${program.value} ${problem}.`);
    }
    case "reads":
      return judgeReading(rule, program.value, args, later);
  }
}

function formContext(
  program: string,
  programTable: ProgramTable,
  { depth, isWhole }: Around,
  later: LaterWords | null,
): FormContext {
  return {
    program,
    isInside: depth > 0,
    isWhole,
    later,
    judgeInner: (inner, innerLater) => {
      const form = judgeInside(inner, programTable, { depth: depth + 1, isWhole: false }, innerLater);
      if (!form.ok) return form;
      if (form.value.kind !== "program") throw notInside(inner);
      return ok(form.value);
    },
    judgeWhole: (inner, innerLater) => judgeInside(inner, programTable, { depth: depth + 1, isWhole }, innerLater),
  };
}

function judgeInside(
  inner: readonly string[],
  programTable: ProgramTable,
  around: Around,
  later: LaterWords | null,
): Result<ProgramForm | GitProgramForm> {
  const form = judge(inner, programTable, around, later);
  if (!form.ok) return form;
  if (form.value.kind === "type") throw notInside(inner);
  return ok({ ...form.value, inner: [inner, ...form.value.inner] });
}

/** The rules of `git` and `type` refuse to be inside of such a program, so this is a defect. */
function notInside([name]: readonly string[]): Error {
  return new Error(`${name} cannot be inside of another program.`);
}

function nameOf(written: string, later: LaterWords | null): Result<string> {
  if (later !== null && later.mark !== null && written.includes(later.mark))
    return refuseForm(`${showWord(written)} would be another program each time.`);
  if (isAbsolutePath(written)) return ok(baseName(written));
  if (written.includes("/")) {
    return fail(
      "permission_denied",
      `command: ${showWord(written)} is a file's path, and Shell starts programs by name.`,
      { hint: "Use Bash or Exec to run a file." },
    );
  }
  return ok(written);
}

function unknownProgram(name: string): Result<never> {
  return fail("permission_denied", `command: ${showWord(name)} is not one of the programs that Shell starts.`, {
    hint: hints.get(name) ?? "Use Bash for it. A person can add programs to shell.programs.",
  });
}

const hints = new Map([
  ...["sh", "bash", "dash", "zsh", "ksh", "eval", "source", ".", "export"].map(
    (name) => [name, "Use Bash: it runs scripts."] as const,
  ),
  ...["sudo", "su", "doas"].map((name) => [name, "Nothing here runs with more rights than you have."] as const),
]);

function judgeReading(
  rule: ReadingRule,
  program: string,
  args: readonly string[],
  later: LaterWords | null,
): Result<Form> {
  const read = judgeOptions(program, args, rule.options);
  if (!read.ok) return read;
  const problem = rule.check?.(read.value, args) ?? null;
  if (problem !== null) return refuseForm(`${program} ${problem}.`);
  if (later !== null && !canTakeLater(rule, read.value, args, later)) {
    return refuseForm(
      `${program} would get words that nobody has judged.`,
      `Put -- before them, or start ${program} by itself.`,
    );
  }
  const { operands } = rule;
  if (typeof operands === "object" && "most" in operands && read.value.operands.length > operands.most)
    return refuseForm(`${program} ${operands.why}.`);
  // A program that takes only text has no paths, unless one of its options takes one.
  const isText = operands === "text" && rule.options.paths === undefined;
  return ok(programForm(isText ? [] : [...read.value.paths, ...pathWords(pathOperands(operands, read.value))]));
}

function pathOperands(operands: Operands, read: JudgedOptions): readonly string[] {
  if (operands === "text") return [];
  if (operands === "paths" || "most" in operands) return read.operands;
  const other = operands.unless.split(" ");
  return read.options.some(({ name }) => other.includes(name)) ? read.operands : read.operands.slice(1);
}

/** Words that are added later may be options. They are safe where nothing is refused, or behind a `--`. */
function canTakeLater(rule: ReadingRule, read: JudgedOptions, args: readonly string[], { mark }: LaterWords): boolean {
  const { refused, unknown } = rule.options;
  if (rule.check !== null || (typeof rule.operands === "object" && "most" in rule.operands)) return false;
  if (refused === undefined && unknown === undefined) return true;
  if (read.endMark === null) return false;
  return mark === null || !args.slice(0, read.endMark).some((word) => word.includes(mark));
}
