// Decides whether a rule matches an effect.
// Invariant: `ask` and `deny` rules match whatever the effect may turn out to be; `allow` rules match only what it certainly is.

import { type Effect, fileMark, type PullEffect, pulledName, type Word } from "../action/effect.ts";
import { coversPath, type PathNames, pathNames } from "../shared/glob.ts";
import { baseName, isAbsolutePath, isWithin } from "../shared/path.ts";
import { plainCommand } from "./plain-command.ts";
import { coversHost, parseOneHost } from "./host-pattern.ts";
import type { Rule, RuleHost } from "./rule.ts";
import { matchesWord, matchesWords, type WordPattern } from "./word-pattern.ts";

export function matchesRule(rule: Rule, effect: Effect): boolean {
  if (rule.text.effect !== effect.kind) return false;
  const isYes = rule.text.decide === "allow";
  switch (effect.kind) {
    case "tool":
      return matchesWord(rule.tool, effect.tool);
    case "run":
      return matchesCommand(rule, effect.program, effect.argv, isYes);
    case "privilege":
    case "interactive":
      return matchesCommand(rule, undefined, effect.argv, isYes);
    case "destroy":
      return (
        (rule.text.what === undefined || rule.text.what === effect.what) &&
        matchesCommand(rule, undefined, effect.argv, isYes)
      );
    case "read":
    case "write":
      return matchesPath(rule, effect.path);
    case "network":
      return matchesHost(rule.hosts, effect.host, isYes);
    case "push":
      return matchesWord(rule.target, effect.target) && matchesMaybe(rule.branch, effect.branch, isYes);
    case "pull":
      return matchesPull(rule.target, effect, isYes);
  }
}

/** A rule that allows a source does not allow its secrets; a rule that denies a source denies all of it. */
function matchesPull(target: WordPattern, effect: PullEffect, isYes: boolean): boolean {
  const { source, file } = effect;
  const isMeant = matchesWord(target, pulledName(effect));
  const asWritten = file === undefined ? [source] : [source, `${source}${fileMark}${file}`];
  if (!isYes) return isMeant || asWritten.some((name) => matchesWord(target, name));
  return isMeant && (file === undefined || target === null || target.some((piece) => piece.includes(fileMark)));
}

/** `program` is undefined if the effect has only the words of the command. */
function matchesCommand(rule: Rule, program: Word | undefined, argv: readonly Word[], isYes: boolean): boolean {
  const name = argv[0] ?? null;
  if (!matchesProgram(rule, program, name, isYes)) return false;
  if (rule.argv === null) return true;
  const [first = null, ...rest] = rule.argv;
  const certainty = isYes ? "surely" : "possibly";
  // SECURITY(T24): a rule that allows `/usr/bin/git` does not allow every file called `git`.
  if (isYes && isNamedInFull(first))
    return isThatFile(first[0] as string, program, name) && matchesWords(rest, argv.slice(1), certainty);
  if (matchesWords(rule.argv, argv, certainty)) return true;
  const { asCalled, asMeant } = spellingsOf(argv, program);
  const patterns = rule.argvByName ?? rule.argv;
  return (isYes ? asCalled : asMeant).some((words) => matchesWords(patterns, words, certainty));
}

interface Spellings {
  readonly program: Word | undefined;
  readonly asCalled: readonly (readonly Word[])[];
  readonly asMeant: readonly (readonly Word[])[];
}

// Cached, because many rules are tried on the same command in a row.
const spellings = new WeakMap<readonly Word[], Spellings>();

function spellingsOf(argv: readonly Word[], program: Word | undefined): Spellings {
  const known = spellings.get(argv);
  if (known !== undefined && known.program === program) return known;
  const [first = null, ...rest] = argv;
  const called = [first === null ? null : baseName(first), ...rest];
  // SECURITY(T24): `git -c core.pager=x log` counts as `git log` for a rule that denies it, and not for a rule that allows `git log`;
  // and for a rule that denies git, a link of another name that leads to git is git.
  const meant = [
    called,
    plainCommand(argv),
    ...(typeof program === "string" ? [plainCommand([program, ...rest])] : []),
  ];
  const distinct = [...new Map(meant.map((words) => [JSON.stringify(words), words])).values()];
  const made = { program, asCalled: [called], asMeant: distinct };
  spellings.set(argv, made);
  return made;
}

/** SECURITY(T24): an allow rule by name matches only system programs, because any file can be called `git`. */
function matchesProgram(rule: Rule, program: Word | undefined, name: Word, isYes: boolean): boolean {
  if (rule.program === null) {
    const word = rule.argv?.[0];
    return !isYes || word === undefined || isNamedInFull(word) || isOfTheSystem(program, name);
  }
  const started = program === undefined ? name : program;
  if (started === null) return !isYes;
  if (rule.program.kind === "path") return isAbsolutePath(started) ? covers(rule.program.glob, started) : !isYes;
  const { pattern } = rule.program;
  if (isYes && !isOfTheSystem(program, name)) return false;
  return matchesWord(pattern, baseName(started)) || (name !== null && matchesWord(pattern, baseName(name)));
}

const systemRoots = ["/usr", "/bin", "/sbin"];

function isOfTheSystem(program: Word | undefined, name: Word): boolean {
  const isThere = (path: string) => isAbsolutePath(path) && systemRoots.some((root) => isWithin(path, root));
  if (program === null || name === null || (program !== undefined && !isThere(program))) return false;
  return isThere(name) || !name.includes("/");
}

function isNamedInFull(pattern: WordPattern): pattern is readonly [string] {
  return pattern?.length === 1 && isAbsolutePath(pattern[0] as string);
}

/** A multi-call binary is many programs, chosen by the name it is started with, so the name must match as well. */
function isThatFile(path: string, program: Word | undefined, name: Word): boolean {
  return name === path || (program === path && name !== null && baseName(name) === baseName(path));
}

function matchesPath(rule: Rule, path: string): boolean {
  return rule.path === null || covers(rule.path, path);
}

/** Matches the path itself or a directory above it. */
function covers(glob: NonNullable<Rule["path"]>, path: string): boolean {
  if (path === "/") return glob.components.every(({ kind }) => kind === "globstar");
  if (path !== lastPath) [lastPath, lastNames] = [path, pathNames(path)];
  return coversPath(glob, lastNames);
}

// Cached, because many rules are tried on the same path in a row.
let lastPath = "/";
let lastNames: PathNames = [];

function matchesHost(hosts: readonly RuleHost[] | null, host: string, isYes: boolean): boolean {
  if (hosts === null) return true;
  const one = parseOneHost(host);
  // A host that cannot be read may be any host, as `*` is.
  if (one === null) return !isYes;
  return hosts.some(({ host: wanted, port }) => {
    const isPort = port === null || (one.port === null ? !isYes : one.port === port);
    return isPort && coversHost(wanted, one.host);
  });
}

function matchesMaybe(pattern: WordPattern, text: string | null, isYes: boolean): boolean {
  if (text === null) return pattern === null || !isYes;
  return matchesWord(pattern, text);
}
