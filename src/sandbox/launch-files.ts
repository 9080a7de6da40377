// Texts of ours that stand in the place of files in one box. They lie in the gate's room, in memory where the machine has
// such a place, and go with the launch: a script of an agent's is not left on anybody's disk.

import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";

export class LaunchFiles {
  readonly #directory: string;
  readonly #paths: string[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  put(content: string): string {
    const path = `${this.#directory}/file-${randomBytes(8).toString("hex")}`;
    this.#paths.push(path);
    writeFileSync(path, content, { mode: 0o444, flag: "wx" });
    return path;
  }

  remove(): void {
    for (const path of this.#paths.splice(0)) rmSync(path, { force: true });
  }
}
