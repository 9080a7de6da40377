// The configuration that is in force in place of a repository's own: only keys that change how something is
// compared, named or printed, and that cannot name a program, a file or a host.
// Invariant: an allowlist. What is not here does not reach git, whatever git makes of it one day.

import { type ConfigEntry, parseConfigFile, writeConfigEntry } from "./config-file.ts";
import { dateFormat, prettyFormat, sortKey } from "./read/values.ts";

type Accepts = (value: string | null) => boolean;

const word: Accepts = (value) => value === null || /^[A-Za-z0-9_.,:%+-]{0,200}$/.test(value);
// Regular expressions.
const pattern: Accepts = (value) => value !== null && value.length <= 4_000;
// Not an option, not a place: a remote may also be written as a URL or a path.
const remoteName: Accepts = (value) =>
  value !== null && /^[^\s:~/-][^\s:]{0,199}$/.test(value) && !/(^|\/)\.\.(\/|$)/.test(value);
const refName: Accepts = (value) => value !== null && /^[^\s:-][^\s:]{0,999}$/.test(value);
const refspec: Accepts = (value) => value !== null && /^[+^]?[^\s:-][^\s:]{0,999}(:[^\s:-][^\s:]{0,999})?$/.test(value);

// `section.key`; `section.*.key` where the section has subsections.
const inertKeys: ReadonlyMap<string, Accepts> = new Map<string, Accepts>([
  ...each(
    word,
    `core.filemode core.symlinks core.ignorecase core.precomposeunicode core.autocrlf core.eol core.safecrlf core.quotepath
    core.bare core.abbrev core.trustctime core.checkstat core.sparsecheckout core.sparsecheckoutcone core.whitespace core.bigfilethreshold
    core.protecthfs core.protectntfs core.commitgraph core.multipackindex core.untrackedcache
    extensions.objectformat extensions.refstorage`,
  ),
  ...each(
    word,
    `diff.renames diff.renamelimit diff.algorithm diff.mnemonicprefix diff.noprefix diff.context diff.interhunkcontext
    diff.indentheuristic diff.suppressblankempty diff.dirstat diff.statnamewidth diff.statgraphwidth diff.relative
    diff.*.binary diff.*.algorithm merge.renames`,
  ),
  ...each(pattern, "diff.wordregex diff.*.wordregex diff.*.xfuncname diff.*.funcname"),
  ...each(
    word,
    `log.decorate log.follow log.abbrevcommit log.showroot log.mailmap log.initialdecorationset
    status.showuntrackedfiles status.relativepaths status.renames status.renamelimit status.branch status.short status.aheadbehind
    blame.showemail blame.blankboundary blame.showroot blame.markunblamablelines blame.markignoredlines push.default`,
  ),
  ...each(remoteName, "branch.*.remote branch.*.pushremote remote.pushdefault"),
  ...each(refName, "branch.*.merge log.excludedecoration"),
  ...each(refspec, "remote.*.fetch remote.*.push"),
  ["log.date", (value) => value !== null && dateFormat(value) === null],
  ["blame.date", (value) => value !== null && dateFormat(value) === null],
  ["format.pretty", (value) => value !== null && prettyFormat(value) === null],
  ["branch.sort", (value) => value !== null && sortKey(value) === null],
]);

function each(accepts: Accepts, names: string): [string, Accepts][] {
  return names
    .trim()
    .split(/\s+/)
    .map((key) => [key, accepts]);
}

export function isInert({ section, subsection, key, value }: ConfigEntry): boolean {
  // SECURITY(T20): to git a name ends at a NUL: `[diff "x.textconv\0"] wordRegex = program` is diff.x.textconv.
  if (subsection !== null && (subsection.length > 1_000 || /\p{Cc}/u.test(subsection))) return false;
  if (value?.includes("\0") === true) return false;
  return inertKeys.get(subsection === null ? `${section}.${key}` : `${section}.*.${key}`)?.(value) ?? false;
}

// How git writes its own files: who may read them, in which form they are, whether moves are logged.
const writingKeys: ReadonlyMap<string, Accepts> = new Map(
  each(
    word,
    `core.sharedrepository core.logallrefupdates core.compression core.loosecompression core.fsync core.fsyncmethod
    core.fsyncobjectfiles core.splitindex splitindex.maxpercentchange splitindex.sharedindexexpire index.version index.sparse
    index.threads index.skiphash feature.manyfiles pack.indexversion pack.compression pack.threads pack.writereverseindex`,
  ),
);

/** The same for a git that writes. */
export function landingConfig(text: string): string {
  return inertConfig(text, (entry) => {
    const { section, subsection, key, value } = entry;
    return isInert(entry) || (subsection === null && writingKeys.get(`${section}.${key}`)?.(value) === true);
  });
}

/** A whole configuration file: what of `text` is inert, under a format version that fits it. */
export function inertConfig(text: string, isTaken = isInert): string {
  const entries = parseConfigFile(text).filter(isTaken);
  // Extensions are honoured from format version 1 on.
  const version = entries.some(({ section }) => section === "extensions") ? "1" : "0";
  return [{ section: "core", subsection: null, key: "repositoryformatversion", value: version }, ...entries]
    .map(writeConfigEntry)
    .join("");
}
