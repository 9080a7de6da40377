// The worker in which a script of Bash runs: just-bash, an interpreter with programs of its own, over a file system in memory.

import { Bash, InMemoryFs } from "just-bash/browser";
import type { BoxFile, BoxTask } from "../../src/process/wasm-box.ts";
import { limits } from "../../src/shared/limits.ts";
import { workspaceRoot } from "../../src/workspace/path.ts";
import type { LeftEntry } from "./changes.ts";
import { type Interpreter, type Print, serveRun } from "./run-worker.ts";

/** The time of a run and the memory of its thread are the bounds. just-bash's own counts would end what merely takes long. */
const unbounded = Number.MAX_SAFE_INTEGER;
const executionLimits = {
  maxCallDepth: 1_000, // a thread's stack has an end
  maxCommandCount: unbounded,
  maxLoopIterations: unbounded,
  maxAwkIterations: unbounded,
  maxSedIterations: unbounded,
  maxJqIterations: unbounded,
  maxWorkUnits: unbounded,
  maxExecutionTimeMs: limits.scriptTimeoutMaxS * 1_000,
  maxOutputSize: limits.boxOutputBytes,
};

class BashInterpreter implements Interpreter {
  readonly #files = new InMemoryFs();

  async run({ text, cwd, environment, stdin, files }: BoxTask, print: Print): Promise<number> {
    await this.#fill(files);
    const bash = new Bash({ fs: this.#files, cwd, env: { ...environment }, executionLimits });
    const { stdout, stderr, exitCode, stdoutKind } = await bash.exec(text, { rawScript: true, stdin: stdin ?? "" });
    print("stdout", stdoutKind === "bytes" ? bytesOf(stdout) : new TextEncoder().encode(stdout));
    print("stderr", new TextEncoder().encode(stderr));
    return exitCode & 0xff;
  }

  async *left(): AsyncGenerator<LeftEntry> {
    for (const path of this.#files.getAllPaths()) {
      if (!path.startsWith(`${workspaceRoot}/`)) continue;
      const { isSymbolicLink, isDirectory, mode } = await this.#files.lstat(path);
      if (isSymbolicLink) yield { kind: "link", path, target: await this.#files.readlink(path) };
      else if (isDirectory) yield { kind: "directory", path };
      else
        yield { kind: "file", path, executable: (mode & 0o100) !== 0, bytes: await this.#files.readFileBuffer(path) };
    }
  }

  async #fill(files: readonly BoxFile[]): Promise<void> {
    this.#files.mkdirSync(workspaceRoot, { recursive: true });
    for (const { path, bytes, target, executable } of files) {
      if (target === null) this.#files.writeFileSync(path, bytes, {}, { mode: executable ? 0o755 : 0o644 });
      else await this.#files.symlink(target, path);
    }
  }
}

function bytesOf(latin1: string): Uint8Array {
  const bytes = new Uint8Array(latin1.length);
  for (let at = 0; at < latin1.length; at += 1) bytes[at] = latin1.charCodeAt(at);
  return bytes;
}

serveRun(async () => new BashInterpreter());
