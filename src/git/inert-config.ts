// Makes the configuration that git uses in place of a repository's own. It has only keys that change how something is
// compared, named or printed, and that cannot name a program, a file or a host.
// Invariant: this is an allowlist. A key that is not listed does not reach git, whatever a later version of git does with it.

import { type ConfigEntry, parseConfigFile, writeConfigEntry } from "./config-file.ts";
import { dateFormat, prettyFormat, sortKey } from "./read/values.ts";

type Accepts = (value: string | null) => boolean;

const word: Accepts = (value) => value === null || /^[A-Za-z0-9_.,:%+-]{0,200}$/.test(value);
// For keys whose value is a regular expression.
const pattern: Accepts = (value) => value !== null && value.length <= 4_000;
// Refuses options, URLs and paths: git also accepts a URL or a path where a remote's name is expected.
const remoteName: Accepts = (value) =>
  value !== null && /^[^\s:~/-][^\s:]{0,199}$/.test(value) && !/(^|\/)\.\.(\/|$)/.test(value);
const refName: Accepts = (value) => value !== null && /^[^\s:-][^\s:]{0,999}$/.test(value);
const refspec: Accepts = (value) => value !== null && /^[+^]?[^\s:-][^\s:]{0,999}(:[^\s:-][^\s:]{0,999})?$/.test(value);

// `section.key`, or `section.*.key` if the section has subsections.
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
  // SECURITY(T20): for git a name ends at a NUL, so `[diff "x.textconv\0"] wordRegex = program` is diff.x.textconv.
  if (subsection !== null && (subsection.length > 1_000 || /\p{Cc}/u.test(subsection))) return false;
  if (value?.includes("\0") === true) return false;
  return inertKeys.get(subsection === null ? `${section}.${key}` : `${section}.*.${key}`)?.(value) ?? false;
}

// Keys that set how git writes its own files: who may read them, their format, and whether git logs moves of a branch.
const writingKeys: ReadonlyMap<string, Accepts> = new Map(
  each(
    word,
    `core.sharedrepository core.logallrefupdates core.compression core.loosecompression core.fsync core.fsyncmethod
    core.fsyncobjectfiles core.splitindex splitindex.maxpercentchange splitindex.sharedindexexpire index.version index.sparse
    index.threads index.skiphash feature.manyfiles pack.indexversion pack.compression pack.threads pack.writereverseindex`,
  ),
);

/** The configuration for a git that writes: inert keys and `writingKeys`. */
export function landingConfig(text: string): string {
  return inertConfig(text, (entry) => {
    const { section, subsection, key, value } = entry;
    return isInert(entry) || (subsection === null && writingKeys.get(`${section}.${key}`)?.(value) === true);
  });
}

/** A complete configuration file: the inert entries of `text`, with a matching format version. */
export function inertConfig(text: string, isTaken = isInert): string {
  const entries = parseConfigFile(text).filter(isTaken);
  // Git honours extensions from format version 1 on.
  const version = entries.some(({ section }) => section === "extensions") ? "1" : "0";
  return [{ section: "core", subsection: null, key: "repositoryformatversion", value: version }, ...entries]
    .map(writeConfigEntry)
    .join("");
}
