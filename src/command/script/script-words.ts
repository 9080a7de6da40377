// Turns the parser's words into command words. It expands quotes, backslashes, `~`, braces, and `$IFS` between words. A word
// with any other expansion is unknown, with a shape where that can be guessed.

import type { Word as ParsedWord, WordPart } from "unbash";
import { expandBraces } from "../words/braces.ts";
import type { CommandContext } from "../words/command-line.ts";
import { type CommandWord, unknownWord } from "../words/command-word.ts";
import { type ShellCharacter, isUnquoted } from "../words/shell-word.ts";

/** Which variables a script sets itself, so that their values are unknown. */
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

type Expansion = "unknown" | "home" | "cwd" | "separator";
interface Piece extends ShellCharacter {
  /** It stands for an expansion, and counts as quoted, so that braces do not split it. */
  readonly expansion?: Expansion;
}
const expanding = (expansion: Expansion): Piece => ({ char: "", isQuoted: true, expansion });
const isExpansion = ({ expansion }: Piece): boolean => expansion !== undefined;

/** Escapes in `$'…'` that bash reads differently by version or locale, or that it does not document. */
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

/** null: too many words, or braces that shells read differently. */
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
  // Without a comma or `..` in the word, braces such as `{}`, `x{` and `a}` are only characters.
  if (
    !pieces.some((piece, at) => isUnquoted(piece, ",") || (isUnquoted(piece, ".") && isUnquoted(pieces[at + 1], ".")))
  )
    return [pieces];
  if (groups === 0 && open.length === 0) return [pieces];
  if (isOdd || open.length > 0 || groups > MOST_BRACES) return null;
  const expanded = expandBraces(pieces, MOST_WORDS);
  return expanded === undefined ? null : expanded.filter((choice) => choice.length > 0);
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
      if (oddEscapes.test(part.text) || /[\0\P{ASCII}]/u.test(part.value)) pieces.push(expanding("unknown"));
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
      // HOME and PWD are always set, so `${HOME:?}`, `${HOME:-x}` and `${HOME%/}` are the home.
      const isSame =
        /^(?:HOME|PWD)$/.test(parameter) &&
        ((operation?.type === "Default" && !operation.operator.includes("+")) ||
          (operation?.type === "Remove" && operation.operator.startsWith("%") && operation.operand.text === "/"));
      pieces.push(
        isWhole && (operation === undefined || isSame) ? variable(parameter, isQuoted) : expanding("unknown"),
      );
      return;
    }
    case "LocaleString":
    case "CommandExpansion":
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
    case "ExtendedGlob":
      pieces.push(expanding("unknown"));
  }
}

function variable(name: string, isQuoted: boolean): Piece {
  if (name === "IFS" && !isQuoted) return expanding("separator");
  return expanding(name === "HOME" ? "home" : name === "PWD" ? "cwd" : "unknown");
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
  // bash may keep a backslash at the very end, or drop it.
  if (isEscaped) pieces.push(expanding("unknown"));
}

function splitWords(pieces: readonly Piece[]): Piece[][] {
  const words: Piece[][] = [[]];
  for (const [at, piece] of pieces.entries()) {
    const next = pieces[at + 1];
    if (at === 0 && isUnquoted(piece, "~") && next !== undefined && isExpansion(next)) {
      words[0]?.push({ char: "~", isQuoted: true }); // `~$x` is no tilde
      continue;
    }
    if (isExpansion(piece) && piece.expansion === "separator") words.push([]);
    else words.at(-1)?.push(piece);
  }
  if (words.length === 1) return words;
  // Next to a single `$`, bash does not split the word.
  return pieces.some((piece) => isUnquoted(piece, "$"))
    ? [[expanding("unknown")]]
    : words.filter((word) => word.length > 0);
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
  for (const [at, piece] of pieces.entries()) {
    if (at < start) continue;
    const next = shapeOf(piece, scope);
    // A `[` without a `]` is a character, or the command of that name.
    if (isExpansion(piece) || isUnquoted(piece, "*?") || (isUnquoted(piece, "[") && at < lastClose)) isKnown = false;
    shape = shape === null || next === null ? null : shape + next;
  }
  return { text: isKnown ? shape : null, shape };
}

/** `~user` is most likely a directory in /home. `~+` is the working directory. */
function tildeDirectory(name: string, { cwd }: WordScope): string | null {
  if (name === "+") return cwd;
  return name === "root" ? "/root" : /^[A-Za-z_][\w.-]*$/.test(name) ? `/home/${name}` : null;
}

/** What a piece most likely becomes; null: unknown. */
function shapeOf({ char, expansion }: Piece, { context, cwd }: WordScope): string | null {
  if (expansion === undefined) return char;
  return expansion === "home" ? context.home : expansion === "cwd" ? cwd : null;
}
