// The filter's program, run by a small interpreter of the same instructions, against the tables of both processors.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { isFilterable, seccompProgram } from "../../src/sandbox/seccomp.ts";

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const error = (errno: number) => 0x00050000 + errno;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [error(1), error(38), error(97)];
const audit = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
type Architecture = keyof typeof audit;
const architectures = ["x64", "arm64"] as const;

interface Call {
  readonly number: number;
  readonly args?: readonly number[];
  readonly audit?: number;
}

/** Classic BPF, as much of it as the filter uses. A jump out of the program, or none of the known codes, fails the test. */
function run(program: Buffer, architecture: Architecture, call: Call): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number >>> 0, 0);
  data.writeUInt32LE(call.audit ?? audit[architecture], 4);
  for (const [index, value] of (call.args ?? []).entries())
    data.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), 16 + index * 8);
  let accumulator = 0;
  for (let at = 0; at * 8 < program.length; at += 1) {
    const [code, jumpTrue, jumpFalse, value] = [
      program.readUInt16LE(at * 8),
      program[at * 8 + 2] as number,
      program[at * 8 + 3] as number,
      program.readUInt32LE(at * 8 + 4),
    ];
    const jump = (condition: boolean) => (at += condition ? jumpTrue : jumpFalse);
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (code === 0x06) return value;
    else if (code === 0x15) jump(accumulator === value);
    else if (code === 0x35) jump(accumulator >= value);
    else if (code === 0x45) jump((accumulator & value) !== 0);
    else assert.fail(`an instruction that is not known: ${code.toString(16)}`);
  }
  assert.fail("the program ended without an answer");
}

const programs = (architecture: Architecture) =>
  [true, false].map((unix) => ({ unix, program: seccompProgram({ architecture, unix }) }));

/** From the kernel's own tables (asm/unistd.h), written down here a second time on purpose. x64, arm64. */
const denied: Readonly<Record<string, readonly [number | null, number | null]>> = {
  ptrace: [101, 117],
  syslog: [103, 116],
  pivot_root: [155, 41],
  acct: [163, 89],
  settimeofday: [164, 170],
  mount: [165, 40],
  umount2: [166, 39],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  iopl: [172, null],
  ioperm: [173, null],
  init_module: [175, 105],
  delete_module: [176, 106],
  quotactl: [179, 60],
  clock_settime: [227, 112],
  mbind: [237, 235],
  kexec_load: [246, 104],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  migrate_pages: [256, 238],
  unshare: [272, 97],
  move_pages: [279, 239],
  perf_event_open: [298, 241],
  fanotify_init: [300, 262],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  setns: [308, 268],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  finit_module: [313, 273],
  kexec_file_load: [320, 294],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
  mount_setattr: [442, 442],
  quotactl_fd: [443, 443],
  open_tree_attr: [467, 467],
};
/** EOPNOTSUPP, as of a file system that cannot do it. */
const unsupported: Readonly<Record<string, readonly [number, number]>> = { fallocate: [285, 47] };
const unknown: Readonly<Record<string, readonly [number, number]>> = {
  clone3: [435, 435],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
};
const ordinary: Readonly<Record<string, readonly [number, number]>> = {
  read: [0, 63],
  write: [1, 64],
  mmap: [9, 222],
  execve: [59, 221],
  exit: [60, 93],
  kill: [62, 129],
  getpid: [39, 172],
  connect: [42, 203],
  bind: [49, 200],
  openat: [257, 56],
  close_range: [436, 436],
  futex: [202, 98],
  getrandom: [318, 278],
  memfd_create: [319, 279],
  pidfd_open: [434, 434],
  faccessat2: [439, 439],
  epoll_pwait2: [441, 441],
  statx: [332, 291],
};
const inspected = {
  x64: { socket: 41, socketpair: 53, clone: 56, ioctl: 16, personality: 135 },
  arm64: { socket: 198, socketpair: 199, clone: 220, ioctl: 29, personality: 92 },
} as const;
/** Those that name a process first, and those that first say whether they name one, a group or a user, with their word for a user. */
const aboutProcesses = {
  x64: { prlimit64: 302, sched_setparam: 142, sched_setscheduler: 144, sched_setaffinity: 203, sched_setattr: 314 },
  arm64: { prlimit64: 261, sched_setparam: 118, sched_setscheduler: 119, sched_setaffinity: 122, sched_setattr: 274 },
} as const;
const aboutEveryone = {
  x64: { setpriority: [141, 2], ioprio_set: [251, 3] },
  arm64: { setpriority: [140, 2], ioprio_set: [30, 3] },
} as const;

for (const [index, architecture] of architectures.entries()) {
  test(`${architecture}: each call gets its answer`, () => {
    for (const { program } of programs(architecture)) {
      for (const [name, numbers] of Object.entries(denied))
        if (numbers[index] !== null)
          assert.equal(run(program, architecture, { number: numbers[index] as number }), EPERM, name);
      for (const [name, numbers] of Object.entries(unknown))
        assert.equal(run(program, architecture, { number: numbers[index] as number }), ENOSYS, name);
      for (const [name, numbers] of Object.entries(unsupported))
        assert.equal(run(program, architecture, { number: numbers[index] as number }), 0x0005005f, name);
      for (const [name, numbers] of Object.entries(ordinary))
        assert.equal(run(program, architecture, { number: numbers[index] as number }), ALLOW, name);
    }
  });

  test(`${architecture}: any other call is allowed, whatever its arguments`, () => {
    const listed = new Set(
      [...Object.values(denied), ...Object.values(unknown), ...Object.values(unsupported)]
        .map((numbers) => numbers[index])
        .concat(Object.values(inspected[architecture]))
        .concat(Object.values(aboutProcesses[architecture]))
        .concat(Object.values(aboutEveryone[architecture]).map(([number]) => number)),
    );
    const others = [...Array(600).keys()].filter((number) => !listed.has(number));
    const known = new Set(architecture === "x64" ? [136, 139, 156, 174, 180, 212, 238] : [18, 42, 237]); // old ones, denied for good measure
    for (const { program } of programs(architecture)) {
      const answers = others.filter(
        (number) => run(program, architecture, { number, args: [1, 0x5412, 2, 3, 4, 5] }) !== ALLOW,
      );
      assert.deepEqual(
        answers,
        [...known].sort((a, b) => a - b),
      );
    }
  });

  test(`${architecture}: sockets by family`, () => {
    for (const { unix, program } of programs(architecture)) {
      for (let family = 0; family < 50; family += 1) {
        const isAllowed = [2, 10, 16].includes(family) || (unix && family === 1);
        assert.equal(
          run(program, architecture, { number: inspected[architecture].socket, args: [family, 1, 0] }),
          isAllowed ? ALLOW : EAFNOSUPPORT,
          `family ${family}`,
        );
      }
    }
  });

  test(`${architecture}: pairs by type: without UNIX sockets, no datagrams`, () => {
    const flags = [0, 0o4000, 0o2000000, 0o2004000];
    for (const { unix, program } of programs(architecture)) {
      for (let type = 0; type < 16; type += 1) {
        for (const flag of flags) {
          const answer = run(program, architecture, {
            number: inspected[architecture].socketpair,
            args: [1, type | flag, 0],
          });
          assert.equal(answer, unix || (type !== 2 && type !== 3) ? ALLOW : EAFNOSUPPORT, `type ${type}`);
        }
      }
    }
  });

  test(`${architecture}: clone with any namespace flag, and no other`, () => {
    const namespaces = [0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000];
    for (const { program } of programs(architecture)) {
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 0xffffffff }), (flags) => {
          const has = namespaces.some((flag) => (flags & flag) !== 0);
          assert.equal(
            run(program, architecture, { number: inspected[architecture].clone, args: [flags] }),
            has ? EPERM : ALLOW,
          );
        }),
      );
      for (const flags of [17, 0x1200011, 0x3d0f00])
        assert.equal(
          run(program, architecture, { number: inspected[architecture].clone, args: [flags] }),
          ALLOW,
          "fork, vfork, threads",
        );
    }
  });

  test(`${architecture}: ioctl, personality and limits by argument`, () => {
    const { ioctl, personality } = inspected[architecture];
    for (const { program } of programs(architecture)) {
      const answer = (number: number, ...args: number[]) => run(program, architecture, { number, args });
      for (const request of [0x5412, 0x541c]) assert.equal(answer(ioctl, 0, request), EPERM);
      for (const request of [0x5401, 0x5413, 0x541b, 0x5411, 0]) assert.equal(answer(ioctl, 0, request), ALLOW);
      assert.equal(answer(ioctl, 0, 0x5412 + 2 ** 33), EPERM, "the kernel looks at the lower half only");
      for (const value of [0, 0xffffffff]) assert.equal(answer(personality, value), ALLOW);
      for (const value of [0x0040000, 0x8, 1]) assert.equal(answer(personality, value), EPERM);
    }
  });

  test(`${architecture}: of the box's first process nothing is set, of others all that the kernel lets be set`, () => {
    for (const { program } of programs(architecture)) {
      const answer = (number: number, ...args: number[]) => run(program, architecture, { number, args });
      for (const [name, number] of Object.entries(aboutProcesses[architecture])) {
        for (const pid of [1, 1 + 2 ** 33]) assert.equal(answer(number, pid), EPERM, name);
        for (const pid of [0, 2, 3, 1000, 2 ** 32 - 1]) assert.equal(answer(number, pid), ALLOW, `${name} ${pid}`);
      }
      for (const [name, [number, user]] of Object.entries(aboutEveryone[architecture])) {
        for (const who of [0, 1, 2, 1000]) assert.equal(answer(number, user, who), EPERM, name);
        assert.equal(answer(number, user + 2 ** 33, 5), EPERM, name);
        for (const which of [user - 2, user - 1]) {
          for (const who of [1, 1 + 2 ** 33]) assert.equal(answer(number, which, who), EPERM, name);
          for (const who of [0, 2, 1000]) assert.equal(answer(number, which, who), ALLOW, `${name} ${which} ${who}`);
        }
      }
    }
  });

  test(`${architecture}: calls of another processor end the program`, () => {
    for (const { program } of programs(architecture)) {
      for (const other of [0x40000003, 0x40000028, 0, audit[architecture === "x64" ? "arm64" : "x64"]]) {
        for (const number of [0, 20, 101, 425])
          assert.equal(run(program, architecture, { number, audit: other }), KILL);
      }
    }
  });
}

test("x64: calls under x32 numbers do not exist", () => {
  for (const { program } of programs("x64")) {
    for (const number of [0x40000000, 0x40000001, 0x40000000 + 521, 0x40000000 + 165, 0xffffffff])
      assert.equal(run(program, "x64", { number }), ENOSYS);
  }
});

test("no processor but these two has a filter", () => {
  for (const architecture of ["ia32", "arm", "riscv64", "toString", "constructor", "__proto__", ""])
    assert.equal(isFilterable(architecture), false, architecture);
  for (const architecture of architectures) assert.equal(isFilterable(architecture), true);
});

test("every jump stays inside the program, and it is shorter than the kernel's limit", () => {
  for (const architecture of architectures) {
    for (const { program } of programs(architecture)) {
      const length = program.length / 8;
      assert.ok(Number.isInteger(length) && length < 4096);
      for (let at = 0; at < length; at += 1) {
        const isJump = (program.readUInt16LE(at * 8) & 7) === 5;
        if (isJump) assert.ok(at + 1 + Math.max(program[at * 8 + 2] as number, program[at * 8 + 3] as number) < length);
      }
    }
  }
});
