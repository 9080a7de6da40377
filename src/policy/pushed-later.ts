// What runs on other machines once it has landed in a repository: more than is guarded on this one, because nobody there
// sees a question any more. Names count in any case, and as Windows and macOS read them.

import { ExecutedLookup, foldName } from "./executed-later.ts";
import { executedNames, type ExecutedName } from "./executed-names.ts";

export type PushedKind = ExecutedName["when"];

export interface PushedLater {
  readonly kind: PushedKind;
  /** The name that says so, like `.husky`: files under the same one are of one sort. */
  readonly name: string;
}

// What a build machine reads under names that vary.
const builtFiles =
  /^(?:[^/]*\.gitlab-ci\.ya?ml|azure-pipelines[^/]*\.ya?ml|jenkinsfile(?:\.(?!md$|txt$|html$)[\w-]+)?|[^/]+\.jenkinsfile|\.travis\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.(?:ya?ml|jsonnet|star)|\.woodpecker\.ya?ml|\.?appveyor\.ya?ml|\.cirrus\.(?:ya?ml|star)|cloudbuild\.ya?ml|buildspec\.ya?ml|\.build\.ya?ml)$/;

const pushed = new ExecutedLookup(executedNames);

/** `path` is relative to the repository's root; null: it only runs where somebody runs it. */
export function pushedLater(path: string): PushedLater | null {
  const written = path.split("/");
  const names = written.map(foldName);
  const file = names.at(-1) as string;
  for (const index of names.keys()) {
    const row = pushed.at(names, index);
    // A directory under a file's name does not count; a link under a directory's name stands for the directory.
    if (row === null || (row.kind === "file" && index < names.length - 1)) continue;
    // `docs/agents.md` is a page about agents; a name in capitals counts in any case only at the top.
    if (index > 0 && row.name !== row.name.toLowerCase() && written[index] !== row.name) continue;
    return { kind: row.when, name: row.name.startsWith("*") ? file : row.name };
  }
  return builtFiles.test(file) ? { kind: "built", name: file } : null;
}
