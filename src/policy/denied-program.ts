// Finds the programs that rules deny whatever their arguments. Such a rule is about a file, so the box can enforce it: it hides
// the file. A rule about arguments can only be as good as the parsing of a command line.

import { type Glob, parseGlob } from "../shared/glob.ts";
import { baseName } from "../shared/path.ts";
import type { Rule } from "./rule.ts";
import { isLiteral, type WordPattern } from "./word-pattern.ts";

export type DeniedProgram =
  | { readonly kind: "name"; readonly pattern: NonNullable<WordPattern> }
  | { readonly kind: "path"; readonly glob: Glob };

export function deniedPrograms(rules: readonly Rule[]): DeniedProgram[] {
  return rules.flatMap((rule) => (rule.text.decide === "deny" && rule.text.effect === "run" ? programsOf(rule) : []));
}

/** Empty if the rule is about arguments, or about every program (then nothing starts at all). */
function programsOf({ program, argv, text }: Rule): DeniedProgram[] {
  const [first = null, ...rest] = argv ?? [];
  if (argv !== null && (rest.some((word) => word !== null) || (first !== null && rest.length === 0))) return [];
  if (program === null) return isAny(first) ? [] : byWord(first, text.argv?.[0] ?? "");
  const isNamedTwice = program.kind === "name" && first?.join("*") === program.pattern?.join("*");
  if (!isAny(first) && !isNamedTwice) return [];
  if (program.kind === "path") return [program];
  return isAny(program.pattern) ? [] : [{ kind: "name", pattern: program.pattern }];
}

function isAny(pattern: WordPattern): pattern is null {
  return pattern === null || (pattern.length > 1 && pattern.every((piece) => piece === ""));
}

/** A path matches that file and, as in every rule that denies, programs of the same name. */
function byWord(pattern: NonNullable<WordPattern>, written: string): DeniedProgram[] {
  if (!written.includes("/")) return [{ kind: "name", pattern }];
  const glob = written.startsWith("/") ? parseGlob(written) : null;
  const byPath: DeniedProgram[] = glob?.ok === true ? [{ kind: "path", glob: { ...glob.value, anchored: true } }] : [];
  return isLiteral(pattern) ? [...byPath, { kind: "name", pattern: [baseName(pattern[0])] }] : byPath;
}
