// The first process of every box (native/init.c): where its binary is, how it is called, what it says at the end.
// Invariant: only a binary with the pinned hash is used.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import type { LaunchLimits } from "../process/launch.ts";

/** SHA-256 of native/init-x64 and native/init-arm64. */
const pinned: Readonly<Record<string, string>> = {
  x64: "0bd86b28ae3b52241d31f5f446a872024d427b230f553a337222cdf5ce216f0d",
  arm64: "aceb781ab451855682c5bf458f725851fd6313f14f06958dfc2c86d5684030f1",
};

export function readInitProgram(architecture: string): Buffer {
  const expected = pinned[architecture];
  if (expected === undefined) throw new Error(`there is no native/init for the processor ${architecture}`);
  const bytes = readFileSync(new URL(`../../native/init-${architecture}`, import.meta.url));
  // SECURITY(T07): a changed binary would run first in every box.
  if (createHash("sha256").update(bytes).digest("hex") !== expected)
    throw new Error("native/init does not have its pinned hash");
  return bytes;
}

export interface InitCall {
  readonly statusFd: number;
  readonly cgroupFds: readonly number[];
  readonly limits: readonly ResourceLimit[];
  readonly environmentFd: number;
  readonly argv: readonly string[];
}

/** What the descriptor holds. No name or value has a NUL in it: both were checked. */
export function environmentBlock(environment: readonly (readonly [string, string])[]): string {
  return environment.map(([name, value]) => `${name}=${value}\0`).join("");
}

export interface ResourceLimit {
  readonly resource: number;
  readonly soft: number;
  readonly hard: number;
}

export function initArguments(call: InitCall): string[] {
  return [
    String(call.statusFd),
    ...call.cgroupFds.flatMap((fd) => ["c", String(fd)]),
    ...call.limits.flatMap(({ resource, soft, hard }) => ["l", String(resource), String(soft), String(hard)]),
    "e",
    String(call.environmentFd),
    "--",
    ...call.argv,
  ];
}

const RLIMIT_CPU = 0;
const RLIMIT_FSIZE = 1;
const RLIMIT_DATA = 2;
const RLIMIT_CORE = 4;
const RLIMIT_NPROC = 6;
const RLIMIT_NOFILE = 7;

/** What a cgroup holds is not limited a second time: RLIMIT_DATA also counts memory that is only reserved. */
export function resourceLimits(
  limits: LaunchLimits,
  byCgroup: { readonly memory?: string; readonly pids?: string },
): ResourceLimit[] {
  const same = (resource: number, value: number): ResourceLimit => ({ resource, soft: value, hard: value });
  return [
    // The soft limit sends SIGXCPU, which can be told apart; the hard one, a second later, SIGKILL.
    { resource: RLIMIT_CPU, soft: limits.cpuS, hard: limits.cpuS + 1 },
    same(RLIMIT_FSIZE, limits.fsizeBytes),
    same(RLIMIT_NOFILE, limits.nofile),
    // Below the smallest core file, and the one value at which the kernel does not start a core_pattern pipe either.
    same(RLIMIT_CORE, 1),
    ...(byCgroup.memory !== undefined ? [] : [same(RLIMIT_DATA, limits.memoryBytes)]),
    ...(byCgroup.pids !== undefined ? [] : [same(RLIMIT_NPROC, limits.nproc)]),
  ];
}

export type InitReport =
  | { readonly kind: "ended"; readonly exitCode: number | null; readonly signal: string | null }
  | {
      readonly kind: "refused";
      readonly what: "exec" | "cgroup" | "limit" | "fork" | "environment";
      readonly errno: string;
    };

const RECORD_BYTES = 32;
const refusals = { 2: "exec", 3: "cgroup", 4: "limit", 5: "fork", 6: "environment" } as const;

/** null: it never came to an end by itself (it was killed, or the box was not built). */
export function parseInitReport(bytes: Buffer): InitReport | null {
  if (bytes.length < RECORD_BYTES) return null;
  const kind = bytes.readUInt32LE(0);
  const value = bytes.readInt32LE(4);
  if (kind === 1) {
    const signal = value & 0x7f;
    return signal === 0
      ? { kind: "ended", exitCode: (value >> 8) & 0xff, signal: null }
      : { kind: "ended", exitCode: null, signal: signalName(signal) };
  }
  const what = refusals[kind as keyof typeof refusals];
  return what === undefined ? null : { kind: "refused", what, errno: errnoName(value) };
}

function signalName(number: number): string {
  const entry = Object.entries(constants.signals).find(([, value]) => value === number);
  return entry?.[0] ?? `SIG${number}`;
}

function errnoName(number: number): string {
  const entry = Object.entries(constants.errno).find(([, value]) => value === number);
  return entry?.[0] ?? `errno ${number}`;
}
