// What may stand in the values of flags. They are arguments, not shell text: most may hold anything.

import type { ValueCheck } from "../flag.ts";

export const text: ValueCheck = () => null;
export const count: ValueCheck = (value) => (/^-?\d{1,9}$/.test(value) ? null : `${JSON.stringify(value)} is not a number`);
export const percent: ValueCheck = (value) => (/^\d{1,3}%?$/.test(value) ? null : `${JSON.stringify(value)} is not a number or percentage`);
export const widths: ValueCheck = (value) => (/^\d{1,5}(,\d{1,5}){0,2}$/.test(value) ? null : `${JSON.stringify(value)} is not a width like 80 or 80,40,10`);
export const filter: ValueCheck = (value) => (/^[A-Za-z*]{1,20}$/.test(value) ? null : `${JSON.stringify(value)} is not a list of letters like AM`);

export function oneOf(...allowed: string[]): ValueCheck {
  return (value) => (allowed.includes(value) ? null : `${JSON.stringify(value)} is not one of ${allowed.join(", ")}`);
}

/** `1,5`, `/regex/,+3`, `:function`; in a log also with `:file` at its end, which must stay inside. */
export const lines: ValueCheck = (value) => (/(^|:)(\/|~|\.\.(\/|$))|\/\.\.(\/|$)/.test(fileOf(value)) ? "its file leads outside the repository" : null);

function fileOf(value: string): string {
  return value.startsWith("/") ? value.slice(value.lastIndexOf(":") + 1) : value;
}

export const dateFormat: ValueCheck = (value) =>
  /^(relative|local|iso|iso8601|iso-strict|iso8601-strict|rfc|rfc2822|short|raw|human|unix|default|(default|iso|short|rfc|iso-strict|rfc2822|relative|human|raw|unix)-local)$/.test(value)
    ? null
    : value.startsWith("format:") || value.startsWith("format-local:")
      ? null
      : `${JSON.stringify(value)} is not a date format`;

const NAMED_FORMATS = ["oneline", "short", "medium", "full", "fuller", "reference", "email", "raw", "mboxrd"];

/** `oneline`, `format:…`, `tformat:…` or a format that has a `%` in it. */
export const prettyFormat: ValueCheck = (value) => {
  if (NAMED_FORMATS.includes(value)) return null;
  const custom = /^t?format:(.*)$/s.exec(value)?.[1] ?? (value.includes("%") ? value : null);
  if (custom === null) return `${JSON.stringify(value)} is not a format git has by itself`;
  return placeholderProblem(custom);
};

/** SECURITY(T14): %G… runs the repository's gpg.program; a raw byte, or a colour that is always on, reaches a terminal. */
function placeholderProblem(format: string): string | null {
  for (const [, placeholder = ""] of format.matchAll(/%([+\- ]?(?:%|x[0-9a-fA-F]{2}|C\([^)]*\)|.|$))/gsu)) {
    const name = placeholder.replace(/^[+\- ](?=.)/, "");
    if (name.startsWith("G")) return `%${placeholder} checks signatures, which runs a program`;
    if (name.startsWith("x") && !/^x(00|09|0a)$/i.test(name)) return `%${placeholder} prints a raw byte; only %x00, %x09 and %x0a may`;
    if (name.startsWith("C(") && /always/i.test(name)) return `%${placeholder} colours a text that is not for a terminal`;
  }
  return null;
}

/** The formats of branch listings: `%(refname:short)`. */
export const refFormat: ValueCheck = (value) => {
  if (/%\([^)]*signature/i.test(value)) return "signatures are checked by a program";
  for (const [, byte = ""] of value.matchAll(/%([0-9a-fA-F]{2})/g)) {
    if (!/^(00|09|0a)$/i.test(byte)) return `%${byte} prints a raw byte; only %00, %09 and %0a may`;
  }
  return /%\(color/i.test(value) ? "it colours a text that is not for a terminal" : null;
};

export const sortKey: ValueCheck = (value) => (/^-?[a-zA-Z:*-]{1,60}$/.test(value) && !/signature/i.test(value) ? null : `${JSON.stringify(value)} is not a sort key`);

/** A revision in a flag's value: `--contains=main`. */
export const revisionValue: ValueCheck = (value) =>
  value === "" || value.startsWith("-") || /[\s|&;<>()$`\\"'*?[\]!]/.test(value) ? `${JSON.stringify(value)} is not a revision` : null;
