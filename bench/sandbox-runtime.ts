// @anthropic-ai/sandbox-runtime, used as its README says: initialize once, wrap each command, start it with a shell.

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { bareSpawn } from "./bare-spawn.ts";
import { install, installedVersion } from "./installed.ts";

const name = "@anthropic-ai/sandbox-runtime";
const helpers = ["socat", "rg"];

interface SandboxManager {
  initialize(config: unknown): Promise<void>;
  wrapWithSandbox(command: string): Promise<string>;
  cleanupAfterCommand?(): void;
  reset(): Promise<void>;
}

export interface OtherSandbox {
  readonly version: string;
  run(command: string): Promise<string>;
  close(): Promise<void>;
}

/** `writable`: what its programs may change. Without it, nothing. A text says why it cannot take part. */
export async function openSandboxRuntime(writable: readonly string[] = []): Promise<OtherSandbox | string> {
  const missing = helpers.filter((helper) => spawnSync("/bin/sh", ["-c", `command -v ${helper}`]).status !== 0);
  if (missing.length > 0) return `${name} left out: it needs ${missing.join(" and ")} (apt-get install socat ripgrep)`;
  const problem = install(name);
  if (problem !== null) return `${name} is not installed, left out: ${problem}`;
  try {
    const { SandboxManager } = (await import(name)) as { SandboxManager: SandboxManager };
    mkdirSync("/tmp/claude", { recursive: true }); // its programs' TMPDIR
    await SandboxManager.initialize({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: ["~/.ssh"], allowWrite: writable, denyWrite: [] },
    });
    return {
      version: installedVersion(name),
      async run(command) {
        const wrapped = await SandboxManager.wrapWithSandbox(command);
        const { printed } = await bareSpawn(wrapped, [], { shell: true, environment: process.env });
        SandboxManager.cleanupAfterCommand?.();
        return printed;
      },
      close: () => SandboxManager.reset(),
    };
  } catch (error) {
    return `${name} left out, it does not start here: ${error instanceof Error ? error.message : String(error)}`;
  }
}
