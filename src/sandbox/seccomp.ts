// The system call filter of a box, as the BPF program that bubblewrap's --seccomp takes.
// It allows everything except what a program in a box does not need: namespaces, mounts, tracing, keyrings, io_uring (which bypasses
// filters), kernel settings, and sockets that reach outside the box.
// Invariant: there is no filter for an unknown processor, and then no box is built.

type Architecture = "x64" | "arm64";

export interface SeccompOptions {
  readonly architecture: Architecture;
  /** Whether programs may make UNIX sockets. They may always make connected pairs, which reach no other process. */
  readonly unix: boolean;
}

export function isFilterable(architecture: string): architecture is Architecture {
  return Object.hasOwn(tables, architecture);
}

interface Table {
  readonly audit: number;
  readonly calls: Readonly<Record<string, number>>;
}

// Numbers from the kernel's tables. A call that a processor lacks is left out there.
const tables: Record<Architecture, Table> = {
  x64: {
    audit: 0xc000003e,
    calls: callNumbers(`
      ioctl=16 socket=41 socketpair=53 clone=56 ptrace=101 syslog=103 personality=135 ustat=136 sysfs=139
      setpriority=141 sched_setparam=142 sched_setscheduler=144 sched_setaffinity=203 ioprio_set=251 sched_setattr=314
      pivot_root=155 _sysctl=156 acct=163 settimeofday=164 mount=165 umount2=166 swapon=167 swapoff=168 reboot=169
      iopl=172 ioperm=173 create_module=174 init_module=175 delete_module=176 quotactl=179 nfsservctl=180
      lookup_dcookie=212 clock_settime=227 mbind=237 set_mempolicy=238 kexec_load=246 add_key=248 request_key=249
      keyctl=250 migrate_pages=256 unshare=272 move_pages=279 perf_event_open=298 fanotify_init=300 prlimit64=302
      name_to_handle_at=303 open_by_handle_at=304 setns=308 process_vm_readv=310 process_vm_writev=311 kcmp=312
      finit_module=313 kexec_file_load=320 bpf=321 userfaultfd=323 io_uring_setup=425 io_uring_enter=426
      io_uring_register=427 open_tree=428 move_mount=429 fsopen=430 fsconfig=431 fsmount=432 fspick=433 clone3=435
      pidfd_getfd=438 process_madvise=440 mount_setattr=442 quotactl_fd=443 open_tree_attr=467
      kill=62 tkill=200 tgkill=234 rt_sigqueueinfo=129 rt_tgsigqueueinfo=297 pidfd_send_signal=424 fcntl=72 prctl=157
      fallocate=285
    `),
  },
  arm64: {
    audit: 0xc00000b7,
    calls: callNumbers(`
      ioctl=29 lookup_dcookie=18 umount2=39 mount=40 pivot_root=41 nfsservctl=42 quotactl=60 acct=89 personality=92
      ioprio_set=30 sched_setparam=118 sched_setscheduler=119 sched_setaffinity=122 setpriority=140 sched_setattr=274
      unshare=97 kexec_load=104 init_module=105 delete_module=106 clock_settime=112 syslog=116 ptrace=117 reboot=142
      settimeofday=170 socket=198 socketpair=199 add_key=217 request_key=218 keyctl=219 clone=220 swapon=224
      swapoff=225 mbind=235 set_mempolicy=237 migrate_pages=238 move_pages=239 perf_event_open=241 prlimit64=261
      fanotify_init=262 name_to_handle_at=264 open_by_handle_at=265 setns=268 process_vm_readv=270
      process_vm_writev=271 kcmp=272 finit_module=273 bpf=280 userfaultfd=282 kexec_file_load=294 io_uring_setup=425
      io_uring_enter=426 io_uring_register=427 open_tree=428 move_mount=429 fsopen=430 fsconfig=431 fsmount=432
      fspick=433 clone3=435 pidfd_getfd=438 process_madvise=440 mount_setattr=442 quotactl_fd=443 open_tree_attr=467
      kill=129 tkill=130 tgkill=131 rt_sigqueueinfo=138 rt_tgsigqueueinfo=240 pidfd_send_signal=424 fcntl=25 prctl=167
      fallocate=47
    `),
  },
};

function callNumbers(text: string): Record<string, number> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)=(\d+)/g)].map(([, name, number]) => [name as string, Number(number)]),
  );
}

// The filter answers ENOSYS, so that the C library falls back to the older call. A filter cannot see the flags of clone3.
const unknownCalls = new Set(["clone3", "io_uring_setup", "io_uring_enter", "io_uring_register"]);
// SECURITY(T44): the filter answers EOPNOTSUPP, so that programs write instead, because the disk watch does not see reserved space.
const unsupportedCalls = new Set(["fallocate"]);
// Calls that send a signal, and the index of the argument that names the signal.
const signalCalls = { kill: 1, tkill: 1, tgkill: 2, rt_sigqueueinfo: 1, rt_tgsigqueueinfo: 2, pidfd_send_signal: 1 };
// Calls that make the kernel send a signal: index of the operation, its value, index of the signal.
const signalSettings = { fcntl: [1, 10, 2], prctl: [0, 1, 1] } as const; // F_SETSIG, PR_SET_PDEATHSIG
// Calls that change a process's limits or scheduling. The first argument is a pid; 0 is the calling process.
const processCalls = ["prlimit64", "sched_setparam", "sched_setscheduler", "sched_setaffinity", "sched_setattr"];
// Calls that apply to a process, a process group or a user, as the first argument says. The number is the value for a user.
const everyoneCalls = { setpriority: 2, ioprio_set: 3 } as const;
const inspectedCalls = new Set([
  "socket",
  "socketpair",
  "clone",
  "ioctl",
  "personality",
  ...processCalls,
  ...Object.keys({ ...everyoneCalls, ...signalCalls, ...signalSettings }),
]);

const NAMESPACE_FLAGS = 0x7e020080; // CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET,TIME}
const SIGXFSZ = 25;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const SOCKET_TYPE = 0xf; // the other bits are flags
const SOCK_DGRAM = 2;
const SOCK_RAW = 3;
const FIRST_PROCESS = 1;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16; // getaddrinfo and `ip` list the box's own interfaces with it

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050000 | 1;
const ENOSYS = 0x00050000 | 38;
const EOPNOTSUPP = 0x00050000 | 95;
const EAFNOSUPPORT = 0x00050000 | 97;

const DATA_NUMBER = 0;
const DATA_ARCHITECTURE = 4;
const DATA_FIRST_ARGUMENT = 16; // low half: both processors are little-endian
const DATA_SECOND_ARGUMENT = 24;
const argumentAt = (index: number) => DATA_FIRST_ARGUMENT + 8 * index;

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const and = (value: number): Instruction => [0x54, 0, 0, value];
const ifEqual = (value: number, then: number, otherwise: number): Instruction => [0x15, then, otherwise, value];
const ifAtLeast = (value: number, then: number, otherwise: number): Instruction => [0x35, then, otherwise, value];
const ifAnyBit = (value: number, then: number, otherwise: number): Instruction => [0x45, then, otherwise, value];

export function seccompProgram(options: SeccompOptions): Buffer {
  const { audit, calls } = tables[options.architecture];
  const program: Instruction[] = [
    load(DATA_ARCHITECTURE),
    ifEqual(audit, 1, 0),
    answer(KILL), // SECURITY(T05): calls of another architecture have other numbers (int 0x80, 32-bit programs)
    load(DATA_NUMBER),
  ];
  // The x32 calls of x64 are the same calls under other numbers.
  if (options.architecture === "x64") program.push(ifAtLeast(0x40000000, 0, 1), answer(ENOSYS));
  for (const [name, number] of Object.entries(calls)) {
    if (!inspectedCalls.has(name)) {
      program.push(ifEqual(number, 0, 1), answer(refusalOf(name)));
    }
  }
  // Internet sockets reach what the box's network namespace has, at least its loopback, where tests start servers. Other families
  // (vsock, packet, alg, …) are not bound to a namespace, or no program needs them.
  const families = [...(options.unix ? [AF_UNIX] : []), AF_INET, AF_INET6, AF_NETLINK];
  program.push(
    // Each block overwrites the call's number with an argument, so it must end in an answer.
    ...whenCall(calls["socket"], DATA_FIRST_ARGUMENT, [...oneOf(families), answer(EAFNOSUPPORT)]),
    // SECURITY(T09): the sockets of a datagram pair are not bound to each other: each can send to any socket name of the host. The
    // kernel treats raw UNIX sockets as datagram sockets.
    ...(options.unix
      ? []
      : whenCall(calls["socketpair"], DATA_SECOND_ARGUMENT, [
          and(SOCKET_TYPE),
          ifEqual(SOCK_DGRAM, 1, 0),
          ifEqual(SOCK_RAW, 0, 1),
          answer(EAFNOSUPPORT),
          answer(ALLOW),
        ])),
    ...whenCall(calls["clone"], DATA_FIRST_ARGUMENT, [ifAnyBit(NAMESPACE_FLAGS, 0, 1), answer(EPERM), answer(ALLOW)]),
    // SECURITY(T45): only the kernel may send SIGXFSZ, which says that a file grew too large.
    ...Object.entries(signalCalls).flatMap(([name, index]) =>
      whenCall(calls[name], argumentAt(index), [ifEqual(SIGXFSZ, 0, 1), answer(EPERM), answer(ALLOW)]),
    ),
    ...Object.entries(signalSettings).flatMap(([name, [at, operation, index]]) =>
      whenCall(calls[name], argumentAt(at), [
        ifEqual(operation, 0, 2),
        load(argumentAt(index)),
        ifEqual(SIGXFSZ, 1, 0),
        answer(ALLOW),
        answer(EPERM),
      ]),
    ),
    // SECURITY(T05): these operations type into, or paste on, a terminal that the box inherited.
    ...whenCall(calls["ioctl"], DATA_SECOND_ARGUMENT, [
      ifEqual(TIOCSTI, 1, 0),
      ifEqual(TIOCLINUX, 0, 1),
      answer(EPERM),
      answer(ALLOW),
    ]),
    // Allows 0 and the query 0xffffffff. Other values weaken the defences of the process.
    ...whenCall(calls["personality"], DATA_FIRST_ARGUMENT, [
      ifEqual(0, 1, 0),
      ifEqual(0xffffffff, 0, 1),
      answer(ALLOW),
      answer(EPERM),
    ]),
    // SECURITY(T10): with a limit on the box's first process a program could get that process killed, and the report with it.
    // SECURITY(T35): with a lower priority the first process would end the box too late.
    ...processCalls.flatMap((name) =>
      whenCall(calls[name], DATA_FIRST_ARGUMENT, [ifEqual(FIRST_PROCESS, 0, 1), answer(EPERM), answer(ALLOW)]),
    ),
    // SECURITY(T35): the first process has its own process group, and the same user as all others.
    ...Object.entries(everyoneCalls).flatMap(([name, user]) =>
      whenCall(calls[name], DATA_FIRST_ARGUMENT, [
        ifEqual(user, 2, 0),
        load(DATA_SECOND_ARGUMENT),
        ifEqual(FIRST_PROCESS, 0, 1),
        answer(EPERM),
        answer(ALLOW),
      ]),
    ),
    answer(ALLOW),
  );
  return encode(program);
}

function refusalOf(name: string): number {
  if (unsupportedCalls.has(name)) return EOPNOTSUPP;
  return unknownCalls.has(name) ? ENOSYS : EPERM;
}

function whenCall(number: number | undefined, argument: number, block: Instruction[]): Instruction[] {
  if (number === undefined) throw new RangeError("a call that is inspected must have a number");
  return [ifEqual(number, 0, block.length + 1), load(argument), ...block];
}

function oneOf(values: readonly number[]): Instruction[] {
  return values.flatMap((value) => [ifEqual(value, 0, 1), answer(ALLOW)]);
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, jumpTrue, jumpFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumpTrue, index * 8 + 2);
    bytes.writeUInt8(jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
