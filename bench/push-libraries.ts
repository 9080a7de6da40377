// The libraries that others push with, in a working tree: the files written, added and committed.

import { mkdirSync, writeFileSync } from "node:fs";
import * as fs from "node:fs";
import { dirname } from "node:path";
import { install, installedAt } from "./installed.ts";
import type { Candidate } from "./measure.ts";

/** What of them is used here. */
interface SimpleGit {
  add(paths: string): Promise<unknown>;
  commit(message: string): Promise<unknown>;
}
interface IsomorphicGit {
  add(options: object): Promise<unknown>;
  commit(options: object): Promise<unknown>;
}

export interface LibraryFiles {
  readonly paths: readonly string[];
  readonly contentOf: (index: number) => string;
}

const author = { name: "Ada", email: "ada@example.org" };

function writeAll(repository: string, { paths, contentOf }: LibraryFiles): void {
  for (const [index, path] of paths.entries()) {
    mkdirSync(dirname(`${repository}/${path}`), { recursive: true });
    writeFileSync(`${repository}/${path}`, contentOf(index));
  }
}

/** A text: why it cannot be compared with. */
export async function simpleGit(repository: string, files: () => LibraryFiles): Promise<Candidate | string> {
  const problem = install("simple-git");
  if (problem !== null) return `simple-git could not be installed: ${problem}`;
  const library = (await import(`${installedAt("simple-git")}/dist/index.mjs`)) as {
    simpleGit(options: object): SimpleGit;
  };
  const config = [`user.name=${author.name}`, `user.email=${author.email}`];
  const git = library.simpleGit({ baseDir: repository, config });
  return {
    name: "simple-git",
    async run() {
      writeAll(repository, files());
      await git.add("pushed");
      await git.commit("by simple-git");
    },
  };
}

/** As its documents do it: each file added, then the commit. */
export async function isomorphicGit(repository: string, files: () => LibraryFiles): Promise<Candidate | string> {
  const problem = install("isomorphic-git");
  if (problem !== null) return `isomorphic-git could not be installed: ${problem}`;
  const { default: git } = (await import(`${installedAt("isomorphic-git")}/index.cjs`)) as { default: IsomorphicGit };
  return {
    name: "isomorphic-git",
    async run() {
      const now = files();
      writeAll(repository, now);
      const cache = {};
      await git.add({ fs, dir: repository, filepath: now.paths, cache });
      await git.commit({ fs, dir: repository, message: "by isomorphic-git", author, cache });
    },
  };
}
