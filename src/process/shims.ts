// Version managers put a directory of shims on PATH: small programs that search for the real one when they are started, by settings in the
// person's home. They do not work in a box, which has another home. This file finds the directories of the real programs.

import { baseName, isWithin, joinPath, parentPath } from "../shared/path.ts";
import { isProgram } from "./find-on-path.ts";
import { namesIn } from "./names-in.ts";
import { readPlainFile } from "./plain-file.ts";
import { resolvePath } from "./real-path.ts";

export interface ShimContext {
  readonly environment: Readonly<Record<string, string>>;
  readonly home: string;
  /** A project may choose versions of its own. */
  readonly project: string | null;
}

const SETTING_BYTES = 65_536;
const MOST_VERSIONS = 200;

/** The directories of the real programs, in the order in which the shims would find them; empty if the directory has no shims. */
export function shimTargets(directory: string, context: ShimContext): string[] {
  const root = parentPath(directory);
  if (baseName(directory) === "shims") {
    return hasEntries(`${root}/installs`) ? ofInstalls(root, context) : ofVersions(root, context);
  }
  if (baseName(directory) !== "bin") return [];
  if (isProgram(`${directory}/rustup`)) return ofRustup(root, context);
  return hasEntries(`${root}/tools/image`) ? ofVolta(root) : [];
}

/** pyenv, rbenv, nodenv, goenv: `versions/V/bin`. */
function ofVersions(root: string, { environment, project }: ShimContext): string[] {
  const manager = baseName(root).replace(/^\./, "");
  const language: Readonly<Record<string, string>> = { pyenv: "python", rbenv: "ruby", nodenv: "node", goenv: "go" };
  const file = `.${language[manager] ?? manager}-version`;
  const chosen =
    environment[`${manager.toUpperCase()}_VERSION`]?.split(":") ??
    (project === null ? undefined : linesOf(joinPath(project, file))) ??
    linesOf(`${root}/version`);
  return existing(versionsIn(`${root}/versions`, chosen), "bin");
}

/** asdf and mise: `installs/TOOL/V/bin`, with the versions in `.tool-versions`. */
function ofInstalls(root: string, { home, project }: ShimContext): string[] {
  const files = [...(project === null ? [] : [project]), home].map((directory) =>
    joinPath(directory, ".tool-versions"),
  );
  const chosen = new Map<string, string[]>();
  for (const line of files.flatMap((path) => linesOf(path) ?? [])) {
    const [tool = "", ...versions] = line.split(/\s+/);
    if (!chosen.has(tool)) chosen.set(tool, versions);
  }
  const tools = firstNames(`${root}/installs`);
  return tools.flatMap((tool) => existing(versionsIn(`${root}/installs/${tool}`, chosen.get(tool)), "bin"));
}

function ofRustup(cargo: string, { environment, home }: ShimContext): string[] {
  const places = [environment["RUSTUP_HOME"], `${home}/.rustup`, `${parentPath(cargo)}/.rustup`];
  const root = places.find((path) => path !== undefined && hasEntries(`${path}/toolchains`));
  if (root === undefined) return [];
  const setting = /^default_toolchain\s*=\s*"([^"]+)"/m.exec(textOf(`${root}/settings.toml`) ?? "")?.[1];
  const chosen = environment["RUSTUP_TOOLCHAIN"] ?? setting;
  return existing(versionsIn(`${root}/toolchains`, chosen === undefined ? undefined : [chosen]), "bin");
}

/** `tools/image/TOOL/V/bin`, with the versions in `tools/user/platform.json`. */
function ofVolta(root: string): string[] {
  const settings = voltaVersions(textOf(`${root}/tools/user/platform.json`) ?? "");
  return firstNames(`${root}/tools/image`)
    .filter((tool) => tool !== "packages")
    .flatMap((tool) => {
      const chosen = settings.get(tool);
      return existing(versionsIn(`${root}/tools/image/${tool}`, chosen === undefined ? undefined : [chosen]), "bin");
    });
}

/** `{"node": {"runtime": "22.1.0", "npm": "10.2.0"}, "yarn": "1.22.0"}`; what cannot be read chooses nothing. */
function voltaVersions(text: string): ReadonlyMap<string, string> {
  const pairs = [...text.matchAll(/"([\w-]+)"\s*:\s*"([^"]+)"/g)];
  return new Map(pairs.map(([, name = "", version = ""]) => [name === "runtime" ? "node" : name, version]));
}

/** The chosen versions, also by the beginning of their name; otherwise the last one by name. */
function versionsIn(directory: string, chosen: readonly string[] | undefined): string[] {
  const versions = firstNames(directory).sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  const found = (chosen ?? []).flatMap(
    (wanted) => versions.find((name) => name === wanted) ?? versions.find((name) => isVersionOf(name, wanted)) ?? [],
  );
  const names = found.length > 0 ? found : chosen?.includes("system") === true ? [] : versions.slice(0, 1);
  return names.map((name) => joinPath(directory, name)).filter((path) => isWithin(path, directory));
}

/** `3.12` stands for `3.12.4`, and `stable` for `stable-x86_64-unknown-linux-gnu`. */
function isVersionOf(name: string, wanted: string): boolean {
  return wanted !== "" && (name.startsWith(`${wanted}.`) || name.startsWith(`${wanted}-`));
}

function existing(versions: readonly string[], directory: string): string[] {
  return versions.map((version) => joinPath(version, directory)).filter((path) => resolvePath(path).exists);
}

function hasEntries(directory: string): boolean {
  return firstNames(directory).length > 0;
}

function firstNames(directory: string): string[] {
  return namesIn(directory).slice(0, MOST_VERSIONS);
}

function linesOf(path: string): string[] | undefined {
  const lines = textOf(path)
    ?.split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  return lines === undefined || lines.length === 0 ? undefined : lines;
}

function textOf(path: string): string | undefined {
  const { real, exists } = resolvePath(path);
  return exists ? readPlainFile(real, SETTING_BYTES)?.toString("utf8") : undefined;
}
