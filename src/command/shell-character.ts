// A word before expansion: its characters, each with whether quotes or a backslash protect it.

export interface ShellCharacter {
  readonly char: string;
  readonly isQuoted: boolean;
}

export type ShellWord = readonly ShellCharacter[];

export function textOf(word: ShellWord): string {
  return word.map((glyph) => glyph.char).join("");
}

/** True for an unprotected character. */
export function isBare(glyph: ShellCharacter | undefined, chars: string): boolean {
  return glyph !== undefined && !glyph.isQuoted && chars.includes(glyph.char);
}
