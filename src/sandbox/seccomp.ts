// The system call filter of a box, as the BPF program that bubblewrap's --seccomp takes.
// Everything is allowed but what a program in a box has no business with: other namespaces, mounts, tracing,
// keyrings, io_uring (it goes around filters), the kernel's own knobs, and sockets that leave the box.
// Invariant: no program for an unknown processor; then the box is not built.

type Architecture = "x64" | "arm64";

export interface SeccompOptions {
  readonly architecture: Architecture;
  /** Whether UNIX sockets may be made. Connected pairs always may: they reach nobody. */
  readonly unix: boolean;
}

export function isFilterable(architecture: string): architecture is Architecture {
  return Object.hasOwn(tables, architecture);
}

interface Table {
  readonly audit: number;
  readonly calls: Readonly<Record<string, number>>;
}

// Numbers from the kernel's own tables; a name that one processor lacks is left out there.
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

// Answered "no such system call", so that the C library takes its older way: clone3 hides its flags from a filter.
const unknownCalls = new Set(["clone3", "io_uring_setup", "io_uring_enter", "io_uring_register"]);
// SECURITY(T44): answered as by a file system that cannot do it, so that programs write instead: nobody counts what is only
// reserved.
const unsupportedCalls = new Set(["fallocate"]);
// What sends a signal, and which argument names it.
const signalCalls = { kill: 1, tkill: 1, tgkill: 2, rt_sigqueueinfo: 1, rt_tgsigqueueinfo: 2, pidfd_send_signal: 1 };
// What has the kernel send one, by the operation that says which.
const signalSettings = { fcntl: [1, 10, 2], prctl: [0, 1, 1] } as const; // F_SETSIG, PR_SET_PDEATHSIG
// What the first process may use of the processor, and of all else. Each names a process first; 0 is the caller itself.
const processCalls = ["prlimit64", "sched_setparam", "sched_setscheduler", "sched_setaffinity", "sched_setattr"];
// Each names a process, a group of them or a user, and says first which of these it is: this is the user.
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
const SOCKET_TYPE = 0xf; // the rest of it is flags
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
    answer(KILL), // SECURITY(T05): another processor's calls have other numbers (int 0x80, 32-bit programs)
    load(DATA_NUMBER),
  ];
  // The x32 calls of x64 are the same calls under other numbers.
  if (options.architecture === "x64") program.push(ifAtLeast(0x40000000, 0, 1), answer(ENOSYS));
  for (const [name, number] of Object.entries(calls)) {
    if (!inspectedCalls.has(name)) {
      program.push(ifEqual(number, 0, 1), answer(refusalOf(name)));
    }
  }
  // Internet sockets reach what the box's own network namespace has: at the least its own loopback, where tests
  // start servers. Other families (vsock, packet, alg, …) are not bound to a namespace, or are nobody's need.
  const families = [...(options.unix ? [AF_UNIX] : []), AF_INET, AF_INET6, AF_NETLINK];
  program.push(
    // Each block loads an argument over the call's number, and so must end in an answer.
    ...whenCall(calls["socket"], DATA_FIRST_ARGUMENT, [...oneOf(families), answer(EAFNOSUPPORT)]),
    // SECURITY(T09): a pair of datagram sockets is not bound to each other: either can send to any name of the host.
    // Raw ones are datagram sockets by another name.
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
    // SECURITY(T45): what says that a file grew too large comes from the kernel alone.
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
    // SECURITY(T05): typing into, or pasting on, a terminal that the box was handed.
    ...whenCall(calls["ioctl"], DATA_SECOND_ARGUMENT, [
      ifEqual(TIOCSTI, 1, 0),
      ifEqual(TIOCLINUX, 0, 1),
      answer(EPERM),
      answer(ALLOW),
    ]),
    // 0 and "which one is it?" are ordinary; the rest weakens the process's own defences.
    ...whenCall(calls["personality"], DATA_FIRST_ARGUMENT, [
      ifEqual(0, 1, 0),
      ifEqual(0xffffffff, 0, 1),
      answer(ALLOW),
      answer(EPERM),
    ]),
    // SECURITY(T10): with a limit set on the box's first process, a program could have it killed, and the record of how
    // it ended with it. SECURITY(T35): put behind all others, it would end the box too late.
    ...processCalls.flatMap((name) =>
      whenCall(calls[name], DATA_FIRST_ARGUMENT, [ifEqual(FIRST_PROCESS, 0, 1), answer(EPERM), answer(ALLOW)]),
    ),
    // SECURITY(T35): the first process is a group of its own, and has the user that all have.
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
