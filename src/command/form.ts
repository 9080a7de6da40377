// Judges the words of one command: may Shell start this program, in this form, and which of its words are paths?
// Words are final here: quotes, braces and globs are done. A program is its name; where it lies is for the caller.
// Invariant: what is passed neither writes nor starts a program by a feature of its own, other than the runners, which
// the box bounds, and the wrappers, whose inner command has passed here as well.

import { limits } from "../shared/limits.ts";
import { baseName, isAbsolutePath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { expandBraces } from "./braces.ts";
import { textOf } from "./shell-character.ts";
import { pathWords, readOptions, type OptionWords, refuseForm, showWord } from "./options.ts";
import {
  type Form,
  type GitProgramForm,
  type LaterWords,
  type ProgramForm,
  programForm,
  type ProgramRow,
  reading,
  type ReadingRow,
} from "./program-row.ts";
import { programRows } from "./programs.ts";
import { scanCommand } from "./scan.ts";

export type { PathWord } from "./options.ts";
export type { Form, GitProgramForm } from "./program-row.ts";

export type ProgramTable = ReadonlyMap<string, ProgramRow>;

const MOST_WRAPPERS = 8;

export function judgeForm(argv: readonly string[], programs: ProgramTable, depth = 0): Result<Form> {
  return judge(argv, programs, { depth, isWhole: true }, null);
}

interface Around {
  /** How many programs stand around it. */
  readonly depth: number;
  /** All of them start it with just its words. */
  readonly isWhole: boolean;
}

/** The seed's programs, and more by name from the configuration. Throws where a row's example does not hold. */
export function createProgramTable(extra: readonly string[] = []): ProgramTable {
  seedPrograms ??= checkedTable(programRows);
  const table = new Map(seedPrograms);
  for (const name of extra) {
    if (!/^[^\s/-][^\s/]*$/u.test(name)) throw new Error(`${JSON.stringify(name)} is not a program's name.`);
    if (!table.has(name)) table.set(name, reading(name, { operands: "paths", examples: { passes: [], refused: [] } }));
  }
  return table;
}

let seedPrograms: ProgramTable | undefined;

/** Throws where a row's example does not hold. */
export function checkedTable(rows: readonly ProgramRow[]): ProgramTable {
  const table: ProgramTable = new Map(rows.flatMap((row) => row.names.map((name) => [name, row] as const)));
  const wrong = rows.flatMap(({ examples, names: [name] }) => [
    ...examples.passes
      .filter((text) => !judgeForm(exampleWords(text), table).ok)
      .map((text) => `${name}: ${text} should pass`),
    ...examples.refused
      .filter((text) => judgeForm(exampleWords(text), table).ok)
      .map((text) => `${name}: ${text} should be refused`),
  ]);
  if (wrong.length > 0) throw new Error(`The program table breaks its own examples: ${wrong.join("; ")}.`);
  return table;
}

function exampleWords(text: string): string[] {
  const scanned = scanCommand(text);
  if (!scanned.ok) throw new Error(`The example ${text} cannot be read: ${scanned.failure.message}`);
  return scanned.value.words.flatMap((word) => expandBraces(word, limits.argumentCount) ?? []).map(textOf);
}

function judge(
  argv: readonly string[],
  programs: ProgramTable,
  { depth, isWhole }: Around,
  later: LaterWords | null,
): Result<Form> {
  const [written = "", ...args] = argv;
  if (depth > MOST_WRAPPERS)
    return refuseForm(`more than ${MOST_WRAPPERS} programs that start each other.`, "Start the last one by itself.");
  const program = nameOf(written, later);
  if (!program.ok) return program;
  const row = programs.get(program.value);
  if (row === undefined) return unknownProgram(program.value); // SECURITY(T23): by name, from a list
  const context = {
    program: program.value,
    isInside: depth > 0,
    isWhole,
    later,
    judgeInner: (inner: readonly string[], innerLater: LaterWords | null): Result<ProgramForm> => {
      const form = judgeInside(inner, programs, { depth: depth + 1, isWhole: false }, innerLater);
      if (form.ok && form.value.kind !== "program") throw notInside(inner);
      return form as Result<ProgramForm>;
    },
    judgeWhole: (inner: readonly string[], innerLater: LaterWords | null): Result<ProgramForm | GitProgramForm> =>
      judgeInside(inner, programs, { depth: depth + 1, isWhole }, innerLater),
  };
  switch (row.kind) {
    case "special":
      return row.read(args, context);
    case "runner": {
      const problem = row.check?.(args) ?? null;
      return problem === null ? ok(programForm([])) : refuseForm(`${context.program} ${problem}.`);
    }
    case "reading":
      return judgeReading(row, context.program, args, later);
  }
}

function judgeInside(
  inner: readonly string[],
  programs: ProgramTable,
  around: Around,
  later: LaterWords | null,
): Result<ProgramForm | GitProgramForm> {
  const form = judge(inner, programs, around, later);
  if (!form.ok) return form;
  if (form.value.kind === "type") throw notInside(inner);
  return ok({ ...form.value, inner: [inner, ...form.value.inner] });
}

/** Rows of such kinds refuse to be inside. */
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
  row: ReadingRow,
  program: string,
  args: readonly string[],
  later: LaterWords | null,
): Result<Form> {
  const read = readOptions(program, args, row.options);
  if (!read.ok) return read;
  const problem = row.check?.(read.value, args) ?? null;
  if (problem !== null) return refuseForm(`${program} ${problem}.`);
  if (later !== null && !canTakeLater(row, read.value, args, later)) {
    return refuseForm(
      `${program} would get words that nobody has judged.`,
      `Put -- before them, or start ${program} by itself.`,
    );
  }
  const operands = operandPaths(row, read.value);
  if (operands === null) return refuseForm(`${program} ${(row.operands as { why: string }).why}.`);
  // Where no option takes a path, what looks like one is text.
  const isText = row.operands === "text" && row.options.spec.paths === undefined;
  return ok(programForm(isText ? [] : [...read.value.paths, ...pathWords(operands)]));
}

/** null: more than the row takes. */
function operandPaths({ operands }: ReadingRow, read: OptionWords): readonly string[] | null {
  if (operands === "text") return [];
  if (operands === "paths") return read.operands;
  if ("most" in operands) return read.operands.length > operands.most ? null : read.operands;
  const other = operands.unless.split(" ");
  return read.options.some(({ name }) => other.includes(name)) ? read.operands : read.operands.slice(1);
}

/** Words that come later may be options: they pass where there is nothing to refuse, or behind a `--`. */
function canTakeLater(row: ReadingRow, read: OptionWords, args: readonly string[], { mark }: LaterWords): boolean {
  const { spec } = row.options;
  if (row.check !== null || (typeof row.operands === "object" && "most" in row.operands)) return false;
  if (spec.refused === undefined && spec.unknown === undefined) return true;
  if (read.endMark === null) return false;
  return mark === null || !args.slice(0, read.endMark).some((word) => word.includes(mark));
}
