// The words of find's expressions: which of them take a value, and where a command ends.

import type { Word } from "../../../action/effect.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Tests and actions that take no value, operators, and options that may stand among them. */
export const withoutValue = words(
  `( ) ! , -a -and -o -or -not -d -daystart -depth -empty -executable -false -follow -help --help -ignore_readdir_race -ls -mount
  -nogroup -noignore_readdir_race -noleaf -nouser -nowarn -print -print0 -prune -quit -readable -true -version
  --version -warn -writable -xdev`,
);
const withText = words(
  `-amin -atime -cmin -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname
  -maxdepth -mindepth -mmin -mtime -name -path -perm -printf -regex -regextype -size -type -uid -used -user -wholename
  -xtype`,
);
const withPath = /^-(anewer|cnewer|newer|samefile|files0-from|newer[aBcm][aBcm])$/;
const withTime = /^-newer[aBcm]t$/;
const withFile = words("-fprint -fprint0 -fprintf -fls");

/** What the next word is: a text, a path to read, or a file that find writes. null: the word takes no value. */
export function findValueKind(word: string): "text" | "path" | "written file" | null {
  if (withPath.test(word)) return "path";
  if (withFile.has(word)) return "written file";
  return withText.has(word) || withTime.test(word) ? "text" : null;
}

export function startsCommand(word: string): boolean {
  return /^-(?:exec|execdir|ok|okdir)$/.test(word);
}

/** How many words the command has that begins at `start`. As find reads it, a `+` ends it only behind a `{}`. null: it has no end. */
export function findCommandLength(texts: readonly Word[], start: number): number | null {
  const length = texts
    .slice(start)
    .findIndex((word, index, rest) => word === ";" || (word === "+" && rest[index - 1] === "{}"));
  return length < 0 ? null : length;
}
