// Collects what a person should not miss about a push: one line for each kind of warning, the gravest first.
// Invariant: many files of one kind never hide another kind, and within a kind many files of one sort never hide another sort.

import type { FollowedFile } from "../push/build-push.ts";
import type { DiffFile } from "../../../action/diff-file.ts";
import { type FilePair, sideBytes } from "../diff.ts";
import { contentHash } from "../../staged.ts";
import { pushedLater } from "../../../policy/pushed-later.ts";
import type { Hashes } from "../../../shared/hash.ts";
import { limits } from "../../../shared/limits.ts";
import { oddName, quoteName } from "../../../shared/odd-name.ts";
import { disguisesOf } from "./disguise-warnings.ts";
import { runsOnInstall } from "./install-warnings.ts";

interface Warning {
  readonly kind: keyof typeof kinds;
  readonly path: string;
  /** Within a kind, the first file of each sort is named before the other files. */
  readonly sort: string;
  readonly note?: string;
}

type Words = readonly [one: string, several: string, named: number];

// Ordered by gravity. Each row: the text for one file, the text for several, and how many files are named at most.
const disguises = {
  lost: [
    "it was text and is not any more, so editors may not show what programs read",
    "that were text and are not any more, so editors may not show what programs read",
    40,
  ],
  program: [
    "it is a program and not text: what runs is not what editors show",
    "that are programs and not text: what runs is not what editors show",
    40,
  ],
  unknown: [
    "it is not text, and begins as no known kind of data: programs may read what editors do not show",
    "that are not text, and begin as no known kind of data: programs may read what editors do not show",
    40,
  ],
  coding: [
    "its coding line makes Python read other text than what is shown",
    "with coding lines that make Python read other text than what is shown",
    40,
  ],
  utf16: [
    "it is UTF-16: what reads UTF-8 sees something else",
    "that are UTF-16: what reads UTF-8 sees something else",
    40,
  ],
  lookAlike: ["its name is not what it looks like", "whose names are not what they look like", 40],
  blank: ["text stands after very many blank lines", "with text after very many blank lines", 20],
} as const satisfies Readonly<Record<string, Words>>;

const grave = {
  ...disguises,
  long: [
    "it has very long lines, whose ends are easily missed",
    "with very long lines, whose ends are easily missed",
    20,
  ],
  many: ["it has very many lines: few people read them all", "with very many lines: few people read them all", 20],
  opened: ["others execute it later", "that others execute later", 40],
  built: ["it runs on a build machine", "that run on a build machine", 40],
} as const satisfies Readonly<Record<string, Words>>;

const kinds = {
  ...grave,
  attributes: ["it changes how other files are stored", "that change how other files are stored", 20],
  moved: ["in the target it is not what was pulled", "that are not in the target what was pulled", 10],
  followed: ["it lands where the target has moved it", "that land where the target has moved them", 20],
  large: ["it is large", "that are large", 10],
} as const satisfies Readonly<Record<string, Words>>;

// The limits for the names of one kind, and of all kinds together. A question must stay short enough to read.
const NAMES_CHARACTERS = 1_500;
const ALL_NAMES_CHARACTERS = 6_000;

export interface PushWarnings {
  /** One line for each kind, the gravest first. */
  readonly lines: readonly string[];
  /** The grave warnings of each file, by path. */
  readonly warned: ReadonlyMap<string, readonly string[]>;
  /** Whether some file is not what it looks like. */
  readonly isDisguised: boolean;
}

/** One commit of a push, as a person sees it. */
export interface ReviewedCommit {
  readonly pairs: readonly FilePair[];
  readonly diff: readonly DiffFile[];
}

/** A file as it was when the agent began to change it; null if it was not there. */
interface FileBefore {
  readonly path: string;
  readonly before: { readonly contentHash: string; readonly size: number } | null;
}

export function pushWarnings(
  staged: { readonly files: readonly FileBefore[] },
  commits: readonly ReviewedCommit[],
  hashes: Hashes,
  followed: readonly FollowedFile[] = [],
): PushWarnings {
  const names = new Map(followed.map(({ at, path }) => [at, path]));
  const pulled = new Map(staged.files.map((file) => [file.path, file.before]));
  const compared = new Set<string>();
  const all = commits.flatMap(({ pairs, diff }) => {
    const diffs = new Map(diff.map((file) => [file.path, file]));
    return pairs.flatMap((pair) => {
      const { path } = pair;
      // What a later commit of a series replaces was made by an earlier one.
      const moved = compared.has(path) ? [] : meanwhile(pair, names.get(path) ?? path, pulled, hashes);
      compared.add(path);
      return [...warningsOf(pair, diffs.get(path)), ...moved];
    });
  });
  const warned = new Map<string, string[]>();
  for (const { kind, path, note } of all)
    if (kind in grave) warned.set(path, [...(warned.get(path) ?? []), `${kinds[kind][0]}${noteText(note)}`]);
  const byKind = Map.groupBy(all, ({ kind }) => kind);
  const maxCharacters = Math.min(NAMES_CHARACTERS, Math.floor(ALL_NAMES_CHARACTERS / Math.max(1, byKind.size)));
  return {
    lines: (Object.keys(kinds) as (keyof typeof kinds)[]).flatMap((kind) => {
      const found = byKind.get(kind);
      return found === undefined ? [] : [describeKind(kind, found, maxCharacters)];
    }),
    warned,
    isDisguised: all.some(({ kind }) => kind in disguises),
  };
}

function warningsOf(pair: FilePair, diff: DiffFile | undefined): Warning[] {
  const { path, after } = pair;
  // SECURITY(T38): warnings about files that are not what they look like come first.
  const warnings: Warning[] = disguisesOf(pair, diff).map((disguise) => ({ ...disguise, path, sort: "" }));
  const later = pushedLater(path);
  const install = runsOnInstall(pair);
  if (later !== null) warnings.push({ kind: later.kind, path, sort: later.name });
  else if (install !== null) warnings.push({ kind: "opened", path, sort: "install", note: install });
  if (path.toLowerCase().endsWith(".gitattributes")) warnings.push({ kind: "attributes", path, sort: "" });
  const size = after?.content.length ?? 0;
  if (size > limits.pushWarnBytes) warnings.push({ kind: "large", path, sort: "", note: `${size} bytes` });
  return warnings;
}

/** In the target, the file has another name, or is not what the session began with. `name` is the agent's. */
function meanwhile(
  { path, before }: FilePair,
  name: string,
  all: ReadonlyMap<string, FileBefore["before"]>,
  hashes: Hashes,
): Warning[] {
  const pulled = all.get(name) ?? null;
  const isMoved =
    pulled === null
      ? before !== null
      : before === null ||
        sideBytes(before) !== pulled.size ||
        contentHash(hashes, before.content) !== pulled.contentHash;
  const moved: Warning[] = isMoved ? [{ kind: "moved", path, sort: "" }] : [];
  return name === path
    ? moved
    : [...moved, { kind: "followed", path, sort: "", note: `in the commit: ${quoteName(name)}` }];
}

function noteText(note: string | undefined): string {
  return note === undefined ? "" : ` (${note})`;
}

function describeKind(kind: keyof typeof kinds, found: readonly Warning[], maxCharacters: number): string {
  const [one, several, most] = kinds[kind];
  const sorts = new Set<string>();
  const isFirst = found.map(({ sort }) => sorts.size < sorts.add(sort).size);
  const [first] = found;
  if (found.length === 1 && first !== undefined)
    return `${oddName(first.path) === null ? first.path : quoteName(first.path)}: ${one}${noteText(first.note)}`;
  const ordered = [...found.filter((_, index) => isFirst[index]), ...found.filter((_, index) => !isFirst[index])];
  const names: string[] = [];
  let length = 0;
  for (const { path, note } of ordered.slice(0, most)) {
    const name = `${quoteName(path)}${noteText(note)}`;
    length += name.length;
    if (names.length > 0 && length > maxCharacters) break;
    names.push(name);
  }
  const rest = found.length - names.length;
  return `${found.length} files ${several}: ${names.join(", ")}${rest === 0 ? "" : ` and ${rest} more`}`;
}
