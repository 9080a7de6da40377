// Repositories of a strange shape, built as their cases say: pointers to other places, another owner, false history.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { git, makeRepository } from "../fixtures/git.ts";
import { addSubmodule, makeStale } from "./git-config-situations.ts";
import { commitAs, configure, copyRepository, people, writeHelper } from "./git-world.ts";
import { type World, writeScript } from "./world.ts";

type Situation = (world: World) => void;

export const secretCommit = "the other repository's secret";
export const falseMessage = "what nobody committed";
export const HUGE_COMMITS = 200_000;

export const layoutSituations: Readonly<Record<string, Situation>> = {
  "git-repo-denied": ({ out }) => void makeRepository(`${out}/r`),
  "git-repo-traversal": ({ directory }) => void makeRepository(`${dirname(directory)}/out/r`),
  "git-repo-prefix-sibling": ({ root }) => void makeRepository(`${root}-evil/r`),

  "git-layout-gitdir-file-padded": (world) => {
    const evil = makeEvilDirectory(world);
    renameSync(`${world.repo}/.git`, `${world.directory}/was.git`);
    writeFileSync(`${world.repo}/.git`, `gitdir: ${evil}${"\n".repeat(9_000)}`);
  },
  "git-layout-commondir": (world) => writeFileSync(`${world.repo}/.git/commondir`, `${makeEvilDirectory(world)}\n`),
  "git-layout-worktree-forged": ({ repo, root }) => {
    const trusted = makeRepository(`${root}/trusted`);
    git(trusted, ["worktree", "add", "-q", `${root}/listed`]);
    rmSync(`${repo}/.git`, { recursive: true });
    writeFileSync(`${repo}/.git`, `gitdir: ${trusted}/.git/worktrees/listed\n`);
  },
  "git-layout-alternates": ({ repo, out }) => {
    const other = makeRepository(`${out}/other`);
    commitAs(other, people.jane, secretCommit, { "secret.txt": `${secretCommit}\n` });
    mkdirSync(`${repo}/.git/objects/info`, { recursive: true });
    writeFileSync(`${repo}/.git/objects/info/alternates`, `${other}/.git/objects\n`);
    git(repo, ["update-ref", "HEAD", git(other, ["rev-parse", "HEAD"]).trim()]);
  },
  "git-layout-dubious-ownership": (world) => {
    configure(world.repo, { "core.fsmonitor": writeHelper(world) });
    giveAway(`${world.repo}/.git`);
  },
  "git-layout-safe-directory-in-repo": (world) => {
    configure(world.repo, { "safe.directory": "*", "core.fsmonitor": writeHelper(world) });
    giveAway(world.repo);
  },
  "git-layout-replace-refs": ({ repo }) => {
    const other = git(repo, ["commit-tree", "HEAD^{tree}", "-p", "HEAD~1", "-m", falseMessage]).trim();
    git(repo, ["replace", "HEAD", other]);
  },
  "git-layout-grafts": ({ repo }) =>
    writeFileSync(`${repo}/.git/info/grafts`, `${git(repo, ["rev-parse", "HEAD"]).trim()}\n`),
  "git-layout-huge-repo": copyHuge,
  "git-layout-readonly-index": ({ repo }) => makeStale(repo),
  "git-layout-hook-symlink-worktree": ({ repo }) => {
    makeRepository(`${repo}/nested`);
    rmSync(`${repo}/nested/.git/hooks`, { recursive: true, force: true });
    symlinkSync("../..", `${repo}/nested/.git/hooks`);
  },

  "git-ok-empty-repo-status": ({ repo }) => {
    rmSync(repo, { recursive: true });
    makeRepository(repo, { isUnborn: true });
  },
  "git-ok-worktree-linked": ({ repo, root }) => void git(repo, ["worktree", "add", "-q", `${root}/linked`]),
  "git-ok-submodule-clean": (world) => void addSubmodule(world),
};

/** What is in the host's environment, by case, and what lies where it leads. */
export const environments: Readonly<Record<string, (world: World) => Record<string, string>>> = {
  "git-env-git_dir": (world) => ({ GIT_DIR: makeEvilDirectory(world) }),
  "git-env-git_external_diff": (world) => ({ GIT_EXTERNAL_DIFF: writeHelper(world) }),
  "git-env-git_config_global": (world) => {
    writeFileSync(`${world.out}/cfg`, `[core]\n\tfsmonitor = ${writeHelper(world)}\n`);
    return { GIT_CONFIG_GLOBAL: `${world.out}/cfg` };
  },
  "git-env-git_trace": ({ marker }) => ({ GIT_TRACE: marker }),
  // Git finds git there, when it looks into a submodule.
  "git-env-git_exec_path": (world) => {
    addSubmodule(world);
    writeScript(`${world.out}/git`, `touch ${world.marker}`);
    return { GIT_EXEC_PATH: world.out };
  },
  "git-env-git_pager": ({ marker }) => ({ GIT_PAGER: `touch ${marker}` }),
  "git-env-git_object_directory": (world) => ({ GIT_OBJECT_DIRECTORY: otherObjects(world) }),
  "git-env-git_alternate_object_directories": (world) => ({ GIT_ALTERNATE_OBJECT_DIRECTORIES: otherObjects(world) }),
  "git-env-git_proxy_command": ({ marker }) => ({ GIT_PROXY_COMMAND: `touch ${marker}` }),
  "git-env-git_template_dir": ({ out }) => ({ GIT_TEMPLATE_DIR: out }),
  "git-env-home": (world) => {
    writeFileSync(`${world.out}/.gitconfig`, `[core]\n\tfsmonitor = ${writeHelper(world)}\n`);
    mkdirSync(`${world.out}/git`);
    cpSync(`${world.out}/.gitconfig`, `${world.out}/git/config`);
    return { HOME: world.out };
  },
};

/** A git directory like the repository's own, outside all grants, whose configuration touches the marker. */
function makeEvilDirectory(world: World): string {
  const path = `${world.out}/evil.git`;
  cpSync(`${world.repo}/.git`, path, { recursive: true });
  git(world.repo, [`--git-dir=${path}`, "config", "core.fsmonitor", `touch ${world.marker}; true`]);
  return path;
}

function otherObjects({ out }: World): string {
  mkdirSync(`${out}/objects`);
  return `${out}/objects`;
}

const SOMEBODY_ELSE = "1234:1234";

function giveAway(path: string): void {
  const { status, stderr } = spawnSync("/bin/chown", ["-R", SOMEBODY_ELSE, path], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

let huge: string | undefined;

/** Made once, and copied. */
function copyHuge({ repo, directory }: World): void {
  if (huge === undefined) {
    const made = makeRepository(`${directory}/../huge`, { isUnborn: true });
    importCommits(made, HUGE_COMMITS);
    huge = made;
  }
  rmSync(repo, { recursive: true });
  copyRepository(huge, repo);
}

/** In one stream, because a commit at a time would take minutes. */
function importCommits(repo: string, count: number): void {
  const lines = ["reset refs/heads/main\n"];
  for (let number = 1; number <= count; number++) {
    lines.push(`commit refs/heads/main\ncommitter Ada <ada@example.org> ${1_600_000_000 + number} +0000\n`);
    lines.push(`data <<E\ncommit ${number}\nE\n\n`);
  }
  const fast = ["-c", "pack.compression=0", "-c", "core.compression=0"];
  git(repo, [...fast, "fast-import", "--quiet", "--force"], { input: lines.join("") });
}
