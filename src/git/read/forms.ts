// The forms of git that Shell starts. A form is a subcommand, its allowed flags, and operands that can only be revisions or paths
// inside the repository. A subcommand alone is not enough: `git stash` empties a work tree, and `git branch x` creates a branch.
// To add a form, add a row. test/tools/shell-git.test.ts runs examples with real git.

import { fail, ok, type Result } from "../../shared/result.ts";
import { type FlagTable, optional, parseFlags, separateFlags, switches, valued } from "../flag.ts";
import { parseRepositoryPath } from "../path.ts";
import { parseRevision } from "../revision.ts";
import { flagTables, type GitOperation } from "./flags.ts";
import { count, prettyFormat, refFormat, revisionValue, sortKey, text } from "./values.ts";

export interface GitForm {
  readonly words: readonly string[];
  /** True only if git prints the configuration and does not use it. Then git shows the repository's own configuration. */
  readonly showsOwnConfig: boolean;
}

interface FormRule {
  readonly flags: FlagTable;
  /** Always passed, before the caller's flags. */
  readonly forced?: readonly string[];
  readonly operands: "none" | "any" | "withList" | "words" | "text";
  /** The operands to use if the caller gives none. */
  readonly otherwise?: readonly string[];
  readonly endsOptions?: boolean;
  readonly showsOwnConfig?: boolean;
  /** What is wrong with this combination; null if it is allowed. */
  readonly check?: (flags: readonly string[], operands: readonly string[]) => string | null;
}

const noDrivers = ["--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=dirty", "--no-color"];
const tableOf = (op: GitOperation): FlagTable => flagTables.get(op) ?? new Map();
const isListing = (flags: readonly string[]) =>
  flags.some((flag) => /^(-l|--list|--contains|--no-contains|--merged|--no-merged|--points-at)(=|$)/.test(flag));

const logRule: FormRule = { flags: tableOf("log"), forced: noDrivers, operands: "any", endsOptions: true };
const diffRule: FormRule = { flags: tableOf("diff"), forced: noDrivers, operands: "any", endsOptions: true };

const rules = new Map<string, FormRule>(
  Object.entries({
    status: { flags: tableOf("status"), forced: ["--ignore-submodules=dirty", "--no-column"], operands: "any" },
    log: logRule,
    diff: diffRule,
    show: { flags: tableOf("show"), forced: noDrivers, operands: "any", endsOptions: true },
    blame: {
      flags: tableOf("blame"),
      forced: ["--no-textconv", "--no-progress"],
      operands: "any",
      check: (_, operands) => (operands.length === 0 ? "needs a file" : null),
    },
    "ls-files": { flags: tableOf("ls_files"), operands: "any" },
    "rev-parse": { flags: tableOf("rev_parse"), operands: "any" },
    branch: { flags: tableOf("branch"), forced: ["--no-color", "--no-column"], operands: "withList" },
    tag: {
      flags: new Map([
        ...switches("-l --list -i --ignore-case --no-column"),
        ...optional(count, "-n"),
        ...valued(revisionValue, "--contains --no-contains --points-at"),
        ...optional(revisionValue, "--merged --no-merged"),
        ...valued(sortKey, "--sort"),
        ...valued(refFormat, "--format"),
      ]),
      forced: ["--no-column"],
      operands: "withList",
    },
    remote: {
      flags: new Map(switches("-v --verbose")),
      operands: "words",
      showsOwnConfig: true,
      check: (_, operands) =>
        operands.length === 0 || (operands[0] === "get-url" && operands.length === 2)
          ? null
          : "may only list remotes, or get-url one",
    },
    "rev-list": {
      flags: new Map([...tableOf("log"), ...switches("--count --objects --no-object-names --header --timestamp")]),
      operands: "any",
      endsOptions: true,
      check: (flags, operands) =>
        operands.length === 0 && !flags.some((flag) => /^--(all|branches|tags|remotes)/.test(flag))
          ? "needs a revision, or --all"
          : null,
    },
    shortlog: {
      flags: new Map([
        ...switches("-s --summary -n --numbered -e --email -c --committer --all --no-merges --merges"),
        ...valued(text, "--since --until --after --before --author --grep --group"),
        ...valued(prettyFormat, "--format"),
      ]),
      operands: "any",
      otherwise: ["HEAD"],
    },
    describe: {
      flags: new Map([
        ...switches("--tags --all --always --long --exact-match --first-parent --contains"),
        ...optional(text, "--dirty --broken"),
        ...valued(count, "--abbrev --candidates"),
        ...valued(text, "--match --exclude"),
      ]),
      operands: "any",
    },
    "ls-tree": {
      flags: new Map([
        ...switches("-r -d -t -l --long -z --name-only --name-status --full-name --full-tree"),
        ...optional(count, "--abbrev"),
        ...valued(refFormat, "--format"),
      ]),
      operands: "any",
      check: (_, operands) => (operands.length === 0 ? "needs a tree, like HEAD" : null),
    },
    "cat-file": {
      flags: new Map(switches("-p -t -s -e")),
      operands: "any",
      check: (flags, operands) =>
        (flags.length === 1 && operands.length === 1) ||
        (flags.length === 0 && operands.length === 2 && /^(blob|tree|commit|tag)$/.test(operands[0] as string))
          ? null
          : "takes -p, -t, -s or -e and one object",
    },
    "name-rev": {
      flags: new Map([
        ...switches("--name-only --tags --always --undefined --no-undefined"),
        ...valued(text, "--refs --exclude"),
      ]),
      operands: "any",
      check: (_, operands) => (operands.length === 0 ? "needs a commit" : null),
    },
    config: {
      flags: new Map(
        switches(
          "--get --get-all --get-regexp --list -l --show-origin --show-scope --name-only -z --null --local --includes --no-includes",
        ),
      ),
      operands: "text",
      showsOwnConfig: true,
      check: configProblem,
    },
  }),
);

function configProblem(flags: readonly string[], operands: readonly string[]): string | null {
  const actions = flags.filter((flag) => /^(--get|--get-all|--get-regexp|--list|-l)$/.test(flag));
  if (actions.length !== 1) return "may only read: --get, --get-all, --get-regexp or --list, one of them";
  const isList = actions[0] === "--list" || actions[0] === "-l";
  return (isList ? operands.length === 0 : operands.length === 1)
    ? null
    : "takes one name after --get, and none after --list";
}

/** `words` is everything after `git` and its own flags. */
export function gitForm(words: readonly string[]): Result<GitForm> {
  const [name = "", ...rest] = words;
  if (name === "stash") return stashForm(rest);
  if (name === "reflog") return reflogForm(rest);
  const rule = rules.get(name);
  if (rule === undefined) return refuse(`git ${name} is not one of the forms that only read`);
  return applyRule([name], rest, rule);
}

function stashForm(rest: readonly string[]): Result<GitForm> {
  if (rest[0] === "list") return applyRule(["stash", "list"], rest.slice(1), { ...logRule, endsOptions: false });
  if (rest[0] === "show")
    return applyRule(["stash", "show"], rest.slice(1), { ...diffRule, forced: [], endsOptions: false });
  return refuse("git stash may only be listed (git stash list) or shown (git stash show)");
}

function reflogForm(rest: readonly string[]): Result<GitForm> {
  const isNamed = rest[0] === "show";
  if (["expire", "delete", "exists"].includes(rest[0] ?? ""))
    return refuse(`git reflog ${rest[0]} changes or tests history; git reflog show reads it`);
  return applyRule(["reflog", "show"], isNamed ? rest.slice(1) : rest, logRule);
}

function applyRule(command: readonly string[], rest: readonly string[], rule: FormRule): Result<GitForm> {
  const name = command.join(" ");
  const end = rest.indexOf("--");
  const before = end < 0 ? rest : rest.slice(0, end);
  const paths = end < 0 ? [] : rest.slice(end + 1);
  const { args, operands } = separateFlags(before, rule.flags);
  const flags = parseFlags(name, args, rule.flags);
  if (!flags.ok) {
    const said = flags.failure.message.replace(/^args(\[\d+\])?: /, "").replace(/\.$/, "");
    return refuse(said.startsWith(`${name} `) ? `git ${said}` : `git ${name}: ${said}`, flags.failure.hint);
  }
  for (const operand of [...operands, ...paths]) {
    const problem = operandProblem(operand, rule);
    if (problem !== null) return refuse(`git ${name}: ${problem}`);
  }
  if (rule.operands === "none" && operands.length > 0) return refuse(`git ${name} takes no operands here`);
  if (rule.operands === "withList" && operands.length > 0 && !isListing(flags.value))
    return refuse(`git ${name} ${operands[0]} would make one; git ${name} --list shows them`);
  const problem = rule.check?.(flags.value, operands);
  if (problem !== null && problem !== undefined) return refuse(`git ${name} ${problem}`);
  const shownOperands = operands.length === 0 && paths.length === 0 ? (rule.otherwise ?? []) : operands;
  const listing = rule.operands === "withList" && !flags.value.includes("--show-current") ? ["--list"] : [];
  return ok({
    words: [
      ...command,
      ...(rule.forced ?? []),
      ...listing,
      ...flags.value,
      ...(rule.endsOptions === true ? ["--end-of-options"] : []),
      ...shownOperands,
      ...(paths.length === 0 ? [] : ["--", ...paths]),
    ],
    showsOwnConfig: rule.showsOwnConfig === true,
  });
}

/** Accepts a revision, a path inside the repository, a name pattern (for listings), or anything that is not a flag (for settings). */
function operandProblem(operand: string, rule: FormRule): string | null {
  if (rule.operands === "text")
    return /^[^-\p{Cc}]\P{Cc}*$/u.test(operand) ? null : `${JSON.stringify(operand)} is neither a name nor a pattern`;
  if (rule.operands === "words" || rule.operands === "withList")
    return /^[A-Za-z0-9_./*?@:+-]+$/.test(operand) && !operand.startsWith("-")
      ? null
      : `${JSON.stringify(operand)} is not a name`;
  return parseRevision(operand).ok || parseRepositoryPath(operand).ok
    ? null
    : `${JSON.stringify(operand)} is neither a revision nor a path inside the repository`;
}

function refuse(message: string, hint?: string): Result<never> {
  return fail("permission_denied", `${message}.`, {
    hint:
      hint ?? "Shell starts git only to read. Commits go through git_stage and git_push; more questions through Git.",
  });
}
