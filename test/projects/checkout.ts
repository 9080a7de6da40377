// A project as a person has it: a repository with one commit, an uncommitted line, a file that git does not track, and the
// dependencies, which it ignores.

import { appendFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commit, git, pictureOf } from "../fixtures/git.ts";
import { fetchProject } from "./fetch-project.ts";
import { mustRun } from "./outside.ts";
import type { Project } from "./project.ts";

export interface Checkout {
  readonly base: string;
  readonly directory: string;
  remove(): void;
}

export function makeCheckout(project: Project): Checkout {
  const kept = fetchProject(project);
  const base = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-project-")));
  const directory = join(base, project.name);
  mustRun(`cp -a '${kept}' '${directory}'`, base);
  for (const command of project.setUp ?? []) mustRun(command, directory);
  git(directory, ["init", "-q", "-b", "main"]);
  git(directory, ["config", "user.name", "Grace Example"]);
  git(directory, ["config", "user.email", "grace@example.org"]);
  commit(directory, "The project as it is published");
  appendFileSync(join(directory, project.readme), "\nAn uncommitted line of the person.\n");
  writeFileSync(join(directory, "notes of the person.txt"), "not yet added\n");
  return { base, directory, remove: () => rmSync(base, { recursive: true, force: true }) };
}

/** The path of each file of the project with its state. */
export function stateOf(directory: string): Map<string, string> {
  return new Map(
    pictureOf(directory).map((line) => {
      const [, path = "", state = ""] = /^(.*?) (\d+ \d+ \d+ .*)$/s.exec(line.slice(directory.length)) ?? [];
      return [path, state];
    }),
  );
}

const isObject = /^\/\.git\/objects\/(?:[0-9a-f]{2}\/[0-9a-f]{38}|pack\/pack-[0-9a-f]+\.\w+)$/;
const isObjectDirectory = /^\/\.git\/objects(?:\/[0-9a-f]{2}|\/pack)?$/;

/** What is different between two states, except that `branch` is new and objects were added. */
export function differences(before: Map<string, string>, after: Map<string, string>, branch: string): string[] {
  const ofBranch = [`refs/heads/${branch}`, `logs/refs/heads/${branch}`].flatMap(withParents);
  const isNew = (path: string): boolean =>
    isObject.test(path) || isObjectDirectory.test(path) || ofBranch.includes(path);
  // A directory in which something was made has another time.
  const isParent = (path: string): boolean =>
    after.get(path)?.startsWith("4") === true &&
    (path === "/.git" || isObjectDirectory.test(path) || ofBranch.includes(path));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const [then, now] = [before.get(path), after.get(path)];
    if (then === now || (then === undefined && isNew(path)) || isParent(path)) return [];
    return [`${path}: ${then ?? "absent"} -> ${now ?? "absent"}`];
  });
}

function withParents(path: string): string[] {
  const names = path.split("/");
  return names.map((_, index) => `/.git/${names.slice(0, index + 1).join("/")}`);
}
