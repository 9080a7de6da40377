// Downloads a project, installs what its tests need, and keeps the result in the cache, so that the next run is quick.
// Sources are those that npm and apt are configured with; apt's own settings and lists are left alone.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isProgram } from "../../src/process/find-on-path.ts";
import { lastingEntries } from "../../src/process/person-path.ts";
import { mustRun } from "./outside.ts";
import type { Project, Source } from "./project.ts";

const cache = join(import.meta.dirname, "../../node_modules/.cache/sallyport/projects");
const release = "bookworm";
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** The directory in the cache. Nothing may be changed in it. */
export function fetchProject(project: Project): string {
  installPrograms(project);
  const digest = createHash("sha256").update(JSON.stringify(project)).digest("hex").slice(0, 12);
  const kept = join(cache, `${project.name}-${digest}`);
  if (existsSync(kept)) return kept;
  const work = join(cache, `${project.name}.part`);
  rmSync(work, { recursive: true, force: true });
  const tree = join(work, "tree");
  mkdirSync(tree, { recursive: true });
  unpack(project.source, work, tree);
  writeAll(tree, { ...project.files, ".gitignore": `${project.ignore.join("\n")}\n` });
  if (project.install !== undefined) installPackages(tree, project.install);
  for (const command of project.build ?? []) mustRun(command, tree);
  renameSync(tree, kept);
  rmSync(work, { recursive: true });
  return kept;
}

function installPrograms({ programs = {} }: Project): void {
  const isThere = (name: string): boolean =>
    name.startsWith("/")
      ? existsSync(name)
      : lastingEntries(process.env["PATH"]).some((directory) => isProgram(join(directory, name)));
  const missing = Object.entries(programs).flatMap(([name, pack]) => (isThere(name) ? [] : [pack]));
  if (missing.length === 0) return;
  const install = `apt-get install -q -y --no-install-recommends ${missing.join(" ")}`;
  assert.equal(process.getuid?.(), 0, `Some programs are missing. Install them with: sudo ${install}`);
  mustRun(`apt-get update -q; ${install}`, "/");
}

function unpack(source: Source, work: string, tree: string): void {
  if (source.kind === "npm") {
    for (const [directory, name] of Object.entries(source.packages)) {
      const archive = mustRun(`npm pack --silent ${name} 2>/dev/null`, work).trim();
      mkdirSync(join(tree, directory), { recursive: true });
      mustRun(`tar -xzf ${archive} --strip-components=1 -C ${join(tree, directory)}`, work);
    }
    return;
  }
  const apt = `apt-get -q ${aptOptions(work)}`;
  const name = `${source.name}=${source.version}`;
  if (source.kind === "debian-source") mustRun(`${apt} source ${name}`, work);
  else mustRun(`${apt} download ${name} && dpkg-deb -x ${source.name}_*.deb .`, work);
  const inside = source.kind === "debian-source" ? "*/debian/.." : source.directory;
  const [found] = globSync(inside, { cwd: work }).map((path) => join(work, path));
  assert.ok(found !== undefined, `${name} has no ${inside}`);
  rmSync(tree, { recursive: true });
  renameSync(found, tree);
}

/** A list of its own for apt, of one release, from the site that the machine's apt uses. */
function aptOptions(work: string): string {
  const lists = join(cache, "apt");
  const options = [
    `Dir::Etc::SourceList=${lists}/sources.list`,
    "Dir::Etc::SourceParts=/dev/null",
    `Dir::State::Lists=${lists}/lists`,
    `Dir::Cache=${lists}/cache`,
    "APT::Sandbox::User=root",
  ]
    .map((option) => `-o ${option}`)
    .join(" ");
  if (!existsSync(join(lists, "ready"))) {
    const [site] = mustRun("apt-get indextargets --format '$(SITE)' 'Created-By: Packages'", work).split("\n");
    for (const name of ["lists/partial", "cache/archives/partial"]) mkdirSync(join(lists, name), { recursive: true });
    const lines = ["deb", "deb-src"].map((kind) => `${kind} [signed-by=${keyring}] ${site} ${release} main\n`);
    writeFileSync(join(lists, "sources.list"), lines.join(""));
    mustRun(`apt-get -q ${options} update`, work);
    writeFileSync(join(lists, "ready"), "");
  }
  return options;
}

function installPackages(tree: string, packages: readonly string[]): void {
  const file = join(tree, "package.json");
  const { devDependencies: _, ...rest } = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, `${JSON.stringify(rest, null, 2)}\n`);
  mustRun(`npm install --ignore-scripts --no-audit --no-fund --save-dev ${packages.join(" ")}`, tree);
}

function writeAll(tree: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    writeFileSync(join(tree, name), text);
  }
}
