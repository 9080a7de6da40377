// @anthropic-ai/sandbox-runtime, used as its README says: initialize once, wrap each command, start it with a shell.
// It lives in bench/node_modules, which is filled here, the first time it is wanted.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bareSpawn } from "./bare-spawn.ts";

const name = "@anthropic-ai/sandbox-runtime";
const here = fileURLToPath(new URL(".", import.meta.url));
const helpers = ["socat", "rg"];
const INSTALL_TIMEOUT_MS = 600_000;

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
  const problem = install();
  if (problem !== null) return `${name} is not installed, left out: ${problem}`;
  try {
    const { SandboxManager } = (await import(name)) as { SandboxManager: SandboxManager };
    mkdirSync("/tmp/claude", { recursive: true }); // its programs' TMPDIR
    await SandboxManager.initialize({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: ["~/.ssh"], allowWrite: writable, denyWrite: [] },
    });
    return {
      version: installedVersion(),
      async run(command) {
        const wrapped = await SandboxManager.wrapWithSandbox(command);
        const printed = await bareSpawn(wrapped, [], { shell: true, environment: process.env });
        SandboxManager.cleanupAfterCommand?.();
        return printed;
      },
      close: () => SandboxManager.reset(),
    };
  } catch (error) {
    return `${name} left out, it does not start here: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function install(): string | null {
  if (existsSync(`${here}node_modules/${name}/package.json`)) return null;
  console.error(`installing ${name} into bench/node_modules (once) …`);
  const flags = ["--ignore-scripts", "--no-fund", "--no-audit", "--omit-lockfile-registry-resolved"];
  const ended = spawnSync("npm", ["ci", ...flags], { cwd: here, encoding: "utf8", timeout: INSTALL_TIMEOUT_MS });
  if (ended.status === 0) return null;
  return ended.error?.message ?? ended.stderr.trim().split("\n").at(-1) ?? "npm failed";
}

function installedVersion(): string {
  const text = readFileSync(`${here}node_modules/${name}/package.json`, "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
