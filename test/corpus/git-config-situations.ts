// Hostile configurations, built as their cases say. Also for refused flags: what makes the flag dangerous is really there.

import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { git } from "../fixtures/git.ts";
import { commitAs, configure, copyRepository, makeMergeHead, people, signHead, writeHelper } from "./git-world.ts";
import { type World, writeScript } from "./world.ts";

type Situation = (world: World) => void;

export const configSituations: Readonly<Record<string, Situation>> = {
  "git-flag-ext-diff": externalDiff,
  "git-flag-textconv": textConversion,
  "git-flag-help": ({ repo, marker }) => configure(repo, { "man.viewer": "x", "man.x.cmd": `touch ${marker}; true` }),
  "git-flag-show-signature": signature,
  "git-flag-format-G": signature,
  "git-flag-pretty-G": signature,
  "git-flag-remerge-diff": mergeDriver,
  "git-flag-diff-merges": mergeDriver,
  "git-flag-diff-merges-on": remergeByConfig,
  "git-flag-submodule-diff": submoduleWithExternalDiff,
  // A file whose name is a line of that file: whoever reads it as a list leaves this one out.
  "git-flag-lsfiles-X": ({ repo }) => writeFileSync(`${repo}/${hostname()}`, ""),
  "git-flag-branch-d-long": ({ repo }) => void git(repo, ["branch", "-m", "feature/x-1", "feature"]),
  "git-op-alias": ({ repo, marker }) => configure(repo, { "alias.lg": `!touch ${marker}` }),
  "git-ref-flag-ext-diff": externalDiff,

  "git-cfg-fsmonitor-status": fsmonitor,
  "git-cfg-fsmonitor-lsfiles": fsmonitor,
  "git-cfg-diff-external": externalDiff,
  "git-cfg-textconv-blame": textConversion,
  "git-cfg-filter-clean-diff": cleanFilter,
  "git-cfg-filter-process-info": (world) => {
    appendFileSync(`${world.repo}/.git/info/attributes`, "*.txt filter=x\n");
    configure(world.repo, { "filter.x.process": writeHelper(world) });
    makeStale(world.repo);
  },
  "git-cfg-hookspath": ({ repo, out, marker }) => {
    mkdirSync(`${out}/hooks`);
    writeScript(`${out}/hooks/post-index-change`, `touch ${marker}`);
    configure(repo, { "core.hooksPath": `${out}/hooks` });
    makeStale(repo);
  },
  "git-cfg-showsignature-log": (world) => {
    signature(world);
    configure(world.repo, { "log.showSignature": "true" });
  },
  "git-cfg-lazy-fetch-blame": (world) => {
    promisor(world, { "remote.o.url": world.root, "remote.o.uploadpack": `touch ${world.marker};#` });
    removeObject(world.repo, "HEAD~1:a.txt");
  },
  "git-cfg-diffmerges-remerge": remergeByConfig,
  "git-cfg-pager": ({ repo, marker }) => configure(repo, { "core.pager": `touch ${marker}; cat` }),
  "git-cfg-alias-shadow": ({ repo, marker }) => configure(repo, { "alias.log": `!touch ${marker}` }),
  "git-cfg-worktree-config": (world) => {
    configure(world.repo, { "core.repositoryFormatVersion": "1", "extensions.worktreeConfig": "true" });
    writeFileSync(`${world.repo}/.git/config.worktree`, `[core]\n\tfsmonitor = ${writeHelper(world)}\n`);
  },
  "git-cfg-key-case": (world) =>
    appendFileSync(`${world.repo}/.git/config`, `[CORE]\n\tFSMonitor = ${writeHelper(world)}\n`),
  "git-cfg-sshcommand": (world) => {
    promisor(world, { "remote.o.url": "ssh://localhost/x", "core.sshCommand": `touch ${world.marker};#` });
    removeObject(world.repo, "HEAD:a.txt");
  },
  "git-cfg-credential-helper": (world) => {
    promisor(world, { "remote.o.url": "https://127.0.0.1:1/x", "credential.helper": `!touch ${world.marker}` });
    removeObject(world.repo, "HEAD:a.txt");
  },
  "git-cfg-trace2-config": ({ repo, marker }) => configure(repo, { "trace2.eventTarget": marker }),

  "git-ok-lfs-repo": ({ repo }) => {
    // As `git lfs install --local` writes it.
    configure(repo, {
      "filter.lfs.smudge": "git-lfs smudge -- %f",
      "filter.lfs.process": "git-lfs filter-process",
      "filter.lfs.required": "true",
      "filter.lfs.clean": "git-lfs clean -- %f",
    });
    appendFileSync(`${repo}/.gitattributes`, "*.bin filter=lfs\n");
    writeFileSync(`${repo}/x.bin`, "version https://git-lfs.github.com/spec/v1\n");
  },
  "git-ok-fsmonitor-true": ({ repo }) => configure(repo, { "core.fsmonitor": "true" }),
};

/** The line of /etc/hostname: outside every grant. */
export function hostname(): string {
  return readFileSync("/etc/hostname", "utf8").trim();
}

/** What the index knows of a.txt is old: whoever looks must read the file, and would like to write the index anew. */
export function makeStale(repo: string): void {
  const later = new Date(Date.now() + 5_000);
  utimesSync(`${repo}/a.txt`, later, later);
}

function fsmonitor(world: World): void {
  configure(world.repo, { "core.fsmonitor": writeHelper(world) });
}

/** README.md is changed in every world's work tree. */
function externalDiff(world: World): void {
  configure(world.repo, { "diff.external": writeHelper(world) });
}

function textConversion(world: World): void {
  appendFileSync(`${world.repo}/.gitattributes`, "*.txt diff=x\n");
  configure(world.repo, { "diff.x.textconv": writeHelper(world, 'cat "$1"') });
}

function cleanFilter(world: World): void {
  appendFileSync(`${world.repo}/.gitattributes`, "*.txt filter=x\n");
  configure(world.repo, { "filter.x.clean": writeHelper(world, "cat") });
  writeFileSync(`${world.repo}/a.txt`, "one\nZ\nthree\nfour\n");
}

function signature(world: World): void {
  signHead(world.repo);
  configure(world.repo, { "gpg.program": writeHelper(world) });
}

function mergeDriver({ repo, marker }: World): void {
  makeMergeHead(repo);
  appendFileSync(`${repo}/.git/info/attributes`, "*.txt merge=x\n");
  configure(repo, { "merge.x.driver": `touch ${marker}; true` });
}

function remergeByConfig(world: World): void {
  mergeDriver(world);
  configure(world.repo, { "log.diffMerges": "remerge" });
}

function promisor({ repo }: World, settings: Record<string, string>): void {
  configure(repo, {
    "core.repositoryFormatVersion": "1",
    "extensions.partialClone": "o",
    "remote.o.promisor": "true",
    "remote.o.partialCloneFilter": "blob:none", // as every partial clone has it; git would write it before it fetches
    ...settings,
  });
}

function removeObject(repo: string, name: string): void {
  const id = git(repo, ["rev-parse", name]).trim();
  const pack = `${repo}/.git/objects/pack`;
  const packed = readdirSync(pack).filter((file) => file.endsWith(".pack"));
  const contents = packed.map((file) => readFileSync(`${pack}/${file}`));
  rmSync(pack, { recursive: true });
  for (const input of contents) git(repo, ["unpack-objects", "-q"], { input });
  rmSync(`${repo}/.git/objects/${id.slice(0, 2)}/${id.slice(2)}`);
}

/** A submodule, by itself an ordinary repository, whose own configuration names a program; it is one commit ahead. */
function submoduleWithExternalDiff(world: World): void {
  const sub = addSubmodule(world);
  commitAs(sub, people.jane, "ahead", { "a.txt": "changed in the submodule\n" });
  configure(sub, { "diff.external": writeHelper(world) });
}

/** `sub`, clean, with its repository where git keeps it today. */
export function addSubmodule({ repo, directory }: World): string {
  copyRepository(repo, `${directory}/origin-of-sub`);
  git(repo, ["-c", "protocol.file.allow=always", "submodule", "add", "-q", `${directory}/origin-of-sub`, "sub"]);
  git(repo, ["commit", "-q", "-m", "with a submodule"]);
  if (!readdirSync(`${repo}/.git/modules`).includes("sub")) throw new Error("there is no submodule");
  return `${repo}/sub`;
}
