// The world of one case: a directory the agent may change, a repository it may read, a directory it must not see,
// and a marker that nobody may make. Each case has its own, so that cases can run side by side.

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { makeState } from "../fixtures/prepared-state.ts";
import { fillRepository, fillRoot } from "./world-files.ts";

export interface World {
  /** Unique: whatever has it in its arguments, environment or mounts belongs to this case. */
  readonly directory: string;
  readonly root: string;
  readonly repo: string;
  readonly out: string;
  readonly marker: string;
  readonly secret: string;
  /** The gates' state, shared by all cases: many gates write one log side by side. */
  readonly state: string;
}

// Not under /tmp: there a box has a directory of its own, and a write that escapes nothing would look as if it had.
export const base = mkdtempSync("/var/tmp/sallyport-corpus-");
const template = makeTemplate();

/** Where the log's key is: to be $XDG_CONFIG_HOME before a gate is opened. */
export const configHome = `${base}/config`;

/** `repository`: what @@REPO@@ is a copy of. */
export function makeWorld(name: string, repository = `${template}/repo`): World {
  const directory = mkdtempSync(`${base}/${name}-`);
  const out = `${directory}/out`;
  const world: World = {
    directory,
    root: `${directory}/root`,
    repo: `${directory}/repo`,
    out,
    marker: `${directory}/marker`,
    secret: `canary-${directory}`,
    state: `${base}/state`,
  };
  cpSync(`${template}/root`, world.root, { recursive: true, verbatimSymlinks: true });
  cpSync(repository, world.repo, { recursive: true, verbatimSymlinks: true });
  mkdirSync(out);
  makeState(`${directory}/state`); // for cases whose gate has a record of its own
  writeFileSync(`${out}/secret`, world.secret);
  const touch = `touch ${world.marker}`;
  writeFileSync(`${out}/rc`, `${touch}\n`);
  writeFileSync(`${out}/x.js`, `require("node:fs").writeFileSync(${JSON.stringify(world.marker)}, "");\n`);
  for (const name of [`${out}/x.sh`, `${out}/git-hello`, `${world.root}/tool`, `${world.root}/agent-written.sh`])
    writeScript(name, touch);
  return world;
}

/** The placeholders of the corpus, in every text of a value. */
export function fillIn(value: unknown, world: World): unknown {
  if (typeof value === "string") {
    return value
      .replaceAll("@@ROOT@@", world.root)
      .replaceAll("@@REPO@@", world.repo)
      .replaceAll("@@OUT@@", world.out)
      .replaceAll("@@MARKER@@", world.marker);
  }
  if (Array.isArray(value)) return value.map((item) => fillIn(item, world));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, fillIn(field, world)]));
}

export function writeScript(path: string, command: string): void {
  writeFileSync(path, `#!/bin/sh\n${command}\n`);
  chmodSync(path, 0o755);
}

export function copyProgram(program: string, path: string, mode: number): void {
  copyFileSync(program, path);
  chmodSync(path, mode);
}

/** rm, because a case may leave a tree whose paths are longer than any program can name. */
export function removeWorlds(): void {
  spawnSync("/bin/chmod", ["-R", "u+rwX", base], { stdio: "ignore" });
  spawnSync("/bin/rm", ["-rf", base]);
}

function makeTemplate(): string {
  const directory = mkdtempSync(`${base}/template-`);
  for (const [name, fill] of [
    ["root", fillRoot],
    ["repo", fillRepository],
  ] as const) {
    const path = `${directory}/${name}`;
    mkdirSync(path);
    git(path, "init", "--quiet", "--template=", "--initial-branch=main");
    mkdirSync(`${path}/.git/hooks`);
    fill(path);
    git(path, "add", "--all");
    git(path, "commit", "--quiet", "--message=first");
  }
  // Something to diff.
  writeFileSync(`${directory}/repo/README.md`, "# changed since the commit\n");
  symlinkSync("a.txt", `${directory}/root/link-to-a`);
  return directory;
}

function git(directory: string, ...args: string[]): void {
  const who = ["-c", "user.name=Corpus", "-c", "user.email=corpus@example.invalid"];
  const ended = spawnSync("/usr/bin/git", ["-C", directory, ...who, ...args], {
    env: { GIT_CONFIG_NOSYSTEM: "1", HOME: directory },
    encoding: "utf8",
  });
  if (ended.status !== 0) throw new Error(`git ${args.join(" ")}: ${ended.stderr}`);
}
