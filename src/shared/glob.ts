// Globs over relative paths: `*` and `?` within a name, `[a-z]`, `[!a-z]`, `**` as a whole component, `\` before a
// character takes it as it is. Case counts; names that begin with a dot are names like any other.
// Invariant: matching never takes longer than text length × pattern length, whatever the pattern.

import {
  matchesName,
  matchesWildcard,
  matchSequence,
  type NameToken,
  parseNamePattern,
  type QuotedCharacter,
} from "./name-pattern.ts";
import { fail, ok, type Result } from "./result.ts";

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

/** True when every text that `narrower` matches is matched by `wider`. Exact, because no alphabet ends: a star of the
 * narrower pattern may stand for a character that the wider one does not name, so only a star of the wider can take it. */
export function wildcardCovers(wider: string, narrower: string): boolean {
  return matchesWildcard(wider, narrower);
}

/** undefined: not a pattern that every reader would read alike. */
function parseName(text: string): readonly NameToken[] | undefined {
  const characters: QuotedCharacter[] = [];
  let isQuoted = false;
  for (const char of text) {
    if (char === "\\" && !isQuoted) isQuoted = true;
    else {
      characters.push({ char, isQuoted });
      isQuoted = false;
    }
  }
  const { tokens, isUnclear } = parseNamePattern(characters);
  return isQuoted || isUnclear ? undefined : tokens;
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

const anyName: Component = { kind: "name", text: "*", tokens: [{ kind: "star" }] };

function matchesComponent(component: Component, name: string): boolean {
  return component.kind === "name" && matchesName(component.tokens, [...name]);
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
