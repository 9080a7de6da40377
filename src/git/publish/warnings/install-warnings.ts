// Detects changes to files whose content a package manager runs during an install without naming it.
// Files that are recognised by name alone (settings, hooks, build machines) are in the policy's list. Here the content decides.

import type { FilePair, FileSide } from "../diff.ts";
import { entryKind } from "../tree-entry.ts";
import { foldName } from "../../../policy/executed-later.ts";

// The scripts that `npm install` and `npm ci` run in a project, and in a package that comes from a repository.
const npmScripts = [
  "preinstall",
  "install",
  "postinstall",
  "prepublish",
  "preprepare",
  "prepare",
  "postprepare",
  "predependencies",
  "dependencies",
  "postdependencies",
  "prepack",
  "pnpm:devPreinstall",
];

/** Files that the package manager runs or reads as a whole, by name. */
const whole: Readonly<Record<string, string>> = {
  "binding.gyp": "npm install builds it",
  "package.json5": "pnpm reads its scripts",
  "package.yaml": "pnpm reads its scripts",
  "setup.py": "pip install runs it",
  "build.rs": "cargo build runs it",
  "extconf.rb": "gem install runs it",
  gemfile: "bundle install runs it",
  "gems.rb": "bundle install runs it",
  podfile: "pod install runs it",
  "conanfile.py": "conan install runs it",
  "mix.exs": "mix runs it",
  "build.gradle": "gradle, and editors that open it, run it",
  "build.gradle.kts": "gradle, and editors that open it, run it",
  "settings.gradle": "gradle, and editors that open it, run it",
  "settings.gradle.kts": "gradle, and editors that open it, run it",
  "sitecustomize.py": "python runs it at its start",
  "usercustomize.py": "python runs it at its start",
};

// Most names match none of them, and this test is quicker than folding each name.
const mayRun = /\.(?:gyp|json5?|ya?ml|py|rs|rb|exs|gradle|kts|toml|gemspec)\b|^(?:gem|pod)file|[^ -~]/i;

/** A short text that says what runs the file; null if nothing known does. */
export function runsOnInstall({ path, before, after }: FilePair): string | null {
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (after === null || !mayRun.test(last)) return null;
  const name = foldName(last);
  const said = whole[name] ?? (name.endsWith(".gemspec") ? "bundle install runs it" : null);
  if (said !== null) return said;
  const parts = partsOf[name];
  if (parts === undefined) return null;
  // SECURITY(T38): a package manager follows a link, and the file that the link leads to has another name.
  if (entryKind(after.mode) === "symlink") return `${parts.runs}, what this link leads to`;
  const [now, was] = [parts.read(after), before === null ? {} : parts.read(before)];
  const isChanged = Object.keys(now).some((key) => now[key] !== undefined && now[key] !== was[key]);
  return isChanged ? parts.runs : null;
}

/** The parts of the file that are run, each as text. The whole file is read, however long it is, because npm does the same. */
type Read = (side: FileSide) => Readonly<Record<string, string | undefined>>;

const partsOf: Readonly<Record<string, { readonly runs: string; readonly read: Read }>> = {
  "package.json": { runs: "on npm install", read: (side) => scriptsOf(side, (name) => npmScripts.includes(name)) },
  "composer.json": {
    runs: "on composer install",
    read: (side) => scriptsOf(side, (name) => /^(?:pre|post)-|^(?:init|command)$/.test(name)),
  },
  "pyproject.toml": { runs: "on pip install", read: (side) => sectionOf(side, "build-system") },
  "cargo.toml": { runs: "on cargo build", read: (side) => ({ build: buildKey(side) }) },
};

function textOf({ content }: FileSide): string {
  return new TextDecoder().decode(content);
}

function scriptsOf(side: FileSide, isRun: (name: string) => boolean): Readonly<Record<string, string>> {
  try {
    const { scripts } = JSON.parse(textOf(side)) as { scripts?: unknown };
    if (typeof scripts !== "object" || scripts === null) return {};
    const entries = Object.entries(scripts).filter(([name]) => isRun(name));
    return Object.fromEntries(entries.map(([name, script]) => [name, JSON.stringify(script)]));
  } catch {
    return {}; // a package manager cannot read it either
  }
}

/** The text of one TOML section, up to the next section. */
function sectionOf(side: FileSide, name: string): Readonly<Record<string, string>> {
  const [, body] =
    new RegExp(`^[ \\t]*\\[[ \\t]*"?${name}"?[ \\t]*\\]([^]*?)(?=^[ \\t]*\\[|(?![^]))`, "m").exec(textOf(side)) ?? [];
  return body === undefined ? {} : { [name]: body.trim() };
}

function buildKey(side: FileSide): string | undefined {
  return /^[ \t]*build[ \t]*=[ \t]*(.+)$/m.exec(textOf(side))?.[1]?.trim();
}
