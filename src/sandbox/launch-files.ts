// Texts that the gate shows as files in one box. They lie in the gate's scratch directory, in memory if the machine has a tmpfs, and
// are removed after the launch, so that an agent's script does not stay on a disk.

import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";

export class LaunchFiles {
  readonly #directory: string;
  readonly #paths: string[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  put(content: string, isProgram = false): string {
    const path = `${this.#directory}/file-${randomBytes(8).toString("hex")}`;
    this.#paths.push(path);
    writeFileSync(path, content, { mode: isProgram ? 0o555 : 0o444, flag: "wx" });
    return path;
  }

  remove(): void {
    for (const path of this.#paths.splice(0)) rmSync(path, { force: true });
  }
}
