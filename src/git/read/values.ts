// Checks the values of flags. Values are arguments, not shell text, so most may contain anything.

import type { ValueCheck } from "../flag.ts";
import { revisionProblem } from "../revision.ts";

export const text: ValueCheck = () => null;
export const count: ValueCheck = (value) =>
  /^-?\d{1,9}$/.test(value) ? null : `${JSON.stringify(value)} is not a number`;
export const percent: ValueCheck = (value) =>
  /^(\d{1,3}(\.\d{1,5})?|\.\d{1,5})%?$/.test(value) ? null : `${JSON.stringify(value)} is not a number or percentage`;
/** A score, or the letter of the flag once or twice more: `-CCC`. */
export const scoreOr =
  (letter: string): ValueCheck =>
  (value) =>
    value === letter || value === letter + letter ? null : count(value);
export const widths: ValueCheck = (value) =>
  /^\d{1,5}(,\d{1,5}){0,2}$/.test(value) ? null : `${JSON.stringify(value)} is not a width like 80 or 80,40,10`;
export const filter: ValueCheck = (value) =>
  /^[A-Za-z*]{1,20}$/.test(value) ? null : `${JSON.stringify(value)} is not a list of letters like AM`;

export function oneOf(...allowed: string[]): ValueCheck {
  return (value) => (allowed.includes(value) ? null : `${JSON.stringify(value)} is not one of ${allowed.join(", ")}`);
}

export const dateFormat: ValueCheck = (value) =>
  /^(auto:)?((relative|iso|iso8601|iso-strict|iso8601-strict|rfc|rfc2822|short|raw|human|unix|default)(-local)?|local|format(-local)?:.*)$/s.test(
    value,
  )
    ? null
    : `${JSON.stringify(value)} is not a date format`;

const NAMED_FORMATS = ["oneline", "short", "medium", "full", "fuller", "reference", "email", "raw", "mboxrd"];

/** `oneline`, `format:…`, `tformat:…`, a format that contains a `%`, or an empty text: then git prints only the files. */
export const prettyFormat: ValueCheck = (value) => {
  if (value === "" || NAMED_FORMATS.includes(value)) return null;
  const custom = /^t?format:(.*)$/s.exec(value)?.[1] ?? (value.includes("%") ? value : null);
  if (custom === null) return `${JSON.stringify(value)} is not a format git has by itself`;
  return placeholderProblem(custom);
};

/** SECURITY(T21): %G… runs the repository's gpg.program. A raw byte, or a colour that is always on, would reach a terminal. */
function placeholderProblem(format: string): string | null {
  for (const rest of afterPercents(format)) {
    const placeholder = /^[+\- ]?(x..|C\([^)]*\)|.?)/s.exec(rest)?.[1] ?? "";
    if (placeholder === "G") return `%${rest.slice(0, 3)} checks signatures, which runs a program`;
    if (/^x[0-9a-f]{2}$/i.test(placeholder) && !isHarmless(placeholder.slice(1))) return rawByte(placeholder);
    if (/^C\(.*always/is.test(placeholder)) return `%${placeholder} colours a text that is not for a terminal`;
  }
  return null;
}

/**
 * The text after each % that is not half of a %%. Every % counts, even inside what looks like a placeholder: after a placeholder
 * that git does not know, it continues right behind the %, so `%-%G?` contains %G?.
 */
function afterPercents(format: string): string[] {
  return [...format.matchAll(/%%|%/g)]
    .filter(([match]) => match === "%")
    .map(({ index }) => format.slice(index + 1, index + 1_000));
}

function isHarmless(byte: string): boolean {
  return /^(00|09|0a)$/i.test(byte);
}

function rawByte(placeholder: string): string {
  return `%${placeholder} prints a raw byte; only NUL, tab and newline may be written so`;
}

/** The formats of branch listings, `%(refname:short)`, and of ls-files. */
export const refFormat: ValueCheck = (value) => {
  for (const rest of afterPercents(value)) {
    const byte = /^x?([0-9a-f]{2})/i.exec(rest);
    if (byte !== null && !isHarmless(byte[1] as string)) return rawByte(byte[0]);
    if (/^\([^)]*signature/i.test(rest)) return "signatures are checked by a program";
    if (/^\(\*?color/i.test(rest)) return "it colours a text that is not for a terminal";
  }
  return null;
};

/**
 * A field and how to read it: `-authordate:iso8601`, `refname:lstrip=2`, `v:refname`. No signatures, because git runs a program to
 * check them.
 */
export const sortKey: ValueCheck = (value) =>
  /^-?\*?[a-zA-Z][a-zA-Z-]{0,59}(:\P{Cc}{1,200})?$/u.test(value) && !/signature/i.test(value)
    ? null
    : `${JSON.stringify(value)} is not a sort key`;

/** A revision in a flag's value: `--contains=main`. */
export const revisionValue: ValueCheck = (value) => {
  const problem = revisionProblem(value);
  return problem === null ? null : `${JSON.stringify(value.slice(0, 80))} ${problem}`;
};
