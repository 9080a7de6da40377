// Programs that start others: env, xargs, and find with -exec. They pass when what they would start would pass by
// itself.

import { fail, ok, type Result } from "../../shared/result.ts";
import { joinPath, isAbsolutePath } from "../../shared/path.ts";
import { compileOptions, type PathWord, readOptions, refuseForm } from "../options.ts";
import {
  type Form,
  type FormContext,
  type ProgramForm,
  type ProgramRow,
  programForm,
  special,
} from "../program-row.ts";
import { readFind } from "./find.ts";

export const wrapperPrograms: readonly ProgramRow[] = [
  special("env", readEnv, {
    passes: [
      "env",
      "env FOO=bar ls -la",
      "env -i A=b sort a.txt",
      "env -u HOME pwd",
      "env -C src ls",
      "env - ls",
      "env env ls",
      "env python3 -c 1",
      "env git status",
      "env LC_ALL=C git log --oneline",
      "env -i A=b env -C src git -C deep diff",
      "env git --version",
    ],
    refused: [
      "env touch x",
      "env -i sh -c id",
      "env -S 'touch x'",
      "env --split='touch x'",
      "env -vS 'touch x'",
      "env PATH=bin ls",
      "env sort -o x a",
      "env ./ls",
      "env env env env env env env env env ls",
      "env -a x ls",
      "env git -c core.fsmonitor=x status",
      "env PATH=bin git status",
      "env ./git status",
    ],
  }),
  special("xargs", readXargs, {
    passes: [
      "xargs",
      "xargs -a list.txt cat",
      "xargs -n1 wc -l",
      "xargs sort --",
      "xargs -I{} cat src/{}",
      "xargs grep -n TODO",
      "xargs python3",
    ],
    refused: [
      "xargs -a list.txt touch",
      "xargs sort",
      "xargs -0p cat",
      "xargs -o cat",
      "xargs -I{} {}",
      "xargs -I ls ls",
      "xargs env",
      "xargs sed -n p",
      "xargs uniq --",
      "xargs -I{} sort {} --",
      "xargs find .",
      "xargs --process-slot-var=A cat",
      "xargs git log",
      "xargs env git log",
    ],
  }),
  special("find", readFind, {
    passes: [
      'find . -name "*.ts" -type f',
      'find src -newer package.json -not -name "*.test.ts"',
      "find . -name x -print0",
      "find . -type f -exec grep -l TODO {} +",
      "find . -exec wc -l {} ';' -exec cat {} +",
      "find -L . '(' -size +1k -o -empty ')' -printf '%p'",
      "find . -exec sort {} ';'",
    ],
    refused: [
      "find . -exec touch x {} +",
      "find . -execdir touch x {} +",
      "find . -ok rm {} ';'",
      "find . -name x -delete",
      "find . -{delete,print}",
      "find / -fprintf out DATA -quit",
      "find . -fprint0 out",
      "find . -fls out",
      "find . -exec {} ';'",
      "find . -exec env {} ';'",
      "find . -exec git log ';'",
      "find . -exec env git log ';'",
      "find . -exec awk {} ';'",
      "find . -exec sed s/{}/x/ a ';'",
      "find . -exec sort -o{} a ';'",
      "find . -exec uniq {} +",
      "find . -exec cat {}",
      "find . -nosuch",
      "find . -exec find {} -delete ';'",
      "find -files0-from list -exec cat {} +",
      "find . -name",
    ],
  }),
];

const envOptions = compileOptions({
  switches: "-i --ignore-environment -0 --null -v --debug --list-signal-handling --help --version",
  values: "-u --unset",
  optional: "--block-signal --default-signal --ignore-signal",
  paths: "-C --chdir",
  refused: { "-S --split-string": "makes words that nobody has judged", "-a --argv0": "gives a program another name" },
  unknown: "refused",
  stand: "before operands",
});

function readEnv(args: readonly string[], { later, judgeWhole }: FormContext): Result<Form> {
  const read = readOptions("env", args, envOptions);
  if (!read.ok) return read;
  const words = read.value.operands[0] === "-" ? read.value.operands.slice(1) : read.value.operands;
  const start = words.findIndex((word) => !word.includes("="));
  const variables = start < 0 ? words : words.slice(0, start);
  const inner = start < 0 ? [] : words.slice(start);
  if (variables.some((word) => word.startsWith("PATH=")))
    return refuseForm(
      "env PATH=… changes which program is started.",
      "Leave it out: programs are found in fixed places.",
    );
  const own = args.slice(0, args.length - inner.length);
  const isOpen =
    later !== null &&
    (later.mark === null ? inner.length === 0 : own.some((word) => word.includes(later.mark as string)));
  if (isOpen) return refuseForm("env would get words that nobody has judged.");
  if (inner.length === 0) return ok(programForm(read.value.paths, { variables }));
  const form = judgeWhole(inner, later);
  if (!form.ok) return form;
  const directories = read.value.options
    .filter(({ name }) => name === "-C" || name === "--chdir")
    .flatMap(({ values }) => values);
  const directory = directories.at(-1);
  const paths = directory === undefined ? form.value.paths : form.value.paths.map((path) => beneath(directory, path));
  const around = programForm([...read.value.paths, ...paths], {
    inner: form.value.inner,
    variables: [...variables, ...form.value.variables],
  });
  if (form.value.kind === "program") return ok(around);
  const from = directory === undefined ? [] : [directory];
  return ok({ ...form.value, ...around, kind: "git", directories: [...from, ...form.value.directories] });
}

/** A path as the inner program will see it, when it is started in another directory. */
function beneath(directory: string, { path, word }: PathWord): PathWord {
  return { path: isAbsolutePath(path) ? path : joinPath(directory, path), word };
}

const xargsOptions = compileOptions({
  switches: "-0 --null -r --no-run-if-empty -t --verbose -x --exit --show-limits --help --version",
  values: "-I -L -n --max-args -P --max-procs -s --max-chars -d --delimiter -E",
  optional: "-i --replace -e --eof -l --max-lines",
  paths: "-a --arg-file",
  refused: { "-p --interactive -o --open-tty": "asks at a terminal", "--process-slot-var": "sets a variable" },
  unknown: "refused",
  stand: "before operands",
});

function readXargs(args: readonly string[], { later, judgeInner }: FormContext): Result<Form> {
  if (later !== null) return refuseForm("xargs would get words that nobody has judged.", "Start xargs by itself.");
  const read = readOptions("xargs", args, xargsOptions);
  if (!read.ok) return read;
  const marks = read.value.options
    .filter(({ name }) => /^(-I|-i|--replace)$/.test(name))
    .map(({ values: [mark] }) => mark ?? "{}");
  if (marks.length > 1 || marks[0] === "")
    return fail("invalid_args", "command: xargs takes one mark that it replaces.");
  const inner = read.value.operands.length === 0 ? ["echo"] : read.value.operands;
  const form: Result<ProgramForm> = judgeInner(inner, { mark: marks[0] ?? null });
  if (!form.ok) return form;
  return ok(
    programForm([...read.value.paths, ...form.value.paths], {
      inner: form.value.inner,
      variables: form.value.variables,
    }),
  );
}
