// The one engine for patterns of names: `*`, `?`, `[a-z]`, `[!a-z]`, `[[:alpha:]]`. Globs over paths and the globs of a
// command line both match a name with it.
// Invariant: matching never takes longer than text length × pattern length, whatever the pattern.

/** A character of a pattern, and whether quotes or a backslash protect it. */
export interface QuotedCharacter {
  readonly char: string;
  readonly isQuoted: boolean;
}

export type NameToken =
  | { readonly kind: "literal"; readonly character: string }
  | { readonly kind: "any" }
  | { readonly kind: "star" }
  | {
      readonly kind: "class";
      readonly isNegated: boolean;
      readonly ranges: readonly (readonly [low: string, high: string])[];
      readonly named: readonly RegExp[];
    };

export interface NamePattern {
  readonly tokens: readonly NameToken[];
  /** Something in it is a wildcard. */
  readonly hasWildcard: boolean;
  /** What readers of patterns disagree about: a `[` that is not closed, a range that runs backwards, a named class. */
  readonly isUnclear: boolean;
}

const named: ReadonlyMap<string, RegExp> = new Map([
  ["alnum", /[\p{L}\p{N}]/u],
  ["alpha", /\p{L}/u],
  ["blank", /[ \t]/],
  ["cntrl", /\p{Cc}/u],
  ["digit", /[0-9]/],
  ["graph", /[^\s\p{Cc}]/u],
  ["lower", /\p{Ll}/u],
  ["print", /[^\p{Cc}]/u],
  ["punct", /[!-/:-@[-`{-~]/],
  ["space", /\s/],
  ["upper", /\p{Lu}/u],
  ["xdigit", /[0-9A-Fa-f]/],
]);

/** As bash reads it: a `[` that is not closed is a character, and a range that runs backwards holds nothing. */
export function parseNamePattern(characters: readonly QuotedCharacter[]): NamePattern {
  const tokens: NameToken[] = [];
  let isUnclear = false;
  for (let at = 0; at < characters.length; at += 1) {
    const { char, isQuoted } = characters[at] as QuotedCharacter;
    const found = char === "[" && !isQuoted ? parseClass(characters, at + 1) : null;
    if (found !== null) {
      tokens.push(found.token);
      isUnclear ||= found.isUnclear;
      at = found.end;
    } else if (char === "*" && !isQuoted) {
      if (tokens.at(-1)?.kind !== "star") tokens.push({ kind: "star" });
    } else if (char === "?" && !isQuoted) {
      tokens.push({ kind: "any" });
    } else {
      tokens.push({ kind: "literal", character: char });
      isUnclear ||= char === "[" && !isQuoted;
    }
  }
  return { tokens, hasWildcard: tokens.some(({ kind }) => kind !== "literal"), isUnclear };
}

interface FoundClass {
  readonly token: NameToken;
  /** Where its closing bracket stands. */
  readonly end: number;
  readonly isUnclear: boolean;
}

/** `start` is the index after `[`. A `]` that comes first is a member. null: it is not closed. */
function parseClass(characters: readonly QuotedCharacter[], start: number): FoundClass | null {
  const is = (at: number, chars: string): boolean => {
    const found = characters[at];
    return found !== undefined && !found.isQuoted && chars.includes(found.char);
  };
  const isNegated = is(start, "!^");
  const first = isNegated ? start + 1 : start;
  const ranges: [string, string][] = [];
  const classes: RegExp[] = [];
  let isUnclear = false;
  for (let at = first; at < characters.length; at += 1) {
    const low = characters[at]?.char ?? "";
    if (is(at, "]") && at > first)
      return { token: { kind: "class", isNegated, ranges, named: classes }, end: at, isUnclear };
    isUnclear ||= low === "[" && /[:.=]/.test(characters[at + 1]?.char ?? "");
    const name = is(at, "[") ? namedClass(characters.slice(at, at + 12)) : null;
    if (name !== null) {
      classes.push(name.test);
      at += name.length - 1;
    } else if (is(at + 1, "-") && characters[at + 2] !== undefined && !is(at + 2, "]")) {
      const high = characters[at + 2]?.char ?? "";
      isUnclear ||= codePoint(high) < codePoint(low);
      ranges.push([low, high]);
      at += 2;
    } else ranges.push([low, low]);
  }
  return null;
}

function namedClass(characters: readonly QuotedCharacter[]): { test: RegExp; length: number } | null {
  const found = /^\[:([a-z]+):\]/.exec(characters.map(({ char, isQuoted }) => (isQuoted ? "\0" : char)).join(""));
  const test = named.get(found?.[1] ?? "");
  return found === null || test === undefined ? null : { test, length: found[0].length };
}

/** `*` stands for any run of characters, the empty one included; nothing else is special. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const tokens = [...pattern].map((character): NameToken =>
    character === "*" ? { kind: "star" } : { kind: "literal", character },
  );
  return matchesName(tokens, [...text]);
}

export function matchesName(tokens: readonly NameToken[], name: readonly string[]): boolean {
  return matchSequence(tokens, name, (token) => token.kind === "star", matchesCharacter);
}

function matchesCharacter(token: NameToken, character: string): boolean {
  switch (token.kind) {
    case "any":
      return true;
    case "literal":
      return token.character === character;
    case "class": {
      const point = codePoint(character);
      const isMember =
        token.ranges.some(([low, high]) => codePoint(low) <= point && point <= codePoint(high)) ||
        token.named.some((test) => test.test(character));
      return isMember !== token.isNegated;
    }
    case "star":
      return false;
  }
}

/** Only the last star ever needs a second try: what an earlier one took more or less of cannot help a later part. */
export function matchSequence<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  isStar: (part: P) => boolean,
  matchesOne: (part: P, item: T) => boolean,
): boolean {
  let at = 0;
  let item = 0;
  let lastStar = -1;
  let retryFrom = 0;
  while (item < items.length) {
    const part = pattern[at];
    if (part !== undefined && isStar(part)) {
      lastStar = at;
      retryFrom = item;
      at += 1;
    } else if (part !== undefined && matchesOne(part, items[item] as T)) {
      at += 1;
      item += 1;
    } else if (lastStar >= 0) {
      retryFrom += 1;
      item = retryFrom;
      at = lastStar + 1;
    } else {
      return false;
    }
  }
  return pattern.slice(at).every(isStar);
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? -1;
}
