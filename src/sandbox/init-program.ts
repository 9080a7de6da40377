// The first process of every box (native/init.c): builds its arguments and parses its report.

import { constants } from "node:os";
import type { LaunchLimits } from "../process/launch.ts";
import { readNativeProgram } from "./native-program.ts";
import { type OwnLimits, ownLimits } from "./own-limits.ts";

export function readInitProgram(architecture: string): Buffer {
  return readNativeProgram("init", architecture);
}

export interface InitCall {
  readonly statusFd: number;
  readonly cgroupFds: readonly number[];
  readonly limits: readonly ResourceLimit[];
  /** A file of the box that becomes the program's standard input, instead of the inherited descriptor. */
  readonly input?: string;
  /** A pipe with sizes of the terminal that the program gets. Null if it gets none. */
  readonly terminalFd?: number | null;
  readonly environmentFd: number;
  /** The program starts when a byte arrives here, and not if the descriptor only closes. Null to start at once. */
  readonly goFd: number | null;
  readonly argv: readonly string[];
}

/** The content of the environment descriptor. Names and values contain no NUL; that was checked before. */
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
    ...(call.input === undefined ? [] : ["i", call.input]),
    ...(call.terminalFd == null ? [] : ["t", String(call.terminalFd)]),
    "e",
    String(call.environmentFd),
    // This comes last, so that native/init does everything else before it waits.
    ...(call.goFd === null ? [] : ["g", String(call.goFd)]),
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
const RLIMIT_NICE = 13;
const RLIMIT_RTPRIO = 14;

/**
 * SECURITY(T35): removes real-time and nice privileges, even if the gate's user has them (for audio or games). A program with them
 * could take the processor from all others, including the box's first process.
 */
export const ordinaryPriority: readonly ResourceLimit[] = [
  { resource: RLIMIT_NICE, soft: 0, hard: 0 },
  { resource: RLIMIT_RTPRIO, soft: 0, hard: 0 },
];

/**
 * Leaves out what a cgroup limits already, because RLIMIT_DATA also counts memory that is only reserved. A limit above the gate's own
 * is the gate's own: to set a higher one is an error.
 */
export function resourceLimits(
  limits: LaunchLimits,
  byCgroup: { readonly memory?: string; readonly pids?: string },
  own: OwnLimits = ownLimits(),
): ResourceLimit[] {
  const same = (resource: number, value: number): ResourceLimit => ({ resource, soft: value, hard: value });
  return [
    // At the soft limit the kernel sends SIGXCPU, which the gate can recognize; at the hard limit, a second later, SIGKILL.
    { resource: RLIMIT_CPU, soft: limits.cpuS, hard: limits.cpuS + 1 },
    same(RLIMIT_FSIZE, Math.min(limits.fsizeBytes, own.fsize)),
    same(RLIMIT_NOFILE, Math.min(limits.nofile, own.nofile)),
    // Smaller than any core file, and the only value at which the kernel does not start a core_pattern pipe either.
    same(RLIMIT_CORE, 1),
    ...(byCgroup.memory !== undefined ? [] : [same(RLIMIT_DATA, limits.memoryBytes)]),
    ...(byCgroup.pids !== undefined ? [] : [same(RLIMIT_NPROC, Math.min(limits.nproc, own.nproc))]),
  ];
}

export type InitReport =
  | { readonly kind: "ended"; readonly exitCode: number | null; readonly signal: string | null }
  | {
      readonly kind: "refused";
      readonly what: "exec" | "cgroup" | "limit" | "fork" | "environment" | "input" | "terminal";
      readonly errno: string;
    };

const RECORD_BYTES = 32;
const refusals = {
  2: "exec",
  3: "cgroup",
  4: "limit",
  5: "fork",
  6: "environment",
  7: "input",
  8: "terminal",
} as const;

/** Null if there is no report: native/init was killed, or the box was not built. */
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

/** Processor time of the ended program and of the children that it waited for. */
export function cpuMsOf(bytes: Buffer): number {
  return bytes.length < RECORD_BYTES ? 0 : Number(bytes.readBigUInt64LE(8) + bytes.readBigUInt64LE(16)) / 1000;
}

function signalName(number: number): string {
  const entry = Object.entries(constants.signals).find(([, value]) => value === number);
  return entry?.[0] ?? `SIG${number}`;
}

function errnoName(number: number): string {
  const entry = Object.entries(constants.errno).find(([, value]) => value === number);
  return entry?.[0] ?? `errno ${number}`;
}
