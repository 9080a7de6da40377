// Every text that an agent wrote reaches a person's screen through this file.
// Invariant: what comes out holds no control, bidirectional, invisible or unassigned character (line feeds only where
// `multiline` asks for them); it cannot move the cursor, reorder or hide anything; what is cut is said.

export interface DisplayOptions {
  /** The whole result is at most this long, in UTF-16 units, the notice about the rest included. At least 40. */
  readonly maxLength?: number;
  /** Keeps line feeds. The caller must set these lines apart from its own. */
  readonly multiline?: boolean;
}

const DEFAULT_LENGTH = 10_000;
const SMALLEST_LENGTH = 40;
const SPACES_IN_A_ROW = 32;
const LINES_IN_A_ROW = 8;
const MARKS_IN_A_ROW = 4;

/** One piece of the text: shown unchanged, or escaped. `count` is in code points. */
interface Piece {
  readonly kind: "plain" | "unsafe" | "spaces" | "lines";
  readonly text: string;
  readonly count: number;
}

/** SECURITY(T19): names and arguments come from outside and could imitate the screen. */
export function displayText(text: string, options: DisplayOptions = {}): string {
  const maxLength = Math.max(SMALLEST_LENGTH, options.maxLength ?? DEFAULT_LENGTH);
  const total = countCharacters(text);
  // The notice never gets longer for a smaller count, so this many characters always suffice.
  const shownLength = maxLength - restNotice(total).length;
  let shown = "";
  let kept = "";
  let keptCount = 0;
  let count = 0;
  for (const piece of piecesOf(text, options.multiline ?? false)) {
    shown += displayPiece(piece);
    count += piece.count;
    if (shown.length <= shownLength) {
      kept = shown;
      keptCount = count;
    }
    if (shown.length > maxLength) return kept + restNotice(total - keptCount);
  }
  return shown;
}

function displayPiece(piece: Piece): string {
  switch (piece.kind) {
    case "plain":
      return piece.text;
    case "unsafe":
      return escapeCharacter(piece.text);
    case "spaces":
      return `␣×${group(piece.count)}`;
    case "lines":
      return `\n⏎×${group(piece.text.split("\n").length - 1)}\n`;
  }
}

/** Quotes a command line so that bash reads back the same words, without characters that act on a screen. */
export function displayCommand(argv: readonly string[]): string {
  return argv.map((word, index) => (index === 0 && readsAsSyntax(word) ? `'${word}'` : quoteArgument(word))).join(" ");
}

/** Quotes one word. NUL and lone surrogates cannot occur in a real argument; they are shown escaped and do not read back. */
export function quoteArgument(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  const pieces = [...piecesOf(word, false)];
  if (pieces.every((piece) => piece.kind === "plain")) return `'${word.replaceAll("'", "'\\''")}'`;
  // Written \x27 and not \', which history expansion in an interactive shell would read as the closing quote.
  const quoted = pieces.map((piece) =>
    piece.kind === "plain" ? piece.text.replace(/[\\']/g, bashEscape) : [...piece.text].map(bashEscape).join(""),
  );
  return `$'${quoted.join("")}'`;
}

/**
 * Makes a program's output safe for a terminal, piece by piece. Line feeds, tabs and spaces stay, CR LF becomes LF; everything
 * else that acts on a screen is escaped. Nothing is cut.
 */
export class OutputDisplay {
  #held = "";

  push(text: string): string {
    const whole = this.#held + text;
    this.#held = whole.endsWith("\r") ? "\r" : "";
    const ready = this.#held === "" ? whole : whole.slice(0, -1);
    return /^[\n\t -~]*$/.test(ready)
      ? ready
      : ready
          .replaceAll("\r\n", "\n")
          .split(/([\n\t])/)
          .map(displayRun)
          .join("");
  }

  /** Returns what was held back, at the end of the output. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    return displayRun(held);
  }
}

function displayRun(run: string): string {
  if (run === "\n" || run === "\t") return run;
  let shown = "";
  for (const piece of piecesOf(run, false)) shown += piece.kind === "unsafe" ? escapeCharacter(piece.text) : piece.text;
  return shown;
}

const reservedWords = new Set(
  "case coproc do done elif else esac fi for function if in select then time until while".split(" "),
);

// As a first word, `A=b` would be an assignment and `if` a keyword.
function readsAsSyntax(word: string): boolean {
  return reservedWords.has(word) || /^[A-Za-z_][A-Za-z0-9_]*\+?=[A-Za-z0-9_@%+=:,./-]*$/.test(word);
}

const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) as number;
  return shortEscapes[character] ?? (code <= 0xff ? `\\x${hex(code, 2)}` : `\\u{${hex(code, 1)}}`);
}

function bashEscape(character: string): string {
  const code = character.codePointAt(0) as number;
  if (character === "\\") return "\\\\";
  if (code <= 0x7f) return shortEscapes[character] ?? `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

// Controls, formats, surrogates, private use, unassigned, separators, every space but the common one, all that is
// defined to be ignorable (fillers, joiners, variation selectors, tags), and three that draw nothing without being
// any of these.
const unsafe = /[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u{16fe4}\u{1d159}\u{2800}]--[ ]]/v;
const mark = /\p{M}/v;
// Joiners, selectors and tags are left alone in the sequences that Unicode lists by name, and nowhere else. Made when a
// text needs it, and not as a literal: reading that list takes tens of milliseconds, and every command loads this file.
let emoji: RegExp | undefined;
const mayBeginEmoji = /[0-9#*]\ufe0f|[\p{Emoji}--[0-9#*]]/vy;
const spaces = / +/y;
const lines = /\n(?: *\n)+/y;

function* piecesOf(text: string, multiline: boolean): Generator<Piece> {
  let at = 0;
  // How many marks sit on the last character; none may sit on ours, so the beginning and every escape count as full.
  let marks = MARKS_IN_A_ROW;
  while (at < text.length) {
    const piece = nextPiece(text, at, multiline, marks);
    const isMark = piece.kind === "plain" && mark.test(piece.text) && piece.count === 1;
    marks = isMark ? marks + 1 : piece.kind === "plain" && piece.text !== "\n" ? 0 : MARKS_IN_A_ROW;
    at += piece.text.length;
    yield piece.text === "\t" && multiline ? { kind: "plain", text: "⇥", count: 1 } : piece;
  }
}

function nextPiece(text: string, at: number, multiline: boolean, marks: number): Piece {
  const character = String.fromCodePoint(text.codePointAt(at) as number);
  if (character === " ") {
    const run = matchAt(spaces, text, at);
    return { kind: run.length > SPACES_IN_A_ROW ? "spaces" : "plain", text: run, count: run.length };
  }
  if (character === "\n" && multiline) {
    const run = matchAt(lines, text, at);
    if (run.split("\n").length - 1 > LINES_IN_A_ROW) return { kind: "lines", text: run, count: run.length };
    return { kind: "plain", text: character, count: 1 };
  }
  const sequence = matchAt(mayBeginEmoji, text, at) === "" ? "" : matchAt(emojiSequence(), text, at);
  if (sequence.length > character.length) return { kind: "plain", text: sequence, count: countCharacters(sequence) };
  const isUnsafe = unsafe.test(character) || (mark.test(character) && marks >= MARKS_IN_A_ROW);
  return { kind: isUnsafe ? "unsafe" : "plain", text: character, count: 1 };
}

function emojiSequence(): RegExp {
  return (emoji ??= new RegExp("\\p{RGI_Emoji}", "vy"));
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1) count += 1;
  return count;
}

function restNotice(count: number): string {
  return `… ${group(count)} more character${count === 1 ? "" : "s"}`;
}

function group(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
