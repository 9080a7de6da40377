// What a shell case finds besides what every one finds: the repositories whose configuration names a program, the file
// whose name is a flag.

import { appendFileSync, linkSync, mkdirSync, writeFileSync } from "node:fs";
import { configure, signHead, writeHelper } from "./git-world.ts";
import { type World, writeScript } from "./world.ts";

type Situation = (world: World) => void;

const touches = ({ marker }: World): string => `touch ${marker}`;
const flagFile: Situation = ({ root }) => writeFileSync(`${root}/-delete`, "");

export const shellSituations: Readonly<Record<string, Situation>> = {
  "shell-parse-glob-flag": flagFile,
  "shell-parse-glob-q": flagFile,
  "shell-parse-glob-class": flagFile,
  "shell-parse-abs-path-fake-git": (world) => evil(world, "git"),
  // More than sort keeps in 64 kB: it writes what is sorted to files, through the program that packs them.
  "shell-prog-sort-compress-abbrev": ({ root }) =>
    writeFileSync(`${root}/big.txt`, Array.from({ length: 40_000 }, (_, number) => `line ${number}\n`).join("")),
  "shell-git-remote-show": (world) =>
    configure(world.repo, { "remote.origin.url": world.root, "remote.origin.uploadpack": `${touches(world)};#` }),
  "shell-git-config-edit": (world) => configure(world.repo, { "core.editor": `${touches(world)};#` }),
  "shell-git-catfile-filters": (world) => {
    attribute(world, "filter=x");
    configure(world.repo, { "filter.x.smudge": writeHelper(world, "cat") });
  },
  "shell-git-catfile-textconv": (world) => {
    attribute(world, "diff=x");
    configure(world.repo, { "diff.x.textconv": writeHelper(world, 'cat "$1"') });
  },
  "shell-git-dash-c": (world) => evil(world, "x"),
  // A signed commit, and the first gpg on the path that git searches.
  "shell-git-exec-path": (world) => {
    evil(world, "gpg");
    signHead(world.repo);
    configure(world.repo, { "log.showSignature": "true" });
  },
  "shell-git-paginate": (world) => configure(world.repo, { "core.pager": `${touches(world)}; cat` }),
  "shell-git-help": (world) => configure(world.repo, { "man.viewer": "x", "man.x.cmd": `${touches(world)}; true` }),
  "shell-git-alias-unknown": (world) => configure(world.repo, { "alias.lg": `!${touches(world)}` }),
  "shell-git-external-subcommand": (world) => evil(world, "git-foo"),
  "shell-path-hardlink": ({ root, out }) => linkSync(`${out}/secret`, `${root}/hl`),
};

/** Where the corpus says /tmp/evil: cases run side by side. Controls have it on their PATH. */
export function evilDirectory({ out }: World): string {
  return `${out}/evil`;
}

function evil(world: World, name: string): void {
  mkdirSync(evilDirectory(world));
  writeScript(`${evilDirectory(world)}/${name}`, touches(world));
}

function attribute({ repo }: World, what: string): void {
  mkdirSync(`${repo}/.git/info`, { recursive: true });
  appendFileSync(`${repo}/.git/info/attributes`, `*.txt ${what}\n`);
}
