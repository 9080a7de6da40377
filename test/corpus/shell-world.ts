// The world of a shell case: a project with what its commands name, and a repository with a life behind it. Both may be
// written: nothing but the refusal, or the box around them, keeps the rest of the machine as it is.

import { mkdirSync, mkdtempSync, utimesSync } from "node:fs";
import { git, writeFiles } from "../fixtures/git.ts";
import { commitAs, configure, people } from "./git-world.ts";
import { base, makeWorld, type World, writeScript } from "./world.ts";

const lines = (count: number, line: (number: number) => string): string =>
  Array.from({ length: count }, (_, index) => `${line(index + 1)}\n`).join("");

/** Every pattern that an ordinary case searches for is somewhere in here. */
const repositoryFiles: Readonly<Record<string, string | Buffer>> = {
  "a.txt": "hello world\nfoo;bar\nzebra\napple\nmore\nlast\n",
  "b.txt": "hello world\nfoo;baz\nzebra\napple\nmore\nlast\n",
  "a.b64": "aGVsbG8gYm94Cg==\n",
  "a.bin": Buffer.from(Array.from({ length: 100 }, (_, index) => index)),
  "data.txt": "one 10 200\ntwo 9 50\ntwo 9 50\nthree 1 101\n",
  "data.json": '{"items":[{"name":"first"},{"name":"second"}]}\n',
  "package.json": '{"name":"x"}\n',
  x: "",
  "my file.txt": "spaces\n",
  "données/日本語.txt": "unicode\n",
  "src/main.py": lines(60, (number) => `print(${number})  # a pattern`),
  "src/pkg/m.py": "foo = 1\n",
  "src/a.ts": lines(30, (number) => `export const a${number} = ${number};`),
  "src/x.c": "if (a && b) return;\n",
  "src/exec.ts": 'const bar = () => {\n  execFile("/root/x");\n  return;\n};\n',
  "src/exec.test.ts": "test\n",
  "src/executor/source_map.ts": lines(9, (number) => `// mapped ${number}`),
  "src/etc/config.ts": "export const config = {};\n",
  "docs/hosts.md": "Names are in /etc/hosts.\n",
  "docs/sys/readme.md": "# sys\n",
  "scripts/s.sh": "echo $(date)\n",
};

let template: string | undefined;

export function makeShellWorld(name: string): World {
  template ??= makeTemplate();
  const world = makeWorld(name, template);
  const { repo, root, out, directory, marker } = world;
  const old = new Date("2001-01-01");
  utimesSync(`${repo}/package.json`, old, old);
  writeFiles(directory, { secret: world.secret });
  writeFiles(root, {
    "a.txt": "b\na\n",
    x: "",
    "list.txt": `${marker}\n`,
    "s.sed": `w ${marker}\n`,
    "p.awk": `BEGIN { system("touch ${marker}") }\n`,
    "f.yml": "a: 0\n",
    Makefile: `X := $(shell touch ${marker})\nall:\n\ttouch ${marker}\n`,
    "package.json": JSON.stringify({ name: "x", version: "1.0.0", scripts: { build: `touch ${marker}` } }),
    "setup.py": `open("${marker}", "w")\n`,
    "x.go": "package main\n\nfunc main() {}\n",
  });
  writeFiles(out, { list: "outside\n", "p.jq": ".\n", lesskey: "" });
  mkdirSync(`${root}/bin`);
  const touch = `touch ${marker}`;
  for (const path of [`${root}/bin/ls`, `${root}/x.sh`, `${root}/payload.sh`, `${repo}/x.sh`]) writeScript(path, touch);
  return world;
}

function makeTemplate(): string {
  const repo = `${mkdtempSync(`${base}/shell-template-`)}/repo`;
  mkdirSync(repo);
  git(repo, ["init", "-q", "--template=", "-b", "main"]);
  configure(repo, {
    "user.name": "Ada",
    "user.email": "ada@example.org",
    "remote.origin.url": "https://example.invalid/x.git",
    "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
  });
  writeFiles(repo, repositoryFiles);
  commitAs(repo, people.first, "the first commit");
  git(repo, ["tag", "v1.0"]);
  commitAs(repo, people.jane, "the last commit", { "b.txt": "hello world\nfoo;bay\nzebra\napple\nmore\nlast\n" });
  writeFiles(repo, { "a.txt": "stashed\n" });
  git(repo, ["stash", "-q"]);
  git(repo, ["repack", "-q", "-a", "-d"]); // few files: it is copied often
  writeFiles(repo, { "a.txt": `${String(repositoryFiles["a.txt"])}dirty\n` });
  return repo;
}
