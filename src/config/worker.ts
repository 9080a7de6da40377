// Reads a worker file: Markdown whose frontmatter names the push target, the files to pull at the start, and the grants and rules
// that narrow its agent. The text below it is the worker's instructions.
// Invariant: a file with any error gives no worker. A worker file can only narrow: it has no key that widens anything.

import type { z } from "zod";
import { redactText } from "../audit/redact-text.ts";
import type { GitTarget } from "../git/target/target.ts";
import type { NarrowerCapability } from "../policy/capability.ts";
import type { Rule } from "../policy/rule.ts";
import { type ConfigError, type ConfigErrors, fileError } from "./config-error.ts";
import type { ProjectPaths } from "./config-paths.ts";
import { parseSource } from "./parse-source.ts";
import { exampleCount, readRule } from "./rules.ts";
import { schemaErrors } from "./schema-issue.ts";
import { type FieldPath, readConfigFile, type Source } from "./source.ts";
import { netGrantErrors } from "./net-grant-errors.ts";
import { workerFsGrants } from "./worker-grants.ts";
import { writtenLimits } from "./written-limits.ts";
import { pullPathProblem, readWorkerTarget } from "./worker-target.ts";
import { type WorkerFile, workerSchema } from "./worker-schema.ts";

export interface AutoPull {
  readonly paths: readonly string[];
  readonly source: GitTarget;
  readonly onConflict: "fail" | "overwrite" | "keep-both";
}

export interface Worker {
  readonly file: string;
  readonly name: string;
  readonly description: string;
  /** The text below the frontmatter. */
  readonly instructions: string;
  readonly defaultTarget: GitTarget | null;
  readonly autoPull: readonly AutoPull[];
  /** Absent fields stay as the agent has them. */
  readonly narrower: NarrowerCapability;
  /** Only `ask` and `deny`. */
  readonly rules: readonly Rule[];
  /** The number of examples that were tried. */
  readonly exampleCount: number;
}

export type WorkerResult =
  | { readonly ok: true; readonly worker: Worker }
  | { readonly ok: false; readonly errors: ConfigErrors };

const BEGIN = "Begin the file with ---, the keys below it, and --- again; then the instructions.";

export function loadWorker(file: string, paths: ProjectPaths): WorkerResult {
  const read = readConfigFile(file);
  if (!read.ok)
    return refuse([read.missing ? { ...read.error, hint: "Check the name of the worker file." } : read.error]);
  const parts = splitFrontmatter(read.text);
  if (typeof parts === "string")
    return refuse([
      { ...fileError(file, parts, BEGIN), line: 1, column: 1, source: read.text.split(/\r?\n/, 1)[0] ?? "" },
    ]);
  const opened = parseSource(file, parts.yaml);
  if (!opened.ok) {
    const isEmpty = opened.errors[0]?.line === null && opened.errors[0].message === "the file is empty";
    const empty = fileError(file, "the frontmatter is empty", "Write at least name and description.");
    return refuse(isEmpty ? [empty] : opened.errors);
  }
  const parsed = workerSchema.safeParse(opened.source.value);
  if (!parsed.success) return refuse(issueErrors(opened.source, parsed.error.issues));
  return assemble(file, parsed.data, opened.source, paths, parts.body.trim());
}

/** The first fence becomes a comment, so that line numbers in errors are those of the file. */
function splitFrontmatter(text: string): { readonly yaml: string; readonly body: string } | string {
  const first = /^---[ \t]*\r?\n/.exec(text);
  if (first === null) return "a worker file begins with its frontmatter";
  const rest = text.slice(first[0].length);
  const end = /^---[ \t]*(?:\r?\n|$)/m.exec(rest);
  if (end === null) return "the frontmatter has no end";
  return { yaml: `#--\n${rest.slice(0, end.index)}`, body: rest.slice(end.index + end[0].length) };
}

function issueErrors(source: Source, issues: readonly z.core.$ZodIssue[]): ConfigError[] {
  return issues.flatMap((issue) => {
    const path = issue.path as FieldPath;
    const name = path.join(".");
    if (/^policy\.rules\.\d+\.decide$/.test(name) && valueAt(source.value, path) === "allow")
      return [
        source.errorAt(
          path,
          `policy.rules[${path[2]}].decide: a worker can only narrow, so allow cannot stand here`,
          "Use ask or deny; what is allowed is said in the configuration.",
        ),
      ];
    if (name === "name" && issue.code === "invalid_format")
      return [source.errorAt(path, "name: not a name for a worker", "Use letters, digits, - _ and ., at most 64.")];
    return schemaErrors(source, [issue], workerSchema);
  });
}

function valueAt(value: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((inner, part) => (inner as Record<string | number, unknown> | undefined)?.[part], value);
}

function assemble(
  file: string,
  written: WorkerFile,
  source: Source,
  paths: ProjectPaths,
  instructions: string,
): WorkerResult {
  const errors: ConfigError[] = [];
  const target = (at: FieldPath, value: NonNullable<WorkerFile["git"]["default_target"]>): GitTarget | null => {
    const read = readWorkerTarget(value, at, { source, paths });
    if ("type" in read) return read;
    errors.push(read);
    return null;
  };
  const { default_target: named, auto_pull: pulls } = written.git;
  const defaultTarget = named === undefined ? null : target(["git", "default_target"], named);
  const autoPull = pulls.flatMap(({ path, paths, source: from, on_conflict: onConflict }, index): AutoPull[] => {
    const at = ["git", "auto_pull", index];
    const all = paths ?? (path === undefined ? [] : [path]);
    if ((path === undefined) === (paths === undefined))
      errors.push(source.errorAt(at, `git.auto_pull[${index}]: needs either path or paths`, "Write one of the two."));
    for (const [pullIndex, one] of all.entries()) {
      const problem = pullPathProblem(one);
      const where: FieldPath = paths === undefined ? [...at, "path"] : [...at, "paths", pullIndex];
      if (problem !== null)
        errors.push(
          source.errorAt(
            where,
            `git.auto_pull[${index}]: ${JSON.stringify(one)} ${problem}`,
            "Write it from the top of the repository on, like templates/.",
          ),
        );
    }
    const read = target([...at, "source"], from);
    return read === null ? [] : [{ paths: all, source: read, onConflict }];
  });
  const fsGrants = workerFsGrants(written, source, paths);
  errors.push(...fsGrants.errors, ...netGrantErrors(written.net_grants ?? [], ["net_grants"], source));
  const rules = written.policy.rules.map((rule, index) =>
    readRule(rule, ["policy", "rules", index], { source, paths }),
  );
  errors.push(...rules.flatMap((rule) => ("text" in rule ? [] : rule)));
  if (errors.length > 0) return refuse(errors);
  const worker: Worker = {
    file,
    name: written.name,
    description: written.description,
    instructions,
    defaultTarget,
    autoPull,
    narrower: Object.freeze({
      ...(written.tool_grants === undefined ? {} : { toolGrants: written.tool_grants }),
      ...(fsGrants.grants === null ? {} : { fsGrants: fsGrants.grants }),
      ...(written.net_grants === undefined ? {} : { netGrants: written.net_grants }),
      ...(written.limits === undefined ? {} : { limits: writtenLimits(written.limits) }),
    }),
    rules: rules.filter((rule): rule is Rule => "text" in rule),
    exampleCount: written.policy.rules.reduce((sum, rule) => sum + exampleCount(rule), 0),
  };
  return { ok: true, worker: Object.freeze(worker) };
}

function refuse(errors: readonly ConfigError[]): WorkerResult {
  const sorted = errors
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    // The line that an error shows may contain a password in an address.
    .map((error) => ({ ...error, source: error.source === null ? null : redactText(error.source) }));
  return { ok: false, errors: sorted as unknown as ConfigErrors };
}
