// From the parser's words to command words: quotes, backslashes, `~`, braces, `$IFS` between words. All else that bash
// would expand leaves a word unknown, with a shape where one can be told.

import type { Word as ParsedWord, WordPart } from "unbash";
import { expandBraces } from "../words/braces.ts";
import type { CommandContext } from "../words/command-line.ts";
import { type CommandWord, unknownWord } from "../words/command-word.ts";
import { type ShellCharacter, isUnquoted } from "../words/shell-word.ts";

/** What of the script's own variables can be trusted. */
export interface ScriptFacts {
  readonly isHomeSet: boolean;
  readonly isIfsSet: boolean;
  readonly isPathSet: boolean;
}

export function readFacts(source: string, outer?: ScriptFacts): ScriptFacts {
  const isSet = (name: string): boolean =>
    new RegExp(`\\b${name}\\b`).test(source.replaceAll(new RegExp(`\\$(?:${name}\\b|\\{${name}\\})`, "g"), " "));
  return {
    isHomeSet: outer?.isHomeSet === true || isSet("HOME"),
    isIfsSet: outer?.isIfsSet === true || isSet("IFS"),
    isPathSet: outer?.isPathSet === true || isSet("PATH"),
  };
}

/** A place in a word that an expansion fills. It counts as quoted, so that braces leave it whole. */
interface Hole extends ShellCharacter {
  readonly hole: "unknown" | "home" | "cwd" | "separator";
}
type Piece = ShellCharacter | Hole;
const hole = (kind: Hole["hole"]): Hole => ({ char: "", isQuoted: true, hole: kind });
const isHole = (piece: Piece): piece is Hole => "hole" in piece;

/** In `$'…'`: what bash reads by its version, its locale, or in ways that it does not document. */
const oddEscapes = /\\(?:x\{|x(?![0-9a-fA-F])|[uU](?![0-9a-fA-F])|c|\n)/;
const MOST_WORDS = 64;
const MOST_BRACES = 12;

export interface WordScope {
  readonly context: CommandContext;
  readonly facts: ScriptFacts;
  readonly cwd: string | null;
}

export function commandWords(word: ParsedWord, scope: WordScope): CommandWord[] {
  // Most words are plain.
  if (word.parts === undefined && /^[\w./:=@%+,-]*$/.test(word.text)) return [{ text: word.text, shape: word.text }];
  const pieces: Piece[] = [];
  if (word.parts === undefined) addLiteral(word.text, pieces);
  else for (const part of word.parts) addPart(part, pieces, false);
  const expanded = expandPieces(pieces);
  if (expanded === null) return [unknownWord];
  return expanded.flatMap(splitWords).map((choice) => toWord(choice, scope));
}

/** null: too many words, or braces about which readers may differ. */
function expandPieces(pieces: readonly Piece[]): readonly (readonly Piece[])[] | null {
  const open: { isChoice: boolean }[] = [];
  let isOdd = false;
  let groups = 0;
  for (const [at, piece] of pieces.entries()) {
    const group = open.at(-1);
    if (isUnquoted(piece, "{")) open.push({ isChoice: false });
    else if (isUnquoted(piece, "}")) {
      isOdd ||= open.pop()?.isChoice !== true;
      groups++;
    } else if (group !== undefined) {
      group.isChoice ||= isUnquoted(piece, ",") || (isUnquoted(piece, ".") && isUnquoted(pieces[at + 1], "."));
    }
  }
  // `{}`, `x{` and `a}` are only themselves, as long as nothing in the word could make a choice of them.
  if (
    !pieces.some((piece, at) => isUnquoted(piece, ",") || (isUnquoted(piece, ".") && isUnquoted(pieces[at + 1], ".")))
  )
    return [pieces];
  if (groups === 0 && open.length === 0) return [pieces];
  if (isOdd || open.length > 0 || groups > MOST_BRACES) return null;
  const expanded = expandBraces(pieces, MOST_WORDS);
  return expanded === undefined ? null : (expanded as Piece[][]).filter((choice) => choice.length > 0);
}

function addPart(part: WordPart, pieces: Piece[], isQuoted: boolean): void {
  switch (part.type) {
    case "Literal":
      if (isQuoted) addQuoted(part.value, pieces);
      else addLiteral(part.text, pieces);
      return;
    case "Glob":
      if (part.parts === undefined) return addLiteral(part.text, pieces);
      pieces.push({ char: "[", isQuoted: false });
      for (const inner of part.parts) addPart(inner, pieces, false);
      pieces.push({ char: "]", isQuoted: false });
      return;
    case "AnsiCQuoted":
      if (oddEscapes.test(part.text) || /[\0\P{ASCII}]/u.test(part.value)) pieces.push(hole("unknown"));
      else addQuoted(part.value, pieces);
      return;
    case "SingleQuoted":
      return addQuoted(part.value, pieces);
    case "DoubleQuoted":
      pieces.push({ char: "", isQuoted: true });
      for (const inner of part.parts) addPart(inner, pieces, true);
      return;
    case "BraceExpansion":
      if (part.parts === undefined) return addLiteral(part.text, pieces);
      pieces.push({ char: "{", isQuoted: false });
      for (const inner of part.parts) addPart(inner, pieces, false);
      pieces.push({ char: "}", isQuoted: false });
      return;
    case "SimpleExpansion":
      pieces.push(variable(part.text.slice(1), isQuoted));
      return;
    case "ParameterExpansion": {
      const { parameter, operation } = part;
      const isWhole = part.prefix === undefined && part.index === undefined;
      // `${HOME:?}`, `${HOME:-x}` and `${HOME%/}` are the home: it is always set.
      const isSame =
        /^(?:HOME|PWD)$/.test(parameter) &&
        ((operation?.type === "Default" && !operation.operator.includes("+")) ||
          (operation?.type === "Remove" && operation.operator.startsWith("%") && operation.operand.text === "/"));
      pieces.push(isWhole && (operation === undefined || isSame) ? variable(parameter, isQuoted) : hole("unknown"));
      return;
    }
    case "LocaleString":
    case "CommandExpansion":
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
    case "ExtendedGlob":
      pieces.push(hole("unknown"));
  }
}

function variable(name: string, isQuoted: boolean): Hole {
  if (name === "IFS" && !isQuoted) return hole("separator");
  return hole(name === "HOME" ? "home" : name === "PWD" ? "cwd" : "unknown");
}

function addQuoted(text: string, pieces: Piece[]): void {
  if (text === "") pieces.push({ char: "", isQuoted: true });
  for (const char of text) pieces.push({ char, isQuoted: true });
}

function addLiteral(text: string, pieces: Piece[]): void {
  let isEscaped = false;
  for (const char of text) {
    if (isEscaped) {
      if (char !== "\n") pieces.push({ char, isQuoted: true });
      isEscaped = false;
    } else if (char === "\\") isEscaped = true;
    else pieces.push({ char, isQuoted: false });
  }
  // A backslash at the very end may stay or go.
  if (isEscaped) pieces.push(hole("unknown"));
}

function splitWords(pieces: readonly Piece[]): Piece[][] {
  const words: Piece[][] = [[]];
  for (const [at, piece] of pieces.entries()) {
    const next = pieces[at + 1];
    if (at === 0 && isUnquoted(piece, "~") && next !== undefined && isHole(next)) {
      words[0]?.push({ char: "~", isQuoted: true }); // `~$x` is no tilde
      continue;
    }
    if (isHole(piece) && piece.hole === "separator") words.push([]);
    else words.at(-1)?.push(piece);
  }
  if (words.length === 1) return words;
  // Next to a lone `$`, bash leaves the separators in the word.
  return pieces.some((piece) => isUnquoted(piece, "$")) ? [[hole("unknown")]] : words.filter((word) => word.length > 0);
}

function toWord(pieces: readonly Piece[], scope: WordScope): CommandWord {
  let shape: string | null = "";
  let isKnown = true;
  let start = 0;
  if (isUnquoted(pieces[0], "~")) {
    const end = pieces.findIndex((piece) => isUnquoted(piece, "/"));
    if (end === 1 || pieces.length === 1) {
      shape = scope.context.home;
      isKnown = !scope.facts.isHomeSet;
      start = 1;
    } else {
      const name = pieces.slice(1, end < 0 ? undefined : end);
      // A quoted `~"x"` is no tilde.
      if (!name.some((piece) => piece.isQuoted)) {
        shape = tildeDirectory(name.map(({ char }) => char).join(""), scope);
        isKnown = false;
        start = name.length + 1;
      }
    }
  }
  const lastClose = pieces.findLastIndex((piece) => isUnquoted(piece, "]"));
  for (let at = start; at < pieces.length; at++) {
    const piece = pieces[at] as Piece;
    const filled: string | null = isHole(piece) ? fill(piece, scope) : piece.char;
    // `[` alone is the command of that name.
    if (isHole(piece) || isUnquoted(piece, "*?") || (isUnquoted(piece, "[") && at < lastClose)) isKnown = false;
    shape = shape === null || filled === null ? null : shape + filled;
  }
  return { text: isKnown ? shape : null, shape };
}

/** `~user` is most likely where homes lie, `~+` is the directory that the script is in. */
function tildeDirectory(name: string, { cwd }: WordScope): string | null {
  if (name === "+") return cwd;
  return name === "root" ? "/root" : /^[A-Za-z_][\w.-]*$/.test(name) ? `/home/${name}` : null;
}

function fill({ hole: kind }: Hole, { context, cwd }: WordScope): string | null {
  return kind === "home" ? context.home : kind === "cwd" ? cwd : null;
}
