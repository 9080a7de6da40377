// The configuration that is in force in place of a repository's own: only keys that change how something is
// compared, named or printed, and that cannot name a program, a file or a host.
// Invariant: an allowlist. What is not here does not reach git, whatever git makes of it one day.

import { type ConfigEntry, parseConfigFile, writeConfigEntry } from "./config-file.ts";
import { dateFormat, prettyFormat, sortKey } from "./read/values.ts";

type Accepts = (value: string | null) => boolean;

const word: Accepts = (value) => value === null || /^[A-Za-z0-9_.,:%+-]*$/.test(value);
const short: Accepts = (value) => value === null || (value.length <= 1_000 && !/[\0\n]/.test(value));
const name: Accepts = (value) => value !== null && /^[^\0\n]{1,1000}$/.test(value) && !value.startsWith("-");

// `section.key`; `section.*.key` where the section has subsections.
const inertKeys: ReadonlyMap<string, Accepts> = new Map<string, Accepts>([
  ...each(word, `core.filemode core.symlinks core.ignorecase core.precomposeunicode core.autocrlf core.eol core.safecrlf core.quotepath
    core.bare core.abbrev core.trustctime core.checkstat core.sparsecheckout core.sparsecheckoutcone core.whitespace core.bigfilethreshold
    core.protecthfs core.protectntfs core.preferSymlinkRefs core.commitgraph core.multipackindex core.untrackedcache
    extensions.objectformat extensions.refstorage extensions.noop`),
  ...each(word, `diff.renames diff.renamelimit diff.algorithm diff.mnemonicprefix diff.noprefix diff.context diff.interhunkcontext
    diff.indentheuristic diff.suppressblankempty diff.dirstat diff.statnamewidth diff.statgraphwidth diff.ignoresubmodules diff.relative
    diff.*.binary merge.renames`),
  ...each(short, "diff.wordregex diff.*.wordregex diff.*.xfuncname diff.*.funcname"),
  ...each(word, `log.decorate log.follow log.abbrevcommit log.showroot log.mailmap log.initialdecorationset
    status.showuntrackedfiles status.relativepaths status.renames status.renamelimit status.branch status.short status.aheadbehind
    blame.showemail blame.blankboundary blame.showroot submodule.*.ignore i18n.commitencoding i18n.logoutputencoding
    push.default core.usereplacerefs`),
  ...each(name, "branch.*.remote branch.*.merge branch.*.pushremote remote.*.fetch remote.pushdefault"),
  ["log.date", (value) => value !== null && dateFormat(value) === null],
  ["blame.date", (value) => value !== null && dateFormat(value) === null],
  ["format.pretty", (value) => value !== null && prettyFormat(value) === null],
  ["pretty.*", (value) => value !== null && prettyFormat(value) === null],
  ["branch.sort", (value) => value !== null && sortKey(value) === null],
]);

function each(accepts: Accepts, names: string): [string, Accepts][] {
  return names.trim().split(/\s+/).map((key) => [key.toLowerCase(), accepts]);
}

export function isInert({ section, subsection, key, value }: ConfigEntry): boolean {
  const accepts = inertKeys.get(subsection === null ? `${section}.${key}` : `${section}.*.${key}`) ?? (section === "pretty" ? inertKeys.get("pretty.*") : undefined);
  return accepts?.(value) ?? false;
}

/** A whole configuration file: what of `text` is inert, under a format version that fits it. */
export function inertConfig(text: string): string {
  const entries = parseConfigFile(text).filter(isInert);
  // Extensions are honoured from format version 1 on.
  const version = entries.some(({ section }) => section === "extensions") ? "1" : "0";
  return [{ section: "core", subsection: null, key: "repositoryformatversion", value: version }, ...entries].map(writeConfigEntry).join("");
}
