// Globs over relative paths: `*` and `?` within a name, `[a-z]`, `[!a-z]`, `**` as a whole component, `\` before a
// character takes it as it is. Case counts; names that begin with a dot are names like any other.
// Invariant: matching never takes longer than text length × pattern length, whatever the pattern.

import { fail, ok, type Result } from "./result.ts";

type NameToken =
  | { readonly kind: "literal"; readonly character: string }
  | { readonly kind: "any" }
  | { readonly kind: "star" }
  | { readonly kind: "class"; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };

type Component =
  | { readonly kind: "name"; readonly text: string; readonly tokens: readonly NameToken[] }
  | { readonly kind: "globstar" };

export interface Glob {
  /** With a slash: matched against the whole path. Without: against each name of it. */
  readonly anchored: boolean;
  readonly components: readonly Component[];
}

/** A pattern without `/` means a name at any depth; a leading `/` only anchors, a trailing one says nothing. */
export function parseGlob(pattern: string): Result<Glob> {
  const body = pattern.replace(/\/+$/, "").replace(/^\//, "");
  if (body === "")
    return fail("invalid_args", "an empty pattern matches nothing", { hint: 'Write a name such as ".env".' });
  const components: Component[] = [];
  for (const text of body.split("/")) {
    if (text === "" || text === "." || text === "..") {
      return fail("invalid_args", `"${text}" cannot be a part of a pattern`, {
        hint: 'Write it as names, such as "keys/*.pem".',
      });
    }
    if (text === "**") {
      components.push({ kind: "globstar" });
      continue;
    }
    const tokens = parseName(text);
    if (tokens === undefined) {
      const hint =
        "Close every [, begin ranges with their lower end, and put \\ before a character that stands for itself.";
      return fail("invalid_args", `"${text}" is not a pattern`, { hint });
    }
    components.push({ kind: "name", text, tokens });
  }
  return ok({ anchored: pattern.startsWith("/") || components.length > 1, components });
}

/** `path` is relative, without empty, `.` or `..` components. Only the path itself counts, not what lies above it. */
export function matchesGlob(glob: Glob, path: string): boolean {
  const names = path.split("/");
  if (!glob.anchored) return matchesPath(glob.components, [names.at(-1) as string]);
  return matchesPath(glob.components, names);
}

/** A path for `coversPath`, taken apart once for many globs. */
export type PathNames = readonly (readonly string[])[];

export function pathNames(path: string): PathNames {
  return path.split("/").flatMap((name) => (name === "" ? [] : [[...name]]));
}

const covering = new WeakMap<Glob, readonly Component[]>();

/** Whether an anchored glob matches the path, or something above it. */
export function coversPath(glob: Glob, names: PathNames): boolean {
  let components = covering.get(glob);
  if (components === undefined) {
    components = [...wholeComponents(glob.components), { kind: "globstar" }];
    covering.set(glob, components);
  }
  return matchSequence(
    components,
    names,
    (component) => component.kind === "globstar",
    (component, name) => component.kind === "name" && matchesName(component.tokens, name),
  );
}

/** What is left of a glob below a directory; "matched" when the directory itself, or one above it, matches. */
export function globBelow(glob: Glob, directory: readonly string[]): readonly string[] | "matched" {
  if (!glob.anchored) {
    return directory.some((name) => matchesPath(glob.components, [name]))
      ? "matched"
      : [patternOf(glob.components, false)];
  }
  let states = new Set([0]);
  for (const name of directory) {
    const next = new Set<number>();
    for (const state of closure(glob.components, states)) {
      const component = glob.components[state];
      if (component === undefined) continue;
      if (component.kind === "globstar") {
        next.add(state);
        if (state === glob.components.length - 1) return "matched";
      } else if (matchesName(component.tokens, [...name])) {
        if (state === glob.components.length - 1) return "matched";
        next.add(state + 1);
      }
    }
    states = next;
  }
  return [...states].map((state) => patternOf(glob.components.slice(state), true));
}

/** The pattern that matches exactly this path. */
export function escapeGlob(path: string): string {
  return path.replace(/[\\*?[]/g, "\\$&");
}

/** `*` stands for any run of characters, the empty one included; nothing else is special. */
export function matchesWildcard(pattern: string, text: string): boolean {
  return matchesName(
    [...pattern].map((character) => (character === "*" ? star : { kind: "literal", character })),
    [...text],
  );
}

/** True when every text that `narrower` matches is matched by `wider`. Exact, because no alphabet ends: a star of the
 * narrower pattern may stand for a character that the wider one does not name, so only a star of the wider can take it. */
export function wildcardCovers(wider: string, narrower: string): boolean {
  return matchesWildcard(wider, narrower);
}

const star: NameToken = { kind: "star" };

function parseName(text: string): NameToken[] | undefined {
  const characters = [...text];
  const tokens: NameToken[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] as string;
    if (character === "*") {
      if (tokens.at(-1)?.kind !== "star") tokens.push(star);
    } else if (character === "?") {
      tokens.push({ kind: "any" });
    } else if (character === "\\") {
      at += 1;
      const next = characters[at];
      if (next === undefined) return undefined;
      tokens.push({ kind: "literal", character: next });
    } else if (character === "[") {
      const parsed = parseClass(characters, at + 1);
      if (parsed === undefined) return undefined;
      tokens.push(parsed.token);
      at = parsed.end;
    } else {
      tokens.push({ kind: "literal", character });
    }
  }
  return tokens;
}

/** `start` is the place after `[`; `end` is that of the closing bracket. A `]` that comes first is a member. */
function parseClass(characters: readonly string[], start: number): { token: NameToken; end: number } | undefined {
  const negated = characters[start] === "!" || characters[start] === "^";
  const first = negated ? start + 1 : start;
  const ranges: [string, string][] = [];
  for (let at = first; at < characters.length; at += 1) {
    if (characters[at] === "]" && at > first) return { token: { kind: "class", negated, ranges }, end: at };
    if (characters[at] === "\\") at += 1;
    const low = characters[at];
    // `[[:alpha:]]` and its kin are not known here; taken as a set of letters they would quietly match something else.
    if (low === undefined || (low === "[" && /[:.=]/.test(characters[at + 1] ?? ""))) return undefined;
    const isRange = characters[at + 1] === "-" && characters[at + 2] !== undefined && characters[at + 2] !== "]";
    if (!isRange) {
      ranges.push([low, low]);
      continue;
    }
    at += 2;
    if (characters[at] === "\\") at += 1;
    const high = characters[at];
    if (high === undefined || codePoint(high) < codePoint(low)) return undefined;
    ranges.push([low, high]);
  }
  return undefined;
}

// Only the last star ever needs a second try: what an earlier one took more or less of cannot help a later part.
function matchesName(tokens: readonly NameToken[], text: readonly string[]): boolean {
  return matchSequence(tokens, text, (token) => token.kind === "star", matchesCharacter);
}

function matchesPath(components: readonly Component[], names: readonly string[]): boolean {
  return matchSequence(
    wholeComponents(components),
    names,
    (component) => component.kind === "globstar",
    matchesComponent,
  );
}

/** `a/**` is everything below `a`, not `a` itself. */
function wholeComponents(components: readonly Component[]): readonly Component[] {
  return components.at(-1)?.kind === "globstar" ? [...components, anyName] : components;
}

const anyName: Component = { kind: "name", text: "*", tokens: [star] };

function matchesComponent(component: Component, name: string): boolean {
  return component.kind === "name" && matchesName(component.tokens, [...name]);
}

function matchesCharacter(token: NameToken, character: string): boolean {
  switch (token.kind) {
    case "any":
      return true;
    case "literal":
      return token.character === character;
    case "class":
      return (
        token.ranges.some(
          ([low, high]) => codePoint(low) <= codePoint(character) && codePoint(character) <= codePoint(high),
        ) !== token.negated
      );
    case "star":
      return false;
  }
}

function matchSequence<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  isStar: (p: P) => boolean,
  matchesOne: (p: P, item: T) => boolean,
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

/** `**` may also stand for nothing, unless it is the last component. */
function closure(components: readonly Component[], states: ReadonlySet<number>): Set<number> {
  const all = new Set(states);
  for (const state of all) {
    if (components[state]?.kind === "globstar" && state < components.length - 1) all.add(state + 1);
  }
  return all;
}

function patternOf(components: readonly Component[], anchored: boolean): string {
  const text = components.map((component) => (component.kind === "globstar" ? "**" : component.text)).join("/");
  return anchored && components.length === 1 ? `/${text}` : text;
}

function codePoint(character: string): number {
  return character.codePointAt(0) as number;
}
