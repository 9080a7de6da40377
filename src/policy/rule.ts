// A rule is a decision about effects of one kind, with matchers. The order of rules never matters: the strictest wins.

import type { EffectKind } from "../action/effect.ts";
import { type Glob, parseGlob } from "../shared/glob.ts";
import { baseName } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { Decision } from "./decision.ts";
import { type HostPattern, parseHostAndPort } from "./host-pattern.ts";
import { hostSets, isHostSetName } from "./host-sets.ts";
import { parseWordPattern, type WordPattern } from "./word-pattern.ts";

/** A rule as it is written. An absent matcher matches anything. */
export interface RuleText {
  readonly decide: Decision;
  readonly effect: EffectKind;
  readonly tool?: string | undefined;
  /** A name (`git`), or a path pattern (`/usr/bin/git`, `/opt/**`). */
  readonly program?: string | undefined;
  /** Patterns for the words, the program's first; `**` matches any number of words. */
  readonly argv?: readonly string[] | undefined;
  /** An absolute path, including everything below it; `*`, `?`, `[a-z]` and `**` work as in `hide`. */
  readonly path?: string | undefined;
  /** A host, a pattern of hosts, or the name of a set of hosts. */
  readonly host?: string | undefined;
  /** For a push or pull: a path, a URL or a remote. */
  readonly target?: string | undefined;
  readonly branch?: string | undefined;
  readonly what?: "files" | "git" | undefined;
  readonly because?: string | undefined;
}

export interface Rule {
  /** Identifies the rule in lists, in the log and on the command line. Two rules with the same text have the same id. */
  readonly id: string;
  /** Where the rule is written, such as "config.yaml:12". */
  readonly origin: string;
  readonly text: RuleText;
  readonly program:
    | { readonly kind: "name"; readonly pattern: WordPattern }
    | { readonly kind: "path"; readonly glob: Glob }
    | null;
  readonly argv: readonly WordPattern[] | null;
  /** The same, with the program by its base name. */
  readonly argvByName: readonly WordPattern[] | null;
  readonly path: Glob | null;
  readonly tool: WordPattern;
  /** The rule is about each of these; null: about every host. */
  readonly hosts: readonly RuleHost[] | null;
  readonly target: WordPattern;
  readonly branch: WordPattern;
}

/** Null is any port. */
export interface RuleHost {
  readonly host: HostPattern;
  readonly port: number | null;
}

type Matcher = "tool" | "program" | "argv" | "path" | "host" | "target" | "branch" | "what";

const commandMatchers: readonly Matcher[] = ["program", "argv"];
export const matchersOf: Readonly<Record<EffectKind, readonly Matcher[]>> = {
  tool: ["tool"],
  run: commandMatchers,
  read: ["path"],
  write: ["path"],
  network: ["host"],
  privilege: commandMatchers,
  interactive: commandMatchers,
  destroy: [...commandMatchers, "what"],
  push: ["target", "branch"],
  pull: ["target"],
};

const allMatchers: readonly Matcher[] = ["tool", "program", "argv", "path", "host", "target", "branch", "what"];

/** A failure's message begins with the field that is wrong. */
export function compileRule(text: RuleText, id: string, origin: string): Result<Rule> {
  const stray = allMatchers.find((name) => text[name] !== undefined && !matchersOf[text.effect].includes(name));
  if (stray !== undefined) {
    const known = matchersOf[text.effect].join(", ");
    return fail("invalid_args", `${stray}: says nothing about the effect ${text.effect}`, {
      hint: `A rule about ${text.effect} can have ${known}.`,
    });
  }
  const program = parseProgram(text.program);
  if (!program.ok) return program;
  const argv: WordPattern[] = [];
  for (const word of text.argv ?? []) {
    const parsed = parseWordPattern(word);
    if (!parsed.ok) return named("argv", parsed);
    argv.push(parsed.value);
  }
  if (text.argv?.length === 0)
    return fail("invalid_args", "argv: is empty", { hint: 'Name the program first, as in [git, push, "**"].' });
  const path = text.path === undefined ? ok(null) : parsePath(text.path);
  if (!path.ok) return path;
  const hosts = parseRuleHosts(text.host);
  if (!hosts.ok) return named("host", hosts);
  const words: Record<string, WordPattern> = Object.create(null);
  for (const name of ["tool", "target", "branch"] as const) {
    const parsed = text[name] === undefined ? ok(null) : parseWordPattern(text[name]);
    if (!parsed.ok) return named(name, parsed);
    words[name] = parsed.value;
  }
  return ok({
    id,
    origin,
    text,
    program: program.value,
    argv: text.argv === undefined ? null : argv,
    argvByName: text.argv === undefined ? null : byBaseName(argv),
    path: path.value,
    hosts: hosts.value,
    tool: words["tool"] ?? null,
    target: words["target"] ?? null,
    branch: words["branch"] ?? null,
  });
}

function byBaseName([first = null, ...rest]: readonly WordPattern[]): readonly WordPattern[] {
  return [first?.length === 1 ? [baseName(first[0] as string)] : first, ...rest];
}

function named(field: string, { failure }: { readonly failure: { readonly message: string; readonly hint?: string } }) {
  return fail("invalid_args", `${field}: ${failure.message}`, { hint: failure.hint });
}

function parseProgram(text: string | undefined): Result<Rule["program"]> {
  if (text === undefined) return ok(null);
  if (text === "") return fail("invalid_args", "program: is empty", { hint: "Write a name such as git." });
  if (text.includes("/")) {
    const glob = parsePath(text);
    return glob.ok ? ok({ kind: "path", glob: glob.value }) : named("program", { failure: glob.failure });
  }
  const pattern = parseWordPattern(text);
  return pattern.ok ? ok({ kind: "name", pattern: pattern.value }) : named("program", pattern);
}

function parsePath(text: string): Result<Glob> {
  if (!text.startsWith("/"))
    return fail("invalid_args", `path: ${JSON.stringify(text)} is not absolute`, {
      hint: "Begin it with /, ~/ or ${project}.",
    });
  // Everything: `/` has no component of its own.
  const glob = parseGlob(text === "/" ? "/**" : text);
  return glob.ok ? ok({ ...glob.value, anchored: true }) : named("path", glob);
}

function parseRuleHosts(text: string | undefined): Result<Rule["hosts"]> {
  if (text === undefined || text === "*") return ok(null);
  const hosts: RuleHost[] = [];
  for (const one of isHostSetName(text) ? hostSets[text].hosts : [text]) {
    const parsed = parseHostAndPort(one);
    if (!parsed.ok) return parsed;
    const { host, port } = parsed.value;
    hosts.push({ host, port: port === "any" ? null : port });
  }
  return ok(hosts);
}
