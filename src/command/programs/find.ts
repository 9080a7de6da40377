// Reads find's expressions: which words are paths, and which commands it would start. Only tests and actions that are
// written here pass.

import { fail, ok, type Result } from "../../shared/result.ts";
import { type PathWord, pathWords, refuseForm, showWord } from "../options.ts";
import { type Form, type FormContext, programForm } from "../program-row.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const alone = words(
  `( ) ! , -a -and -o -or -not -d -daystart -depth -empty -executable -false -follow -help --help -ignore_readdir_race -ls -mount
  -nogroup -noignore_readdir_race -noleaf -nouser -nowarn -print -print0 -prune -quit -readable -true -version
  --version -warn -writable -xdev`,
);
const withText = words(
  `-amin -atime -cmin -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname
  -maxdepth -mindepth -mmin -mtime -name -path -perm -printf -regex -regextype -size -type -uid -used -user -wholename
  -xtype`,
);
const withPath = /^-(anewer|cnewer|newer|samefile|files0-from|newer[aBcm][aBcm])$/;
const withTime = /^-newer[aBcm]t$/;
const starts = /^-(exec|execdir|ok|okdir)$/;
const refused: Readonly<Record<string, string>> = {
  "-delete": "deletes files",
  "-fprint": "writes a file",
  "-fprint0": "writes a file",
  "-fprintf": "writes a file",
  "-fls": "writes a file",
};

/** A found file: its name begins with a place to start from, so it is never an option. */
const FOUND = "./found";

export function readFind(args: readonly string[], context: FormContext): Result<Form> {
  if (context.later !== null)
    return refuseForm("find would get words that nobody has judged.", "Start find by itself.");
  let at = args.findIndex((word) => !/^(-[HLP]|-O\d|--)$/.test(word));
  if (at < 0) at = args.length;
  const expression = args.findIndex((word, index) => index >= at && /^(-.|[()!,])/.test(word));
  const places = args.slice(at, expression < 0 ? args.length : expression);
  const reader = new FindReader(args, at + places.length, context);
  const problem = reader.read();
  if (problem !== null) return problem;
  if (reader.inner.length > 0 && (args.includes("-files0-from") || places.some((place) => place.startsWith("+")))) {
    return refuseForm(
      "find would give names to a program that could be taken for options.",
      "Write the places to look in as ./NAME.",
    );
  }
  return ok(programForm([...pathWords(places), ...reader.paths], { inner: reader.inner, variables: reader.variables }));
}

type Problem = ReturnType<typeof fail>;

class FindReader {
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
      const problem = this.#readPredicate(this.#args[this.#at++] as string);
      if (problem !== null) return problem;
    }
    return null;
  }

  #readPredicate(word: string): Problem | null {
    if (alone.has(word)) return null;
    if (starts.test(word)) return this.#readCommand(word);
    const why = refused[word];
    if (why !== undefined) return refuseForm(`find ${word} ${why}.`);
    const isPath = withPath.test(word);
    if (!isPath && !withText.has(word) && !withTime.test(word))
      return refuseForm(`find ${showWord(word)} is not a test or action that Shell lets through.`);
    const value = this.#args[this.#at++];
    if (value === undefined) return fail("invalid_args", `command: find ${word} needs a value.`);
    if (isPath) this.paths.push(...pathWords([value]));
    return null;
  }

  #readCommand(action: string): Problem | null {
    const start = this.#at;
    // As find does: a `+` ends it only behind a `{}`.
    const length = this.#args
      .slice(start)
      .findIndex((word, index, rest) => word === ";" || (word === "+" && rest[index - 1] === "{}"));
    if (length < 1)
      return fail("invalid_args", `command: find ${action} needs a command, and ';' or '{} +' at its end.`);
    this.#at = start + length + 1;
    const command = this.#args.slice(start, start + length);
    const isMany = this.#args[start + length] === "+";
    const filled = command.flatMap((word, index) =>
      word !== "{}" ? [word] : isMany && index === length - 1 ? [FOUND, FOUND] : [FOUND],
    );
    // A `{}` within a word is text that nobody has judged.
    const later = filled.some((word) => word.includes("{}")) ? { mark: "{}" } : null;
    const form = this.#context.judgeInner(filled, later);
    if (!form.ok) return form;
    this.inner.push(command, ...form.value.inner.slice(1));
    this.paths.push(...form.value.paths.filter(({ path }) => path !== FOUND));
    this.variables.push(...form.value.variables);
    return null;
  }
}
