// A word as a shell reads it, before expansion: its characters, each with whether quotes or a backslash protect it.

import type { QuotedCharacter } from "../../shared/name-pattern.ts";

export type ShellCharacter = QuotedCharacter;
export type ShellWord = readonly ShellCharacter[];

export function textOf(word: ShellWord): string {
  return word.map(({ char }) => char).join("");
}

/** Whether it is one of these characters, and nothing protects it. */
export function isUnquoted(character: ShellCharacter | undefined, chars: string): boolean {
  return character !== undefined && !character.isQuoted && chars.includes(character.char);
}
