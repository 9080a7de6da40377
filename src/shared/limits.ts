// Every bound of the program, in one place, its unit in its name.

const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  // What a call may ask for.
  timeoutDefaultS: 60,
  timeoutMaxS: 600,
  outputDefaultBytes: 256 * KiB,
  outputMinBytes: 1 * KiB,
  outputMaxBytes: 4 * MiB,
  stdinMaxBytes: 4 * MiB,
  callJsonBytes: 8 * MiB, // the arguments of a call on standard input: stdin's text with every character escaped
  argumentCount: 50_000,
  argumentsTotalBytes: 1 * MiB, // argv + env; Linux gives up at a quarter of the stack limit (2 MiB by default)
  argumentBytes: 128 * KiB - 1, // MAX_ARG_STRLEN, its NUL not counted
  environmentCount: 1_000,
  commandBytes: 16 * KiB,
  shellCommands: 100,
  shellTimeoutS: 900,
  shellTimeoutMaxS: 3_600,
  pathBytes: 4_095, // PATH_MAX, its NUL not counted

  // What a run gets where the configuration is silent.
  memoryMb: 512,
  fsizeMb: 64,
  nofile: 256,
  nproc: 128,
  tmpMb: 256,
  shmMb: 64,

  // How a run ends.
  killGraceMs: 1_000,
  drainMs: 250, // after the last process is gone, what still stands in the pipes

  // What the box looks at on the host.
  hiddenPathCount: 1_000,
  treePathBytes: 3_000, // a box needs room before and after a path of PATH_MAX

  // The record.
  auditEntryBytes: 64 * KiB,
  auditStringBytes: 16 * KiB,
} as const;
