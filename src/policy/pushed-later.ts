// Names of files that other machines execute once they are in a repository. The list is longer than the one for this machine,
// because no question is asked there. Names match without case, and as Windows and macOS read them.

import { ExecutedLookup, foldName } from "./executed-later.ts";
import { executedNames, type ExecutedName } from "./executed-names.ts";

export type PushedKind = ExecutedName["when"];

export interface PushedLater {
  readonly kind: PushedKind;
  /** The name that matched, such as `.husky`. Warnings group files by it. */
  readonly name: string;
}

// Build services' files whose names vary.
const builtFiles =
  /^(?:[^/]*\.gitlab-ci\.ya?ml|azure-pipelines[^/]*\.ya?ml|jenkinsfile(?:\.(?!md$|txt$|html$)[\w-]+)?|[^/]+\.jenkinsfile|\.travis\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.(?:ya?ml|jsonnet|star)|\.woodpecker\.ya?ml|\.?appveyor\.ya?ml|\.cirrus\.(?:ya?ml|star)|cloudbuild\.ya?ml|buildspec\.ya?ml|\.build\.ya?ml)$/;

const pushed = new ExecutedLookup(executedNames);

/** `path` is relative to the repository's root. null if nothing executes it without being told to. */
export function pushedLater(path: string): PushedLater | null {
  const written = path.split("/");
  const names = written.map(foldName);
  const file = names.at(-1) as string;
  for (const index of names.keys()) {
    const row = pushed.at(names, index);
    // A directory with a file's name does not count. A link with a directory's name counts as the directory.
    if (row === null || (row.kind === "file" && index < names.length - 1)) continue;
    // `docs/agents.md` is a page about agents, so names in capitals match without case only at the root.
    if (index > 0 && row.name !== row.name.toLowerCase() && written[index] !== row.name) continue;
    return { kind: row.when, name: row.name.startsWith("*") ? file : row.name };
  }
  return builtFiles.test(file) ? { kind: "built", name: file } : null;
}
