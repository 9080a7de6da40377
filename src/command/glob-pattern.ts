// One component of a glob against one name, in time that grows with both and no faster.

import { type ShellCharacter, isBare } from "./shell-character.ts";

export type PatternToken =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "any" }
  | { readonly kind: "star" }
  | {
      readonly kind: "class";
      readonly isNegated: boolean;
      readonly members: readonly (readonly [from: string, to: string])[];
      readonly classes: readonly RegExp[];
    };

/** null: nothing in it is a pattern. */
export function patternTokens(glyphs: readonly ShellCharacter[]): PatternToken[] | null {
  const tokens: PatternToken[] = [];
  let isPattern = false;
  for (let at = 0; at < glyphs.length; at++) {
    const glyph = glyphs[at] as ShellCharacter;
    const bracket = isBare(glyph, "[") ? readClass(glyphs, at) : null;
    if (bracket !== null) {
      tokens.push(bracket.token);
      at = bracket.end;
    } else if (isBare(glyph, "*")) tokens.push({ kind: "star" });
    else if (isBare(glyph, "?")) tokens.push({ kind: "any" });
    else if (glyph.char !== "") tokens.push({ kind: "char", char: glyph.char });
    isPattern ||= bracket !== null || isBare(glyph, "*?");
  }
  return isPattern ? tokens : null;
}

const posixClasses: Readonly<Record<string, RegExp>> = {
  alnum: /[\p{L}\p{N}]/u,
  alpha: /\p{L}/u,
  blank: /[ \t]/,
  cntrl: /\p{Cc}/u,
  digit: /[0-9]/,
  graph: /[^\s\p{Cc}]/u,
  lower: /\p{Ll}/u,
  print: /[^\p{Cc}]/u,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /\p{Lu}/u,
  xdigit: /[0-9A-Fa-f]/,
};

/** `[abc]`, `[!a-z]`, `[^x]`, `[[:alpha:]]`, `[]x]`; null when it is not closed: then `[` is a character. */
function readClass(glyphs: readonly ShellCharacter[], open: number): { token: PatternToken; end: number } | null {
  let at = open + 1;
  const isNegated = isBare(glyphs[at], "!^");
  if (isNegated) at++;
  const members: [string, string][] = [];
  const classes: RegExp[] = [];
  for (let isFirst = true; at < glyphs.length; isFirst = false) {
    const glyph = glyphs[at] as ShellCharacter;
    if (isBare(glyph, "]") && !isFirst) return { token: { kind: "class", isNegated, members, classes }, end: at };
    const named = isBare(glyph, "[")
      ? /^\[:([a-z]+):\]/.exec(
          glyphs
            .slice(at, at + 12)
            .map((next) => (next.isQuoted ? "\0" : next.char))
            .join(""),
        )
      : null;
    const posix = named === null ? undefined : posixClasses[named[1] as string];
    if (named !== null && posix !== undefined) {
      classes.push(posix);
      at += named[0].length;
    } else if (isBare(glyphs[at + 1], "-") && glyphs[at + 2] !== undefined && !isBare(glyphs[at + 2], "]")) {
      members.push([glyph.char, (glyphs[at + 2] as ShellCharacter).char]);
      at += 3;
    } else {
      members.push([glyph.char, glyph.char]);
      at++;
    }
  }
  return null;
}

/** On a mismatch only the last star is tried again: what earlier stars took can stay. */
export function matchesPattern(tokens: readonly PatternToken[], name: string): boolean {
  const chars = [...name];
  let token = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < chars.length) {
    const current = tokens[token];
    if (current?.kind === "star") {
      star = token++;
      starAt = at;
    } else if (current !== undefined && matchesChar(current, chars[at] as string)) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (tokens[token]?.kind === "star") token++;
  return token === tokens.length;
}

function matchesChar(token: PatternToken, char: string): boolean {
  if (token.kind === "any") return true;
  if (token.kind === "char") return token.char === char;
  if (token.kind === "star") return false;
  const point = char.codePointAt(0) as number;
  const isMember =
    token.members.some(([from, to]) => (from.codePointAt(0) ?? 0) <= point && point <= (to.codePointAt(0) ?? -1)) ||
    token.classes.some((test) => test.test(char));
  return isMember !== token.isNegated;
}
