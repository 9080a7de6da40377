// Detects file names that look like other names: letters of one script that look like those of another, blanks and
// dots at the end, invisible characters. Screens show such characters by their code points, and say why.

import { displayText, quoteArgument } from "./display.ts";

const NO_CUT = 100_000;

// Letters that most fonts draw like a to z and A to Z (from Unicode's confusables, for living scripts).
const cyrillic = "асԁеһіјӏорԛѕуѵԝхҽАВСЕНІЈКМОРЅТХУԌԚԜ";
const greek = "αινορυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϹ";
const armenian = "օոսցՕՍ";
const lookAlikes = new Set([...cyrillic, ...greek, ...armenian]);

const latin = /\p{Script=Latin}/u;
// The scripts of these letters. Other scripts, such as Japanese, appear beside Latin in ordinary names.
const alike =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;
const greekLetter = /\p{Script=Greek}/u;
const phonetic = /[\u0250-\u02af\u1d00-\u1dbf\u017f]/u;

export interface OddName {
  /** Safe to display, with the odd characters as code points. */
  readonly shown: string;
  readonly why: string;
}

/** Null if the name is what it looks like. */
export function oddName(path: string): OddName | null {
  // SECURITY(T38): a name that looks like another is never shown unescaped.
  if (/^[\w./@+=,#~()[\]{}!$%&'^-]*$/.test(path) && !/\.(?:\/|$)/.test(path)) return null;
  const why = new Set<string>();
  const foreign = [...path].filter((character) => alike.test(character));
  const isOnlyAlike = foreign.length > 0 && foreign.every((character) => lookAlikes.has(character));
  const shown = path
    .split("/")
    .map((name) =>
      name
        .split(/([^\p{L}\p{M}]+)/u)
        .map((word) => shownWord(word, isOnlyAlike, why))
        .join(""),
    )
    .map((name) => shownEnds(name, why))
    .join("/");
  const safe = displayText(shown, { maxLength: NO_CUT });
  if (safe !== shown) why.add("it holds characters that draw nothing, or act on a screen");
  return why.size === 0 ? null : { shown: safe, why: [...why].join("; ") };
}

/** The name for a screen, with odd characters as code points. */
export function displayName(path: string): string {
  return oddName(path)?.shown ?? displayText(path, { maxLength: NO_CUT });
}

/** The name inside a sentence: quoted if it could be read as several words, with odd characters as code points. */
export function quoteName(path: string): string {
  const odd = oddName(path);
  return odd === null ? quoteArgument(path) : `"${odd.shown.replaceAll('"', "\\x22")}"`;
}

function shownWord(word: string, isOnlyAlike: boolean, why: Set<string>): string {
  const isMixed = latin.test(word) && alike.test(word);
  const hasAscii = /[a-z]/i.test(word);
  let shown = "";
  for (const character of word) {
    // Greek letters such as Δ appear beside Latin ones in formulas and look like none of them.
    const isForeign = lookAlikes.has(character) || (alike.test(character) && !greekLetter.test(character));
    const isAlike = (isMixed && isForeign) || (isOnlyAlike && lookAlikes.has(character));
    const plain = character.normalize("NFKC");
    const isForm = plain !== character && /^[\w.-]+$/.test(plain) && !/[\dªº²³¹⁰-₟]/u.test(character + plain);
    if (!isAlike && !isForm && !(hasAscii && phonetic.test(character))) {
      shown += character;
      continue;
    }
    why.add("some of its letters only look like others");
    shown += `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
  }
  return shown;
}

function shownEnds(name: string, why: Set<string>): string {
  if (name === "." || name === "..") return name;
  const [, start = "", middle = "", end = ""] = /^( *)([^]*?)([ .]*)$/.exec(name) ?? [];
  if (start === "" && end === "") return name;
  why.add(end === "" ? "it begins with a blank" : end.includes(" ") ? "it ends in a blank" : "it ends in a dot");
  const number = (blank: string): string => (blank === " " ? "\\x20" : "\\x2e");
  return [...start].map(number).join("") + middle + [...end].map(number).join("");
}
