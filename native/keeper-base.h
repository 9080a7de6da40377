// What all commands of native/keeper.c use: numbers of the kernel, words, errors, namespaces, and waiting for bubblewrap.

#include "kernel.h"

enum { AT_FDCWD = -100, AT_SYMLINK_NOFOLLOW = 0x100, AT_EMPTY_PATH = 0x1000, AT_REMOVEDIR = 0x200, STATX_BASIC = 0x7ff, F_DUPFD_CLOEXEC = 1030,
       O_RDONLY = 0, O_WRONLY = 1, O_RDWR = 2, O_CREAT = 0100, O_EXCL = 0200, O_TRUNC = 01000, O_APPEND = 02000, O_PATH = 010000000,
       RESOLVE_NO_XDEV = 1, RESOLVE_NO_SYMLINKS = 4, RESOLVE_BENEATH = 8, LOCK_SH_NB = 5, LOCK_EX_NB = 6, LOCK_UN = 8,
       ENOENT = 2, EAGAIN = 11, EEXIST = 17, ENOTDIR = 20, ELOOP = 40, POLLIN = 1, POLLHUP = 16, OVERLAY_MAGIC = 0x794c7630,
       MS_BIND = 0x1000, CLONE_NEWNS = 0x20000, CLONE_NEWUSER = 0x10000000, MS_NOSUID = 2, MS_NODEV = 4, MS_REMOUNT = 32, MS_REC = 0x4000, MS_SLAVE = 1 << 19,
       S_IFMT = 0170000, S_IFDIR = 0040000, S_IFREG = 0100000, S_IFLNK = 0120000, S_IFCHR = 0020000 };

struct statx_time { u64 seconds; u32 nanoseconds; int reserved; };
struct statx { u32 mask, block_size; u64 attributes; u32 links, uid, gid; u16 mode, spare; u64 inode, size, blocks, attributes_mask;
               struct statx_time accessed, born, changed, modified; u32 rdev_major, rdev_minor, dev_major, dev_minor; u64 rest[14]; };
struct entry { u64 inode, offset; u16 bytes; u8 type; char name[]; };
struct how { u64 flags, mode, resolve; };

// HELD: another process holds the draft. BUSY: nobody does, but boxes of the last holder still run.
enum { OUT_BYTES = 64 << 10, PATH_BYTES = 4096, LOW_FD = 10, HELD = 75, BUSY = 76, FAILED = 125 };
static char out[OUT_BYTES];
static const char *opaque_name;
static char *no_environment[1];

static u64 length(const char *text) {
  u64 count = 0;
  while (text[count]) count++;
  return count;
}

static int is_same(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

// Prints to standard error, as bubblewrap does.
__attribute__((noreturn)) static void refuse(const char *what, long error) {
  char text[200], *at = append(append(append(text, "keeper: "), what), ": errno ");
  at = append(append_number(at, (u64)-error), "\n");
  call(SYS_write, 2, text, at - text, 0);
  leave(FAILED);
}

static long need(const char *what, long result) {
  if (result < 0) refuse(what, result);
  return result;
}

// Follows no link, in no part of the name, and leaves the directory by no other way.
static long open_below(long directory, const char *name, u64 flags, u64 resolve) {
  struct how how = { flags | O_NOFOLLOW | O_CLOEXEC, 0, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | resolve };
  return call(SYS_openat2, directory, name, &how, sizeof how);
}

static void write_file(const char *name, const char *text) {
  long fd = need(name, call(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CLOEXEC, 0));
  need(name, call(SYS_write, fd, text, length(text), 0));
  call(SYS_close, fd, 0, 0, 0);
}

static void write_map(const char *name, u64 id) {
  char text[64];
  append(append_number(append(append_number(text, id), " "), id), " 1");
  write_file(name, text);
}

// Layers of root's drafts have other marks than those of users.
static void name_marks(void) {
  opaque_name = call(SYS_getuid, 0, 0, 0, 0) == 0 ? "trusted.overlay.opaque" : "user.overlay.opaque";
}

// Root needs no user namespace. In a user namespace, the upper layer stores its marks in `user.` attributes, which a user may write.
// Returns whether there is one.
static int enter_own(int kinds) {
  u64 uid = (u64)call(SYS_getuid, 0, 0, 0, 0), gid = (u64)call(SYS_getgid, 0, 0, 0, 0);
  int is_own = uid != 0 || call(SYS_unshare, kinds, 0, 0, 0) < 0;
  if (!is_own) return 0;
  need("unshare", call(SYS_unshare, CLONE_NEWUSER | kinds, 0, 0, 0));
  write_file("/proc/self/setgroups", "deny");
  write_map("/proc/self/uid_map", uid);
  write_map("/proc/self/gid_map", gid);
  return 1;
}

static int enter_namespaces(void) {
  int is_own = enter_own(CLONE_NEWNS);
  need("slave", call6(SYS_mount, 0, (u64)"/", 0, MS_REC | MS_SLAVE, 0));
  return is_own;
}

// Closes all descriptors but two, because other processes wait for the ends of their pipes to close.
static void close_others(long a, long b) {
  long low = a < b ? a : b, high = a < b ? b : a;
  for (long fd = 0; fd < high; fd++)
    if (fd != low) call(SYS_close, fd, 0, 0, 0);
  if (call(SYS_close_range, high + 1, ~0u, 0, 0) < 0)
    for (long fd = high + 1; fd < 4096; fd++) call(SYS_close, fd, 0, 0, 0);
}

// Starts bubblewrap, keeps only two descriptors, which bubblewrap does not get, and waits. Bubblewrap ends after the box's first process,
// which ends after all others, so no process of the box is left then. Returns what to exit with.
static int run_bubblewrap(char **argv, long kept_a, long kept_b, long given_fd) {
  long self = call(SYS_getpid, 0, 0, 0, 0);
  // Blocks signals before the fork, because the caller could learn of the child and signal this process before it runs again.
  u64 held_back = 1ul << (SIGTERM - 1) | 1ul << (SIGINT - 1) | 1ul << (SIGHUP - 1);
  call(SYS_rt_sigprocmask, SIG_BLOCK, &held_back, 0, 8);
  long child = need("fork", call(SYS_clone, SIGCHLD, 0, 0, 0));
  if (child == 0) {
    // SECURITY(T10): a gate that gives up before the box has a first process kills this process. Then bubblewrap must end too.
    call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
    if (call(SYS_getppid, 0, 0, 0, 0) != self) leave(FAILED);
    if (given_fd > 2) call(SYS_close, given_fd, 0, 0, 0);
    call(SYS_rt_sigprocmask, SIG_UNBLOCK, &held_back, 0, 8);
    refuse("exec", call(SYS_execve, argv[0], argv, no_environment, 0));
  }
  close_others(kept_a, kept_b);
  int status = 0;
  while (call(SYS_wait4, child, &status, 0, 0) != child) {}
  return status & 0x7f ? 128 + (status & 0x7f) : status >> 8 & 0xff;
}
