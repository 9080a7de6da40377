// Detects files that are not what they look like: bytes that editors do not show, names that can be taken for other names, and
// lines so long or so many that a reader easily misses what matters.

import type { DiffFile } from "../../../action/diff-file.ts";
import { groupDigits } from "../../../action/diff-facts.ts";
import type { FilePair, FileSide } from "../diff.ts";
import { hasUtf16Mark, isText, textEncoding } from "../text-content.ts";
import { entryKind } from "../tree-entry.ts";
import { oddName } from "../../../shared/odd-name.ts";
import { addedLines } from "./added-lines.ts";
import { isKnownData } from "./known-data.ts";
import { oddCoding } from "./python-coding.ts";

export type DisguiseKind =
  | "lost"
  | "program"
  | "unknown"
  | "coding"
  | "utf16"
  | "lookAlike"
  | "blank"
  | "long"
  | "many";

export interface Disguise {
  readonly kind: DisguiseKind;
  readonly note?: string;
}

const LONG_CHARACTERS = 5_000;
const MANY_LINES = 50_000;
const MANY_BLANKS = 500;

export function disguisesOf({ path, before, after }: FilePair, diff: DiffFile | undefined): Disguise[] {
  if (after === null) return [];
  const odd = oddName(path);
  const named: Disguise[] = odd === null ? [] : [{ kind: "lookAlike", note: odd.why }];
  if (entryKind(after.mode) !== "file" || before?.id === after.id) return named;
  // If the diff compared the file as UTF-8, it is UTF-8.
  const isUtf8 = diff?.encoding === "utf-8" && diff.hunks.length > 0;
  const form = isUtf8 && !after.content.includes(0) ? "text" : formOf(after.content);
  const disguise = ofForm(path, before, after, form);
  const coding = oddCoding(path, after.content);
  return [
    ...(disguise === null ? [] : [disguise]),
    ...(coding === null ? [] : [note("coding", coding)]),
    ...named,
    ...ofLines(after, form, diff),
  ];
}

/** `bytes`: contains NUL or other control characters. `8-bit`: text in an older encoding, in which every byte is visible. */
type Form = "text" | "8-bit" | "utf-16" | "bytes";

function formOf(content: Uint8Array): Form {
  if (isText(content)) return "text";
  if (hasUtf16Mark(content) || textEncoding(content).startsWith("utf-16")) return "utf-16";
  return hasControls(content) ? "bytes" : "8-bit";
}

function hasControls(content: Uint8Array): boolean {
  for (const byte of content) if (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) return true;
  return false;
}

const formNames: Readonly<Record<Form, string>> = {
  text: "text",
  "8-bit": "not UTF-8",
  "utf-16": "UTF-16",
  bytes: "bytes that are not text",
};

function ofForm(path: string, before: FileSide | null, after: FileSide, form: Form): Disguise | null {
  if (form === "text") return null;
  const wasText = before !== null && before.content.length > 0 && isText(before.content);
  if (wasText) return { kind: "lost", note: `now ${formNames[form]}` };
  if (form === "utf-16") return isProgram(path, after) ? { kind: "utf16", note: "a program" } : { kind: "utf16" };
  // A changed program that was in an older encoding before is not a new disguise.
  const isAsBefore = form === "8-bit" && before !== null && before.content.length > 0;
  if (isProgram(path, after)) return isAsBefore ? null : { kind: "program", note: whyProgram(path, after) };
  // A program that skips bytes which are not text may read a file that is no known kind of data.
  const isNew = form === "bytes" && (before === null || formOf(before.content) !== "bytes");
  return isNew && !isKnownData(path, after.content) ? { kind: "unknown" } : null;
}

const programEnds = new Set(
  (
    "sh bash zsh fish ksh csh ps1 psm1 psd1 bat cmd vbs js mjs cjs ts mts cts jsx tsx py pyw rb pl pm php phtml lua r jl " +
    "go rs c h cc cpp cxx hpp hh m mm java kt kts scala groovy gradle clj cs fs vb swift dart ex exs erl hs ml nim zig sql " +
    "awk sed tcl mk cmake html htm svg vue svelte astro tf hcl nix exe dll so dylib wasm class pyc node ko msi com scr bin"
  ).split(" "),
);
const programNames =
  /^(?:makefile|gnumakefile|dockerfile.*|jenkinsfile|rakefile|gemfile|vagrantfile|brewfile|justfile|procfile|\..*rc|\.env.*)$/i;
// ELF, Windows, WebAssembly, Java, Mach-O.
const programStarts = ["#!", "\x7fELF", "MZ", "\0asm", "\xca\xfe\xba\xbe", "\xcf\xfa\xed\xfe", "\xfe\xed\xfa\xcf"];

function isProgram(path: string, side: FileSide): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const end = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return isStarted(side) || (name.includes(".") && programEnds.has(end)) || programNames.test(name);
}

function isStarted({ mode, content }: FileSide): boolean {
  const start = String.fromCharCode(...content.subarray(0, 4));
  return mode === "100755" || programStarts.some((one) => start.startsWith(one));
}

function whyProgram(path: string, side: FileSide): string {
  if (side.mode === "100755") return "executable";
  return isStarted(side) ? "by its first bytes" : `by its name, ${path.slice(path.lastIndexOf("/") + 1).slice(-20)}`;
}

function ofLines(after: FileSide, form: Form, diff: DiffFile | undefined): Disguise[] {
  // Content that is not text has no lines that a reader could miss.
  if (diff === undefined || diff.isPicture === true || form === "bytes") return [];
  const { count, longest, blanks } = addedLines(diff, diff.encoding.startsWith("utf-16") ? null : after.content);
  return [
    ...(blanks.count < MANY_BLANKS
      ? []
      : [note("blank", `${groupDigits(blanks.count)} in a row, then line ${groupDigits(blanks.nextLine)}`)]),
    ...(longest.length < LONG_CHARACTERS
      ? []
      : [note("long", `line ${groupDigits(longest.line)} has ${groupDigits(longest.length)} characters`)]),
    ...(count < MANY_LINES ? [] : [note("many", `${groupDigits(count)} lines`)]),
  ];
}

function note(kind: DisguiseKind, text: string): Disguise {
  return { kind, note: text };
}
