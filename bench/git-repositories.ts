// The two repositories that Git is measured on: one of a few files, and one of 100,000 commits and 20,000 files.

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";

const environment = {
  PATH: "/usr/bin:/bin",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

export interface Size {
  readonly commits: number;
  readonly files: number;
}

/** As one stream, because a commit at a time would take minutes. The last commits each change a file, as commits do. */
export function makeRepository(directory: string, { commits, files }: Size): string {
  mkdirSync(directory);
  run(directory, ["init", "-q", "-b", "main"]);
  const lines: string[] = [];
  for (let number = 1; number <= commits; number++) {
    lines.push(`commit refs/heads/main\ncommitter Ada <ada@example.org> ${1_600_000_000 + number * 60} +0000\n`);
    lines.push(`data <<E\ncommit number ${number}\nE\n`);
    const changed = number === 1 ? files : number > commits - 500 ? 1 : 0;
    for (let index = 0; index < changed; index++) {
      const file = (index + number) % files;
      lines.push(`M 100644 inline part-${file % 200}/file-${file}.txt\ndata <<E\n${file} in ${number}\nE\n`);
    }
    lines.push("\n");
  }
  const uncompressed = ["-c", "pack.compression=0", "-c", "core.compression=0"];
  run(directory, [...uncompressed, "fast-import", "--quiet"], lines.join(""));
  run(directory, ["reset", "-q", "--hard"]);
  run(directory, ["status"]);
  return directory;
}

function run(directory: string, args: readonly string[], input = ""): void {
  const { status, stderr } = spawnSync("/usr/bin/git", ["-C", directory, ...args], { env: environment, input });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${String(stderr)}`);
}
