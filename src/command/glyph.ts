// A word before expansion: its characters, each with whether quotes or a backslash protect it.

export interface Glyph {
  readonly char: string;
  readonly isQuoted: boolean;
}

export type Word = readonly Glyph[];

export function textOf(word: Word): string {
  return word.map((glyph) => glyph.char).join("");
}

/** True for an unprotected character. */
export function isBare(glyph: Glyph | undefined, chars: string): boolean {
  return glyph !== undefined && !glyph.isQuoted && chars.includes(glyph.char);
}
