// A person's projects, as `git clone` leaves them, and sessions with a draft of them.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import type { Gate } from "../src/index.ts";
import { type GrantLine, repository, type Room } from "./box-room.ts";

/** What bash and git have outside: nothing of the settings of who runs the bench. */
export const environment = {
  PATH: "/usr/bin:/bin",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

const FILES_EACH = 10;

/** One commit, in one pack. Ten files in each directory. */
export function makeProject(room: Room, name: string, files: number): string {
  const directory = room.makeDirectory(name);
  const lines = ["commit refs/heads/main\ncommitter Ada <ada@example.org> 1600000000 +0000\ndata <<E\nall\nE\n"];
  for (let index = 0; index < files; index++) {
    const place = Math.floor(index / FILES_EACH);
    const text = `file ${index}\n`.repeat(20);
    lines.push(
      `M 100644 inline part-${place % 40}/directory-${place}/file-${index}.txt\ndata ${text.length}\n${text}\n`,
    );
  }
  runGit(directory, ["init", "-q", "-b", "main"]);
  runGit(directory, ["fast-import", "--quiet"], lines.join(""));
  runGit(directory, ["reset", "-q", "--hard"]);
  return directory;
}

/** A clone of this repository, with the packages that its unit tests need. */
export function cloneThisRepository(room: Room, packages: readonly string[]): string {
  const directory = `${room.directory}/clone`;
  runGit(room.directory, ["clone", "-q", "--local", repository, directory]);
  mkdirSync(`${directory}/node_modules`);
  for (const name of packages)
    cpSync(`${repository}/node_modules/${name}`, `${directory}/node_modules/${name}`, { recursive: true });
  return directory;
}

export function runGit(directory: string, args: readonly string[], input = ""): void {
  const { status, stderr } = spawnSync("/usr/bin/git", ["-C", directory, ...args], { env: environment, input });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${String(stderr)}`);
}

/** The project is granted as the configuration that `sallyport init` writes grants it. */
export function openDraft(
  room: Room,
  project: string,
  stateName: string,
  session: string,
  more: readonly GrantLine[] = [],
): Gate {
  const own: GrantLine = { path: project, mode: "r", hide: [".env*", "*.pem"], tracked: "shown" };
  return room.openGate(project, [own, ...more], stateName, { session });
}

/** What the script printed. Anything but exit code 0 is thrown. */
export async function callBash(gate: Gate, script: string): Promise<string> {
  const reply = await gate.call({ tool: "Bash", args: { script, timeout_s: 600 } });
  if (!reply.ok || reply.result["exit_code"] !== 0) throw new Error(`the call went wrong: ${JSON.stringify(reply)}`);
  return String(reply.result["stdout"]);
}
