// What runs on other machines once it has landed in a repository: more than is guarded on this one, because nobody there
// sees a question any more. Names count in any case, and as Windows and macOS read them.

import { executedLater, foldName } from "./executed-later.ts";

/** `opened`: when a person opens, enters, installs or commits there. `built`: on a build machine, by itself. */
export type PushedKind = "opened" | "built";

export interface PushedLater {
  readonly kind: PushedKind;
  /** The name that says so, like `.husky`: files under the same one are of one sort. */
  readonly name: string;
}

const openedDirectories = [".githooks", ".lefthook", ".zed", ".fleet", ".vs", ".cargo", ".yarn"];
const openedFiles = [
  ".pre-commit-config.yaml",
  ".pre-commit-config.yml",
  "lefthook.yml",
  "lefthook.yaml",
  ".lefthook.yml",
  ".lefthook.yaml",
  ".huskyrc",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  ".pnp.cjs",
  ".devcontainer.json",
  ".mise.toml",
  "mise.toml",
  ".exrc",
  ".nvimrc",
  ".nvim.lua",
  ".dir-locals.el",
];
const openedEnds = [".code-workspace"];

// What each maker reads: whole directories, or two names in a row, or one file.
const builtDirectories = [
  ".circleci",
  ".buildkite",
  ".woodpecker",
  ".azure-pipelines",
  ".pipelines",
  ".teamcity",
  ".semaphore",
];
const builtPairs = [".github/workflows", ".github/actions", ".gitea/workflows", ".forgejo/workflows", ".gitlab/ci"];
const builtFiles =
  /^(?:[^/]*\.gitlab-ci\.ya?ml|azure-pipelines[^/]*\.ya?ml|jenkinsfile(?:\.(?!md$|txt$|html$)[\w-]+)?|[^/]+\.jenkinsfile|\.travis\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.(?:ya?ml|jsonnet|star)|\.woodpecker\.ya?ml|\.?appveyor\.ya?ml|\.cirrus\.(?:ya?ml|star)|cloudbuild\.ya?ml|buildspec\.ya?ml|\.build\.ya?ml)$/;

const opened = new Set([...executedLater.keys(), ...openedDirectories, ...openedFiles]);
const openedAsDirectory = new Set([
  ...openedDirectories,
  ...[...executedLater].filter(([, kind]) => kind === "directory").map(([name]) => name),
]);
const built = new Set(builtDirectories);

/** `path` is relative to the repository's root; null: it only runs where somebody runs it. */
export function pushedLater(path: string): PushedLater | null {
  const names = path.split("/").map(foldName);
  const file = names.at(-1) as string;
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    // A link under a directory's name stands for the directory.
    if (isLast ? opened.has(name) : openedAsDirectory.has(name)) return { kind: "opened", name };
    const pair = `${name}/${names[index + 1] ?? ""}`;
    if (built.has(name)) return { kind: "built", name };
    if (builtPairs.includes(pair)) return { kind: "built", name: pair };
  }
  if (openedEnds.some((end) => file.endsWith(end))) return { kind: "opened", name: file };
  return builtFiles.test(file) ? { kind: "built", name: file } : null;
}
