// Expands `*`, `?`, `[…]` and `**` as bash does with globstar: a pattern finds dot files only if it begins with a dot, names
// are sorted by code point, and `**` does not walk through links. A pattern that matches nothing stays as it is. The caller
// lists directories, and leaves out what the agent may not see.

import { compareUtf8 } from "../../shared/bytes.ts";
import { matchesName, type NameToken, parseNamePattern } from "../../shared/name-pattern.ts";
import { type ShellCharacter, isUnquoted, textOf, type ShellWord } from "./shell-word.ts";

export interface ListedName {
  readonly name: string;
  /** link: a link to a directory. `*` goes through it, `**` does not. */
  readonly kind: "file" | "directory" | "link";
}

/** null: there is no such directory, or the agent may not see it. The path is absolute, or relative to the working directory. */
export type ListDirectory = (path: string) => readonly ListedName[] | null;

/** undefined: it would give more words than `most`. */
export function expandGlobs(word: ShellWord, list: ListDirectory, most: number): string[] | undefined {
  if (!word.some((character) => isUnquoted(character, "*?["))) return [textOf(word)];
  const search = new GlobSearch(splitComponents(word), list, most);
  search.walk("", 0);
  if (search.found.size > most) return undefined;
  return search.found.size === 0 ? [textOf(word)] : [...search.found].sort(compareUtf8);
}

interface Component {
  /** The slashes that are written before it. */
  readonly slashes: string;
  readonly text: string;
  readonly startsWithDot: boolean;
  /** null: the text is a name, and no pattern. */
  readonly pattern: readonly NameToken[] | "**" | null;
}

function splitComponents(word: ShellWord): Component[] {
  const components: Component[] = [];
  let slashes = "";
  let characters: ShellCharacter[] = [];
  const end = () => {
    const text = textOf(characters);
    // `''` leaves a quoted character without text, which no name has.
    const { tokens, hasWildcard } = parseNamePattern(characters.filter(({ char }) => char !== ""));
    const isStars = text === "**" && characters.every((character) => !character.isQuoted);
    // Behind a pattern, bash writes one slash however many there were.
    if (components.some(({ pattern }) => pattern !== null)) slashes = slashes.slice(0, 1);
    components.push({
      slashes,
      text,
      startsWithDot: text.startsWith("."),
      pattern: isStars ? "**" : hasWildcard ? tokens : null,
    });
  };
  for (const character of word) {
    if (character.char !== "/") {
      characters.push(character);
    } else if (characters.length === 0) {
      slashes += "/";
    } else {
      end();
      [slashes, characters] = ["/", []];
    }
  }
  end(); // An empty last component, as in `*/`, finds directories only.
  return components;
}

class GlobSearch {
  readonly found = new Set<string>();
  readonly #components: readonly Component[];
  readonly #list: ListDirectory;
  readonly #most: number;

  constructor(components: readonly Component[], list: ListDirectory, most: number) {
    this.#components = components;
    this.#list = list;
    this.#most = most;
  }

  walk(prefix: string, index: number): void {
    if (this.found.size > this.#most) return;
    const component = this.#components[index];
    if (component === undefined) {
      this.found.add(prefix);
      return;
    }
    const isLast = index === this.#components.length - 1;
    // After a `**` that matched nothing, the slash behind it is left out.
    const start = prefix === "" && index > 0 ? "" : `${prefix}${component.slashes}`;
    if (component.text === "" && component.pattern === null) {
      if (start !== "") this.found.add(start);
    } else if (component.pattern === "**") this.#walkAll(prefix, start, index, isLast);
    else if (component.pattern === null) this.#walkName(start, component.text, index, isLast);
    else this.#walkMatches(start, component, component.pattern, index, isLast);
  }

  #walkName(start: string, text: string, index: number, isLast: boolean): void {
    if (text === "." || text === "..") return this.walk(`${start}${text}`, index + 1);
    const entry = this.#names(start).find(({ name }) => name === text);
    if (entry !== undefined && (isLast || entry.kind !== "file")) this.walk(`${start}${text}`, index + 1);
  }

  #walkMatches(
    start: string,
    component: Component,
    pattern: readonly NameToken[],
    index: number,
    isLast: boolean,
  ): void {
    for (const { name, kind } of this.#names(start)) {
      if (name.startsWith(".") && !component.startsWithDot) continue;
      if ((isLast || kind !== "file") && matchesName(pattern, [...name])) this.walk(`${start}${name}`, index + 1);
    }
  }

  /** `**` matches nothing, and every directory below. As the last component it also matches every file there. */
  #walkAll(prefix: string, start: string, index: number, isLast: boolean): void {
    if (!isLast) this.walk(prefix, index + 1);
    else if (start !== "") this.found.add(start);
    for (const { name, kind } of this.#names(start)) {
      if (name.startsWith(".") || this.found.size > this.#most) continue;
      const path = `${start}${name}`;
      if (isLast) this.found.add(path);
      if (kind === "directory") this.#walkBelow(path, index, isLast);
    }
  }

  #walkBelow(directory: string, index: number, isLast: boolean): void {
    if (!isLast) this.walk(directory, index + 1);
    for (const { name, kind } of this.#names(`${directory}/`)) {
      if (name.startsWith(".") || this.found.size > this.#most) continue;
      const path = `${directory}/${name}`;
      if (isLast) this.found.add(path);
      if (kind === "directory") this.#walkBelow(path, index, isLast);
    }
  }

  #names(directory: string): readonly ListedName[] {
    return this.#list(directory === "" ? "." : directory) ?? [];
  }
}
