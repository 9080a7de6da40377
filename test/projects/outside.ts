// Starts commands as the person would: with their own PATH and home, and without what `npm run` adds to the environment.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { lastingEntries } from "../../src/process/person-path.ts";

const personPath = lastingEntries(process.env["PATH"]).join(":");
const addedByNpm =
  /^(?:npm_(?!config_)|npm_config_(?:local_prefix|prefix|global_prefix)$|INIT_CWD$|NODE$|NODE_TEST_CONTEXT$)/;

/** For downloads: proxies and registries may be set by the environment. */
const environment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !addedByNpm.test(name))),
  PATH: personPath,
  LC_ALL: "C.UTF-8",
  DEBIAN_FRONTEND: "noninteractive",
};

export interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
  readonly seconds: number;
}

/** A shell command, ended after ten minutes. */
export function runOutside(command: string, directory: string): Ended {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command], {
    cwd: directory,
    env: environment,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 600_000,
    maxBuffer: 1 << 28,
  });
  return { exitCode: status, output: stdout + stderr, seconds: secondsSince(started) };
}

export function secondsSince(started: number): number {
  return Math.round((performance.now() - started) / 100) / 10;
}

/** The output of a command that must succeed. */
export function mustRun(command: string, directory: string): string {
  const { exitCode, output } = runOutside(command, directory);
  assert.equal(exitCode, 0, `${command}\n${output.slice(-4_000)}`);
  return output;
}
