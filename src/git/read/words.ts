// Builds the words of each read-only operation: fixed words, the caller's flags, then the revision and the path at positions where
// git takes nothing for an option any more.

import { fail, ok, type Result } from "../../shared/result.ts";
import { type FlagTable, parseFlags, takesNextWord } from "../flag.ts";
import { parseRepositoryPath } from "../path.ts";
import { parseRevision } from "../revision.ts";
import { flagTables, type GitOperation } from "./flags.ts";

export interface ReadRequest {
  readonly op: GitOperation;
  readonly args: readonly string[];
  readonly ref: string | undefined;
  readonly path: string | undefined;
}

export interface GitReadWords {
  /** The words that git gets. */
  readonly words: readonly string[];
  /** For the reply: the essential command line after `-C repo`. */
  readonly shown: readonly string[];
}

interface Shape {
  readonly command: string;
  /** The flags that set the output form of this operation. The reply shows them too. */
  readonly form: (flags: readonly string[]) => readonly string[];
  /** Flags that keep git from doing more than was asked. */
  readonly hardening: readonly string[];
  readonly ref: "none" | "optional" | "required";
  readonly path: "none" | "optional" | "required";
  /** The revision to use if the caller gives none. */
  readonly defaultRef?: string;
  readonly endsOptions: boolean;
}

const noForm = (): string[] => [];
const noDrivers = ["--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=dirty", "--no-color"];
const has = (flags: readonly string[], pattern: RegExp) => flags.some((flag) => pattern.test(flag));

const shapes: Readonly<Record<GitOperation, Shape>> = {
  status: {
    command: "status",
    form: (flags) => (has(flags, /^--porcelain|^-s$|^--short$/) ? [] : ["--porcelain"]),
    hardening: ["--ignore-submodules=dirty", "--no-column"],
    ref: "none",
    path: "optional",
    endsOptions: false,
  },
  log: { command: "log", form: noForm, hardening: noDrivers, ref: "optional", path: "optional", endsOptions: true },
  diff: { command: "diff", form: noForm, hardening: noDrivers, ref: "optional", path: "optional", endsOptions: true },
  show: { command: "show", form: noForm, hardening: noDrivers, ref: "required", path: "optional", endsOptions: true },
  branch: {
    command: "branch",
    // Always a listing: without `--list`, git would create a branch of the given name.
    form: (flags) =>
      has(flags, /^--show-current$/)
        ? []
        : ["--list", ...(has(flags, /^(-a|--all|-r|--remotes)$/) ? [] : ["-a"]), "--no-color"],
    hardening: ["--no-column"],
    ref: "none",
    path: "none",
    endsOptions: false,
  },
  blame: {
    command: "blame",
    form: noForm,
    hardening: ["--no-textconv", "--no-progress"],
    ref: "optional",
    path: "required",
    endsOptions: false,
  },
  ls_files: { command: "ls-files", form: noForm, hardening: [], ref: "none", path: "optional", endsOptions: false },
  rev_parse: {
    command: "rev-parse",
    form: (flags) => (flags.length === 0 ? ["--short"] : []),
    hardening: [],
    ref: "optional",
    path: "none",
    defaultRef: "HEAD",
    endsOptions: false,
  },
};

export function readWords({ op, args, ref, path }: ReadRequest): Result<GitReadWords> {
  const shape = shapes[op];
  const table: FlagTable = flagTables.get(op) ?? new Map();
  const flags = parseFlags(op, args, table);
  if (!flags.ok) return flags;
  const revision = checkPart("ref", ref, shape.ref, op, parseRevision);
  if (!revision.ok) return revision;
  const file = checkPart("path", path, shape.path, op, parseRepositoryPath);
  if (!file.ok) return file;
  const shownRef = revision.value ?? (needsDefault(shape, flags.value) ? shape.defaultRef : undefined);
  const refs = shownRef === undefined ? [] : [shownRef];
  const files = file.value === undefined ? [] : [file.value];
  const form = shape.form(flags.value);
  return ok({
    words: [
      shape.command,
      ...shape.hardening,
      ...form,
      ...flags.value,
      // SECURITY(T20): after this word git reads nothing as an option, whatever a name looks like.
      ...(shape.endsOptions ? ["--end-of-options"] : []),
      ...refs,
      ...(shape.path === "none" ? [] : ["--"]),
      ...files,
    ],
    shown: [
      shape.command,
      ...form,
      ...shownFlags(args, table),
      ...refs,
      ...(files.length === 0 ? [] : ["--"]),
      ...files,
    ],
  });
}

/** The flags as written, except that `=HEAD` is added where git would take the next flag for a revision. */
function shownFlags(args: readonly string[], table: FlagTable): string[] {
  return args.map((arg, index) =>
    table.get(arg)?.takes === "revision" && !takesNextWord(table.get(arg), args[index + 1]) ? `${arg}=HEAD` : arg,
  );
}

/** False for flags like `rev-parse --show-toplevel`, which ask about the repository and not about a commit. */
function needsDefault(shape: Shape, flags: readonly string[]): boolean {
  return (
    shape.defaultRef !== undefined && !has(flags, /^--(is-|show-|git-|absolute-git-|all$|(branches|tags|remotes)(=|$))/)
  );
}

function checkPart(
  field: "ref" | "path",
  value: string | undefined,
  rule: Shape["ref"],
  op: GitOperation,
  parse: (text: string) => Result<string>,
): Result<string | undefined> {
  if (value !== undefined && rule === "none")
    return fail("invalid_args", `${field}: ${op} takes no ${field}.`, { hint: `Leave ${field} out.` });
  if (value === undefined) {
    return rule === "required"
      ? fail("invalid_args", `${field}: ${op} needs a ${field}.`, {
          hint: field === "ref" ? "Give a commit, like HEAD." : "Give a file of the repository.",
        })
      : ok(undefined);
  }
  return parse(value);
}
