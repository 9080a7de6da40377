// What a person should not miss about a push: one line for each kind of thing, the gravest first.
// Invariant: how many files there are of one kind never hides another kind; and of one kind, never another sort of it.

import { type FilePair, sideBytes } from "../git/publish/diff.ts";
import { contentHash, type StagedCommit } from "../git/staged.ts";
import { pushedLater } from "../policy/pushed-later.ts";
import { quoteArgument } from "../shared/display.ts";
import { limits } from "../shared/limits.ts";

interface Warning {
  readonly kind: keyof typeof kinds;
  readonly path: string;
  /** Of each sort one comes before all others. */
  readonly sort: string;
  readonly note?: string;
}

// In the order of their gravity: what one file does, what several do, and how many of them are named.
const kinds = {
  opened: ["others execute it later", "that others execute later", 40],
  built: ["it runs on a build machine", "that run on a build machine", 40],
  attributes: ["it changes how other files are stored", "that change how other files are stored", 20],
  moved: ["in the target it is not what was pulled", "that are not in the target what was pulled", 10],
  large: ["it is large", "that are large", 10],
} as const satisfies Readonly<Record<string, readonly [one: string, several: string, named: number]>>;

const NAMES_CHARACTERS = 1_500; // of one kind: a question has to stay short enough to be asked

export function pushWarnings(staged: StagedCommit, pairs: readonly FilePair[]): string[] {
  const pulled = new Map(staged.files.map((file) => [file.path, file.before]));
  const all = pairs.flatMap((pair) => warningsOf(pair, pulled.get(pair.path) ?? null));
  return (Object.keys(kinds) as (keyof typeof kinds)[]).flatMap((kind) => {
    const found = all.filter((warning) => warning.kind === kind);
    return found.length === 0 ? [] : [describeKind(kind, found)];
  });
}

function warningsOf(pair: FilePair, pulled: StagedCommit["files"][number]["before"]): Warning[] {
  const { path, before, after } = pair;
  const warnings: Warning[] = [];
  const later = pushedLater(path);
  if (later !== null) warnings.push({ kind: later.kind, path, sort: later.name });
  else if (changesInstall(pair)) warnings.push({ kind: "opened", path, sort: "install", note: "on npm install" });
  if (path.toLowerCase().endsWith(".gitattributes")) warnings.push({ kind: "attributes", path, sort: "" });
  const isMoved =
    pulled === null
      ? before !== null
      : before === null || sideBytes(before) !== pulled.size || contentHash(before.content) !== pulled.contentHash;
  if (isMoved) warnings.push({ kind: "moved", path, sort: "" });
  const size = after?.content.length ?? 0;
  if (size > limits.pushWarnBytes) warnings.push({ kind: "large", path, sort: "", note: `${size} bytes` });
  return warnings;
}

function describeKind(kind: keyof typeof kinds, found: readonly Warning[]): string {
  const [one, several, most] = kinds[kind];
  const sorts = new Set<string>();
  const isFirst = found.map(({ sort }) => sorts.size < sorts.add(sort).size);
  const [first] = found;
  if (found.length === 1 && first !== undefined)
    return `${first.path}: ${one}${first.note === undefined ? "" : ` (${first.note})`}`;
  const ordered = [...found.filter((_, index) => isFirst[index]), ...found.filter((_, index) => !isFirst[index])];
  const names: string[] = [];
  let length = 0;
  for (const { path, note } of ordered.slice(0, most)) {
    const name = `${quoteArgument(path)}${note === undefined ? "" : ` (${note})`}`;
    length += name.length;
    if (names.length > 0 && length > NAMES_CHARACTERS) break;
    names.push(name);
  }
  const rest = found.length - names.length;
  return `${found.length} files ${several}: ${names.join(", ")}${rest === 0 ? "" : ` and ${rest} more`}`;
}

const INSTALL_BYTES = 1 << 20;
const installScripts = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "prepublish"];

/** A package's scripts that run for whoever installs it, without being named. */
function changesInstall({ path, before, after }: FilePair): boolean {
  if (after === null || !/(?:^|\/)package\.json$/i.test(path)) return false;
  const now = scriptsOf(after.content);
  const was = before === null ? {} : scriptsOf(before.content);
  return installScripts.some((name) => now[name] !== undefined && now[name] !== was[name]);
}

function scriptsOf(content: Uint8Array): Readonly<Record<string, unknown>> {
  if (content.length > INSTALL_BYTES) return {};
  try {
    const { scripts } = JSON.parse(new TextDecoder().decode(content)) as { scripts?: Record<string, unknown> };
    return typeof scripts === "object" && scripts !== null ? scripts : {};
  } catch {
    return {}; // no package.json that npm reads
  }
}
