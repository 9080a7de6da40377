// Starts processes for a gate. Forking gets slower as the parent's memory grows, and a gate can be large: one millisecond for a gate
// that has just started, dozens for one with hundreds of megabytes. So this small helper process, which has a few pages, does it.
//
//   forker
//
// It reads requests from descriptor 0, writes answers to descriptor 1, and ends when the gate ends. A process that it starts gets its
// own session, an empty environment, and the descriptors that the gate names by the gate's numbers. The forker opens them again through
// /proc, so that the gate need not send them. Only sockets cannot be opened again, and none of them is a socket.
//
// If descriptor 3 is open, it is a channel of node's to the gate. A process that the gate names gets a copy, to send sockets to the gate:
// native/keeper-network.h. The gate confirms each of them, and nobody needs that.
//
// It uses no libc, like native/init.c.

#include "kernel.h"

enum { POLLIN = 1, EAGAIN = 11, F_SETFL = 4, F_DUPFD_CLOEXEC = 1030, O_PATH = 010000000, AT_FDCWD = -100, CLONE_VFORK = 0x4000,
       GATE_FDS = 3, SIGNALS = 4, SAY_ERROR = 5, READ_ERROR = 6, CHANNEL = 8 };

// A request of the gate: a head, and for START the descriptors and then words that end in NUL: the directory, the program, its
// arguments. `id` is the gate's name for the process.
enum { START = 1, SIGNAL = 2 };
struct request { u32 kind, id, bytes_or_signal, descriptor_count; };
struct descriptor { u32 fd, flags; };
enum { IS_CHANNEL = 1u << 30 }; // in `flags`: the forker's channel, whatever `fd` is

// An answer to the gate.
enum { STARTED = 1, NOT_STARTED = 2, NOT_OPENED = 3, ENDED = 4 };
struct answer { u32 kind, id; int value; };

enum { BODY_BYTES = 4 << 20, WORD_COUNT = 1 << 16, DESCRIPTOR_COUNT = 1024, CHILD_COUNT = 4096 };
static char body[BODY_BYTES];
static char *words[WORD_COUNT + 1];
static long opened[DESCRIPTOR_COUNT];
static struct { u32 id; int pid; } children[CHILD_COUNT];
static u32 child_count;

static void answer(u32 kind, u32 id, long value) {
  struct answer answer = { kind, id, (int)value };
  if (call(SYS_write, 1, &answer, sizeof answer, 0) != sizeof answer) leave(1);
}

// Reads all bytes. Ends this process if the gate has ended.
static void read_whole(void *into, u64 bytes) {
  for (u64 done = 0; done < bytes;) {
    long count = call(SYS_read, 0, (char *)into + done, bytes - done, 0);
    if (count <= 0) leave(0);
    done += (u64)count;
  }
}

static void skip(u64 bytes) {
  for (; bytes > BODY_BYTES; bytes -= BODY_BYTES) read_whole(body, BODY_BYTES);
  read_whole(body, bytes);
}

// Opens without blocking, because opening a pipe whose reader has just gone would wait for another one. Then sets the gate's flags.
static long open_again(const struct descriptor *from, u32 above) {
  if (from->flags & IS_CHANNEL) return call(SYS_fcntl, CHANNEL, F_DUPFD_CLOEXEC, above, 0);
  char name[24];
  append_number(name, from->fd);
  u32 wait = from->flags & O_PATH ? 0 : O_NONBLOCK;
  long found = call(SYS_openat, GATE_FDS, name, from->flags | wait | O_CLOEXEC, 0);
  if (found < 0) return found;
  if (wait) call(SYS_fcntl, found, F_SETFL, from->flags, 0);
  if (found >= (long)above) return found;
  long higher = call(SYS_fcntl, found, F_DUPFD_CLOEXEC, above, 0);
  call(SYS_close, found, 0, 0, 0);
  return higher;
}

static const u64 blocked = 1ul << (SIGCHLD - 1);

__attribute__((noreturn)) static void become(u32 descriptor_count) {
  static char *no_environment[1];
  long error = call(SYS_chdir, words[0], 0, 0, 0);
  call(SYS_setsid, 0, 0, 0, 0);
  call(SYS_rt_sigprocmask, SIG_UNBLOCK, &blocked, 0, 8);
  for (u32 n = 0; n < descriptor_count && error >= 0; n++) error = call(SYS_dup3, opened[n], n, 0, 0);
  if (error >= 0) error = call(SYS_execve, words[1], words + 1, no_environment, 0);
  call(SYS_write, SAY_ERROR, &error, sizeof error, 0);
  leave(125);
}

static void start(const struct request *request) {
  u64 head = (u64)request->descriptor_count * sizeof(struct descriptor), bytes = head + request->bytes_or_signal;
  u32 word_count = 0;
  if (bytes > BODY_BYTES || request->descriptor_count > DESCRIPTOR_COUNT) {
    skip(bytes);
    return answer(NOT_STARTED, request->id, E2BIG);
  }
  read_whole(body, bytes);
  for (u64 at = head; at < bytes; at++) {
    if (at > head && body[at - 1] != 0) continue;
    if (word_count == WORD_COUNT) return answer(NOT_STARTED, request->id, E2BIG);
    words[word_count++] = body + at;
  }
  words[word_count] = 0;
  if (word_count < 2 || body[bytes - 1] != 0) leave(2);
  if (child_count == CHILD_COUNT) return answer(NOT_STARTED, request->id, EAGAIN);

  u32 count = 0;
  long error = 0, child = 0;
  for (; count < request->descriptor_count && error >= 0; count++)
    error = opened[count] = open_again((struct descriptor *)body + count, request->descriptor_count);
  int is_open = error >= 0;
  if (is_open) {
    error = 0;
    // Returns when the child has executed its program or has ended.
    child = call(SYS_clone, SIGCHLD | CLONE_VFORK, 0, 0, 0);
    if (child == 0) become(count);
    if (child < 0) error = child;
    else if (call(SYS_read, READ_ERROR, &error, sizeof error, 0) > 0) call(SYS_wait4, child, 0, 0, 0);
  }
  for (u32 n = 0; n < count; n++)
    if (opened[n] >= 0) call(SYS_close, opened[n], 0, 0, 0);
  if (error < 0) return answer(is_open ? NOT_STARTED : NOT_OPENED, request->id, -error);
  children[child_count].id = request->id;
  children[child_count++].pid = (int)child;
  answer(STARTED, request->id, child);
}

static void reap(void) {
  char told[128];
  while (call(SYS_read, SIGNALS, told, sizeof told, 0) > 0) {}
  for (;;) {
    int status = 0;
    long pid = call(SYS_wait4, -1, &status, WNOHANG, 0);
    if (pid <= 0) return;
    for (u32 n = 0; n < child_count; n++) {
      if (children[n].pid != pid) continue;
      u32 id = children[n].id;
      children[n] = children[--child_count];
      answer(ENDED, id, status);
      break;
    }
  }
}

// Signals only children that are not reaped yet, because their pids cannot be reused.
static void signal_child(u32 id, u32 signal) {
  for (u32 n = 0; n < child_count; n++)
    if (children[n].id == id) call(SYS_kill, children[n].pid, signal, 0, 0);
}

// Moves a descriptor to its fixed number.
static void place(long fd, long number) {
  if (fd < 0) leave(3);
  if (fd == number) return;
  if (call(SYS_dup3, fd, number, O_CLOEXEC, 0) < 0) leave(3);
  call(SYS_close, fd, 0, 0, 0);
}

struct watched { int fd; short asked, seen; };

__attribute__((noreturn, used)) void run(u64 *stack) {
  (void)stack;
  char path[48];
  append(append_number(append(path, "/proc/"), (u64)call(SYS_getppid, 0, 0, 0, 0)), "/fd");
  int is_channel = call(SYS_dup3, GATE_FDS, CHANNEL, O_CLOEXEC, 0) >= 0;
  call(SYS_close_range, GATE_FDS, CHANNEL - 1, 0, 0);
  call(SYS_close_range, is_channel ? CHANNEL + 1 : CHANNEL, ~0u, 0, 0);
  // The open descriptor stays the gate's even if another process gets the gate's pid later.
  place(call(SYS_openat, AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0), GATE_FDS);
  call(SYS_rt_sigprocmask, SIG_BLOCK, &blocked, 0, 8);
  place(call(SYS_signalfd4, -1, &blocked, 8, O_CLOEXEC | O_NONBLOCK), SIGNALS);
  int ends[2];
  if (call(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK, 0, 0) < 0) leave(3);
  place(ends[1], READ_ERROR + 1);
  place(ends[0], READ_ERROR);
  place(READ_ERROR + 1, SAY_ERROR);

  struct watched channel = { is_channel ? CHANNEL : -1, POLLIN, 0 };
  for (;;) {
    struct watched watched[3] = { { 0, POLLIN, 0 }, { SIGNALS, POLLIN, 0 }, channel };
    call(SYS_ppoll, watched, 3, 0, 0);
    if (watched[1].seen) reap();
    if (watched[2].seen && call(SYS_read, CHANNEL, body, BODY_BYTES, 0) <= 0) channel.fd = -1;
    if (!watched[0].seen) continue;
    struct request request;
    read_whole(&request, sizeof request);
    if (request.kind == START) start(&request);
    else if (request.kind == SIGNAL) signal_child(request.id, request.bytes_or_signal);
    else leave(2);
  }
}
