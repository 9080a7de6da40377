// Files whose content a package manager runs for whoever installs, without that being named: what of a change does so.
// Names alone that say so (settings, hooks, build machines) are in the policy's list; here it is the content that counts.

import type { FilePair, FileSide } from "../diff.ts";
import { entryKind } from "../tree-entry.ts";
import { foldName } from "../../../policy/executed-later.ts";

// What `npm install` and `npm ci` run in a project, and what they run in a package that comes from a repository.
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

/** Each file of these names is a program that the manager starts. */
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

// Most names are none of them: this is quicker than to fold each.
const mayRun = /\.(?:gyp|json5?|ya?ml|py|rs|rb|exs|gradle|kts|toml|gemspec)\b|^(?:gem|pod)file|[^ -~]/i;

/** What runs it, in a few words; null: nothing that is known. */
export function runsOnInstall({ path, before, after }: FilePair): string | null {
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (after === null || !mayRun.test(last)) return null;
  const name = foldName(last);
  const said = whole[name] ?? (name.endsWith(".gemspec") ? "bundle install runs it" : null);
  if (said !== null) return said;
  const parts = partsOf[name];
  if (parts === undefined) return null;
  // SECURITY(T38): a manager follows a link, and what it leads to has another name.
  if (entryKind(after.mode) === "symlink") return `${parts.runs}, what this link leads to`;
  const [now, was] = [parts.read(after), before === null ? {} : parts.read(before)];
  const isChanged = Object.keys(now).some((key) => now[key] !== undefined && now[key] !== was[key]);
  return isChanged ? parts.runs : null;
}

/** Which parts of it are run, each as text. However long the file is: npm reads all of it, too. */
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
    return {}; // no manager reads it
  }
}

/** A section of TOML, up to the next. */
function sectionOf(side: FileSide, name: string): Readonly<Record<string, string>> {
  const [, body] =
    new RegExp(`^[ \\t]*\\[[ \\t]*"?${name}"?[ \\t]*\\]([^]*?)(?=^[ \\t]*\\[|(?![^]))`, "m").exec(textOf(side)) ?? [];
  return body === undefined ? {} : { [name]: body.trim() };
}

function buildKey(side: FileSide): string | undefined {
  return /^[ \t]*build[ \t]*=[ \t]*(.+)$/m.exec(textOf(side))?.[1]?.trim();
}
