// The world of a git case: as any world, but its repository has a life behind it, with everything that the ordinary
// cases ask for by name.

import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { git, writeFiles } from "../fixtures/git.ts";
import { base, makeWorld, type World, writeScript } from "./world.ts";

/** A commit whose id begins with e1df4e5, as a case asks: the number in its message was searched for. */
const knownCommit =
  "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n" +
  "author Ada <ada@example.org> 1700000000 +0000\ncommitter Ada <ada@example.org> 1700000000 +0000\n\n" +
  "an id that is known 0024232324\n";

export const people = {
  first: "A B <ab@example.org>",
  jane: "Jane Doe <jane@example.org>",
  brien: "Pat O'Brien <pat@example.org>",
  mueller: "Jürgen Müller <jm@example.org>",
} as const;

let template: string | undefined;

export function makeGitWorld(name: string): World {
  template ??= makeTemplate();
  return makeWorld(name, template);
}

export function copyRepository(from: string, to: string): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}

/** The corpus's h.sh: touches the marker, then does what the case says. */
export function writeHelper(world: World, afterwards = "true"): string {
  const path = `${world.out}/h.sh`;
  writeScript(path, `touch ${world.marker}\n${afterwards}`);
  return path;
}

export function configure(directory: string, settings: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(settings)) git(directory, ["config", key, value]);
}

export function commitAs(directory: string, who: string, message: string, files: Record<string, string> = {}): void {
  writeFiles(directory, files);
  git(directory, ["add", "--all"]);
  const [, name = "", email = ""] = /^(.*) <(.*)>$/.exec(who) ?? [];
  git(directory, ["commit", "-q", "--allow-empty", "-m", message], {
    env: { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email },
  });
}

/** HEAD becomes a merge of two sides that changed the same line of a.txt. */
export function makeMergeHead(repo: string): void {
  const base = git(repo, ["rev-parse", "HEAD"]).trim();
  const sides = ["left", "right"].map((side) => {
    git(repo, ["checkout", "-q", "-f", "--detach", base]);
    commitAs(repo, people.first, `the ${side} side`, { "a.txt": `${side}\ntwo\nthree\nfour\n` });
    return git(repo, ["rev-parse", "HEAD"]).trim();
  });
  const [left = "", right = ""] = sides;
  const merge = git(repo, ["commit-tree", "HEAD^{tree}", "-p", left, "-p", right, "-m", "a merge"]).trim();
  git(repo, ["checkout", "-q", "-f", "main"]);
  git(repo, ["reset", "-q", "--hard", merge]);
}

/** HEAD gets a signature that nobody made. */
export function signHead(repo: string): void {
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n aGVsbG8=\n -----END PGP SIGNATURE-----\n";
  const signed = git(repo, ["cat-file", "commit", "HEAD"]).replace(/^(committer .*\n)/m, `$1${signature}`);
  const id = git(repo, ["hash-object", "-t", "commit", "-w", "--stdin"], { input: signed }).trim();
  git(repo, ["update-ref", "HEAD", id]);
}

function makeTemplate(): string {
  const repo = `${mkdtempSync(`${base}/git-template-`)}/repo`;
  mkdirSync(repo);
  git(repo, ["init", "-q", "--template=", "-b", "main"]);
  mkdirSync(`${repo}/.git/info`);
  mkdirSync(`${repo}/.git/hooks`);
  commitAs(repo, people.first, "the first commit", {
    "a.txt": "one\ntwo\nthree\nfour\n",
    "README.md": "# a repository\n",
    "src/foo.ts": "export const foo = 1;\n",
    "removed.txt": "soon gone\n",
    "my dir/file name.txt": "spaces\n",
    "sp ace/日本/f ü.txt": "unicode\n",
    "app/[...slug]/page.tsx": "export default 1;\n",
    "app/s/page.tsx": "what the brackets would match as a pattern\n",
    "weird*name.txt": "a star\n",
    "a&b;c $(d).txt": "metacharacters\n",
  });
  rmSync(`${repo}/removed.txt`);
  commitAs(repo, people.jane, "foo is two", { "src/foo.ts": "export const foo = 2;\n" });
  git(repo, ["tag", "-a", "v1.0", "-m", "the first release"]);
  git(repo, ["checkout", "-q", "-b", "feature/x-1"]);
  commitAs(repo, people.mueller, "a feature", { "feature.txt": "x\n" });
  git(repo, ["checkout", "-q", "main"]);
  commitAs(repo, people.brien, "weird no more", { "weirdXname.txt": "what the star would match as a pattern\n" });
  commitAs(repo, people.mueller, "foo is three", { "src/foo.ts": "export const foo = 3;\n" });
  commitAs(repo, people.first, "the last commit", { "a.txt": "one\n2\nthree\nfour\n" });
  for (const name of ["fix/c++#42", "dependabot/npm_and_yarn/lodash-4.17.21", "user@feature"])
    git(repo, ["branch", name, "HEAD~1"]);
  git(repo, ["update-ref", "refs/remotes/origin/main", "HEAD~1"]);
  configure(repo, {
    "remote.origin.url": "https://example.invalid/x.git",
    "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
    "branch.main.remote": "origin",
    "branch.main.merge": "refs/heads/main",
  });
  git(repo, ["repack", "-q", "-a", "-d"]); // few files: it is copied often
  git(repo, ["hash-object", "-t", "commit", "-w", "--stdin"], { input: knownCommit });
  writeFiles(repo, { "README.md": "# changed since the commit\n", "untracked.txt": "new\n" });
  return repo;
}
