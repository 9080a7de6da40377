// The first process of a box. It joins the cgroups that the gate opened, starts the program with its limits, forwards SIGTERM to the
// program, and reports on a descriptor how the program ended. When it exits, the kernel kills everything else in its pid namespace.
//
// Why this exists: bubblewrap's own first process reports a death by signal as exit code 128 + n, which a program can also return. And
// it ends after bubblewrap, not before.
//
//   init STATUS_FD [c FD]... [l RESOURCE SOFT HARD]... [i FILE] [t FD] [e FD] [g FD] -- PROGRAM [ARGUMENT...]
//
// c: a cgroup.procs file to join, open for writing. l: a resource limit. i: a file of the box that becomes the program's standard
// input. t: the program gets a terminal of the box (init-terminal.h); its size comes from this pipe. e: a file with the program's environment, as NAME=VALUE strings that end in NUL; every user of the machine could read
// arguments. g: a pipe on which the gate sends a byte once the start is recorded; without the byte the program does not start.
//
// It uses no libc, only raw system calls, so that the binary is small, static and the same everywhere.
// `npm run build:init` builds it. A test rebuilds it and compares the bytes.

#include "kernel.h"

enum { POLLIN = 1, POLLERR = 8, STATUS = 3, AT_FDCWD = -100 };

// The report to the gate: one record of 32 bytes.
enum { ENDED = 1, NOT_STARTED = 2, NO_CGROUP = 3, NO_LIMIT = 4, NO_FORK = 5, NO_ENVIRONMENT = 6, NO_INPUT = 7, NO_TERMINAL = 8 };
struct record { u32 kind; int value; u64 user_us, system_us, peak_kb; };
struct rusage { u64 user_s, user_us, system_s, system_us, peak_kb, rest[13]; };

static void report(u32 kind, int value, const struct rusage *used) {
  struct record record = { kind, value, 0, 0, 0 };
  if (used) {
    record.user_us = used->user_s * 1000000 + used->user_us;
    record.system_us = used->system_s * 1000000 + used->system_us;
    record.peak_kb = used->peak_kb;
  }
  call(SYS_write, STATUS, &record, sizeof record, 0);
}

__attribute__((noreturn)) static void refuse(u32 kind, long error) {
  report(kind, (int)-error, 0);
  leave(125);
}

struct limit { u64 resource, value[2]; };
struct watched { int fd; short asked, seen; };

#include "init-terminal.h"

// Waits for a signal, for the end of the gate or, if there is a terminal, for something to copy. Only the gate holds the other end of the status pipe, so that pipe closes when the
// gate ends. Bubblewrap's --die-with-parent is not enough: bubblewrap sets it a moment after its start, and if the gate is killed in
// that moment, nobody ever ends the box.
static int is_gate_gone(int signals, const u64 *timeout, int has_terminal) {
  struct watched watched[5] = { { STATUS, 0, 0 }, { signals, POLLIN, 0 }, next_of(&typed), next_of(&drawn), { SIZES, POLLIN, 0 } };
  call(SYS_ppoll, watched, has_terminal ? 5 : 2, timeout, 0);
  return watched[0].seen & POLLERR;
}

// More than the gate allows. Untouched pages cost nothing.
enum { BLOCK_BYTES = 2 << 20, VARIABLE_COUNT = 2048 };
static char block[BLOCK_BYTES];
static char *environment[VARIABLE_COUNT + 1];

static long read_environment(long fd) {
  u64 length = 0;
  for (;;) {
    long count = call(SYS_read, fd, block + length, BLOCK_BYTES - length, 0);
    if (count < 0) return count;
    if (count == 0) break;
    length += (u64)count;
  }
  if (length == BLOCK_BYTES || (length > 0 && block[length - 1] != 0)) return -E2BIG;
  int count = 0;
  for (u64 at = 0; at < length; at++) {
    if (at > 0 && block[at - 1] != 0) continue;
    if (count == VARIABLE_COUNT) return -E2BIG;
    environment[count++] = block + at;
  }
  return 0;
}

// Opens the box's file. With a descriptor of the gate's /dev/null, a program of root could change the machine's.
static long open_input(const char *file) {
  long fd = call(SYS_openat, AT_FDCWD, file, O_CLOEXEC, 0);
  return fd < 0 ? fd : call(SYS_dup3, fd, 0, 0, 0);
}

// The pipe closes without a byte if the gate has ended or could not write the record.
static void wait_for_go(long fd) {
  char word;
  if (call(SYS_read, fd, &word, 1, 0) != 1) leave(125);
}

__attribute__((noreturn, used)) void run(u64 *stack) {
  char **argv = (char **)(stack + 1), **word = argv + 2;
  long status_fd = (long)number(argv[1]), sizes_fd = -1, peer = -1, error = 0, result;
  struct limit limits[16];
  int limit_count = 0;
  u32 refused = 0;

  for (; !is_end(*word); word += word[0][0] == 'l' ? 4 : 2) {
    char kind = word[0][0];
    if (kind == 'l' && limit_count < 16) {
      limits[limit_count++] = (struct limit){ number(word[1]), { number(word[2]), number(word[3]) } };
    } else if (kind == 't') {
      sizes_fd = (long)number(word[1]);
    } else if (kind == 'g') {
      if (!refused) wait_for_go((long)number(word[1]));
    } else if (kind == 'i') {
      if (!refused && (result = open_input(word[1])) < 0) error = result, refused = NO_INPUT;
    } else if (!refused) {
      result = kind == 'e' ? read_environment((long)number(word[1])) : call(SYS_write, number(word[1]), "0", 1, 0);
      if (result < 0) error = result, refused = kind == 'e' ? NO_ENVIRONMENT : NO_CGROUP;
    }
  }

  // The program inherits only descriptors 0, 1 and 2. Those of the first process stay open until exec.
  int has_terminal = sizes_fd >= 0, first_closed = has_terminal ? SIZES + 1 : STATUS + 1;
  if (status_fd != STATUS) call(SYS_dup3, status_fd, STATUS, 0, 0);
  call(SYS_fcntl, STATUS, F_SETFD, FD_CLOEXEC, 0);
  if (has_terminal) {
    if (sizes_fd != SIZES) call(SYS_dup3, sizes_fd, SIZES, 0, 0);
    call(SYS_fcntl, SIZES, F_SETFD, FD_CLOEXEC, 0);
    call(SYS_fcntl, SIZES, F_SETFL, O_NONBLOCK, 0);
  }
  if (call(SYS_close_range, first_closed, ~0u, 0, 0) < 0)
    for (int fd = first_closed; fd < 4096; fd++) call(SYS_close, fd, 0, 0, 0);
  if (has_terminal && !refused && (peer = open_terminal()) < 0) error = peer, refused = NO_TERMINAL;
  if (refused) refuse(refused, error);

  // Otherwise the program could open /proc/1/fd/3 and write the record itself.
  call(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0);

  // Blocked signals wait in this descriptor, so none is lost between two reads.
  u64 waited_for = 1ul << (SIGTERM - 1) | 1ul << (SIGCHLD - 1), at_once[2] = { 0, 0 };
  call(SYS_rt_sigprocmask, SIG_BLOCK, &waited_for, 0, 8);
  int signals = (int)call(SYS_signalfd4, -1, &waited_for, 8, O_CLOEXEC | O_NONBLOCK);
  if (signals < 0) refuse(NO_FORK, signals);
  if (is_gate_gone(signals, at_once, 0)) leave(125);

  long child = call(SYS_clone, SIGCHLD, 0, 0, 0);
  if (child < 0) refuse(NO_FORK, child);

  if (child == 0) {
    call(SYS_setsid, 0, 0, 0, 0);
    if (has_terminal && (error = enter_terminal(peer)) < 0) refuse(NO_TERMINAL, error);
    call(SYS_rt_sigprocmask, SIG_UNBLOCK, &waited_for, 0, 8);
    for (int i = 0; i < limit_count; i++)
      if ((error = call(SYS_prlimit64, 0, limits[i].resource, limits[i].value, 0)) < 0) refuse(NO_LIMIT, error);
    refuse(NOT_STARTED, call(SYS_execve, word[1], word + 1, environment, 0));
  }

  for (;;) {
    int status = 0;
    struct rusage used;
    u32 signal[32]; // one signalfd record: the signal number comes first
    if (call(SYS_read, signals, signal, sizeof signal, 0) > 0 && signal[0] == SIGTERM) call(SYS_kill, -child, SIGTERM, 0, 0);
    long ended;
    while ((ended = call(SYS_wait4, -1, &status, WNOHANG, &used)) > 0)
      if (ended == child) {
        while (has_terminal && (move_bytes(&drawn), drawn.length > 0) && !is_gate_gone(-1, 0, 1)) {}
        report(ENDED, status, &used);
        leave(0);
      }
    if (has_terminal) use_size(), move_bytes(&typed), move_bytes(&drawn);
    if (is_gate_gone(signals, 0, has_terminal)) { call(SYS_kill, -child, SIGKILL, 0, 0); leave(125); }
  }
}
