// Runs around bubblewrap for a call on a workspace in memory. It mounts an overlay over the workspace's files and starts bubblewrap,
// which shows the overlay to the program. At the end it reports what the call changed, which is the content of the upper layer.
//
//   overlay LOWER ROOM SIZE_BYTES FILE_COUNT OUT_FD -- BUBBLEWRAP [ARGUMENT...]
//
// LOWER: the directory of the files, never written to. ROOM: an empty directory; the overlay is at ROOM/merged, and its upper layer in
// a tmpfs of that size. Both are in a private mount namespace: no other process sees them, and the kernel removes them when the last
// process of the namespace ends. OUT_FD: receives the changes as records; only this process holds it.
//
// Why this exists: bubblewrap 0.8 cannot mount an overlay, and mounting one inside the box would need privileges that no process in a
// box may have.
//
// It uses no libc, like native/init.c.

#include "kernel.h"

enum { AT_FDCWD = -100, AT_SYMLINK_NOFOLLOW = 0x100, STATX_BASIC = 0x7ff, F_DUPFD_CLOEXEC = 1030, O_RDONLY = 0, O_WRONLY = 1, O_PATH = 010000000,
       CLONE_NEWNS = 0x20000, CLONE_NEWUSER = 0x10000000, MS_NOSUID = 2, MS_NODEV = 4, MS_REC = 0x4000, MS_SLAVE = 1 << 19,
       S_IFMT = 0170000, S_IFDIR = 0040000, S_IFREG = 0100000, S_IFLNK = 0120000, S_IFCHR = 0020000 };

// The report to the gate: records, each with a head, a path, and the bytes of a file or the target of a link.
enum { FILE = 1, EXECUTABLE = 2, LINK = 3, GONE = 4, EMPTIED = 5, SPECIAL = 6, TOO_LARGE = 7, TOO_DEEP = 8, DIRECTORY = 9, BEGIN = 100, END = 101 };
struct head { u32 kind, path_bytes; u64 bytes; };

struct statx_time { u64 seconds; u32 nanoseconds; int reserved; };
struct statx { u32 mask, block_size; u64 attributes; u32 links, uid, gid; u16 mode, spare; u64 inode, size, blocks, attributes_mask;
               struct statx_time times[4]; u32 rdev_major, rdev_minor, dev_major, dev_minor; u64 rest[14]; };
struct entry { u64 inode, offset; u16 bytes; u8 type; char name[]; };

enum { OUT_BYTES = 64 << 10, PATH_BYTES = 4096, DEPTH = 128, FAILED = 125, LOW_FD = 10 };
static char out[OUT_BYTES], path[PATH_BYTES];
static u64 out_used, budget, record_count;
static long out_fd;
static const char *opaque_name;

static u64 length(const char *text) {
  u64 count = 0;
  while (text[count]) count++;
  return count;
}

static int is_same(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

// Prints to standard error, as bubblewrap does. Nothing has been started yet.
__attribute__((noreturn)) static void refuse(const char *what, long error) {
  char text[200], *at = append(append(append(text, "overlay: "), what), ": errno ");
  at = append(append_number(at, (u64)-error), "\n");
  call(SYS_write, 2, text, at - text, 0);
  leave(FAILED);
}

static long need(const char *what, long result) {
  if (result < 0) refuse(what, result);
  return result;
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

// Root needs no user namespace. In a user namespace, the upper layer stores its marks in `user.` attributes, which a user may write.
static int enter_namespaces(void) {
  u64 uid = (u64)call(SYS_getuid, 0, 0, 0, 0), gid = (u64)call(SYS_getgid, 0, 0, 0, 0);
  int is_own = uid != 0 || call(SYS_unshare, CLONE_NEWNS, 0, 0, 0) < 0;
  if (is_own) {
    need("unshare", call(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS, 0, 0, 0));
    write_file("/proc/self/setgroups", "deny");
    write_map("/proc/self/uid_map", uid);
    write_map("/proc/self/gid_map", gid);
  }
  need("slave", call6(SYS_mount, 0, (u64)"/", 0, MS_REC | MS_SLAVE, 0));
  return is_own;
}

// Returns the upper layer. The mount options contain only relative paths and descriptors, because a box can read them in
// /proc/self/mountinfo.
static long mount_overlay(const char *lower, const char *room, u64 bytes, u64 files, int is_own) {
  char options[400], *at = append(append_number(append(options, "mode=700,size="), bytes), ",nr_inodes=");
  append_number(at, files + 16);
  long lower_fd = need("lower", call(SYS_openat, AT_FDCWD, lower, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
  need("tmpfs", call6(SYS_mount, (u64)"tmpfs", (u64)room, (u64)"tmpfs", MS_NOSUID | MS_NODEV, (u64)options));
  need("chdir", call(SYS_chdir, room, 0, 0, 0));
  need("upper", call(SYS_mkdirat, AT_FDCWD, "upper", 0755, 0));
  need("work", call(SYS_mkdirat, AT_FDCWD, "work", 0700, 0));
  need("merged", call(SYS_mkdirat, AT_FDCWD, "merged", 0700, 0));
  long upper = need("upper", call(SYS_openat, AT_FDCWD, "upper", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  // If this fails, an overlay can still be mounted, but removing a directory and making it again fails in it.
  opaque_name = is_own ? "user.overlay.opaque" : "trusted.overlay.opaque";
  need("xattr", call6(SYS_fsetxattr, (u64)upper, (u64)opaque_name, (u64)"n", 1, 0));
  at = append_number(append(options, "lowerdir=/proc/self/fd/"), (u64)lower_fd);
  at = append(at, ",upperdir=upper,workdir=work,redirect_dir=nofollow,metacopy=off,index=off");
  if (is_own) append(at, ",userxattr");
  need("mount", call6(SYS_mount, (u64)"overlay", (u64)"merged", (u64)"overlay", MS_NOSUID | MS_NODEV, (u64)options));
  need("chdir", call(SYS_chdir, "/", 0, 0, 0));
  return upper;
}

// The gate is the only reader. If it has ended, SIGPIPE ends this process here.
static void flush(void) {
  for (u64 at = 0; at < out_used;) {
    long count = call(SYS_write, out_fd, out + at, out_used - at, 0);
    if (count <= 0) leave(FAILED);
    at += (u64)count;
  }
  out_used = 0;
}

static void put(const char *bytes, u64 count) {
  for (u64 i = 0; i < count; i++) {
    if (out_used == OUT_BYTES) flush();
    out[out_used++] = bytes[i];
  }
}

static void record(u32 kind, u64 path_bytes, u64 bytes) {
  struct head head = { kind, (u32)path_bytes, bytes };
  put((char *)&head, sizeof head);
  put(path, path_bytes);
  record_count++;
}

static void put_file(long directory, const char *name, u64 path_bytes, const struct statx *found) {
  if (found->size > budget) return record(TOO_LARGE, path_bytes, 0); // holes and hard links use no memory, but would be sent as bytes
  budget -= found->size;
  long fd = call(SYS_openat, directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  if (fd < 0) leave(FAILED);
  record(found->mode & 0111 ? EXECUTABLE : FILE, path_bytes, found->size);
  for (u64 left = found->size; left > 0;) {
    if (out_used == OUT_BYTES) flush();
    u64 room = OUT_BYTES - out_used;
    long count = call(SYS_read, fd, out + out_used, room < left ? room : left, 0);
    if (count <= 0) leave(FAILED); // cannot happen by a change: no process that could change the file is left
    out_used += (u64)count;
    left -= (u64)count;
  }
  call(SYS_close, fd, 0, 0, 0);
}

static void put_link(long directory, const char *name, u64 path_bytes) {
  char text[PATH_BYTES];
  long count = call(SYS_readlinkat, directory, name, text, sizeof text);
  if (count < 0) leave(FAILED);
  record(LINK, path_bytes, (u64)count);
  put(text, (u64)count);
}

static u64 walk(long directory, u64 path_bytes, int depth);

static void put_directory(long parent, const char *name, u64 path_bytes, int depth) {
  char value = 0;
  long fd = call(SYS_openat, parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
  if (fd < 0) leave(FAILED);
  if (call(SYS_fgetxattr, fd, opaque_name, &value, 1) == 1 && value == 'y') record(EMPTIED, path_bytes, 0);
  if (depth == DEPTH) record(TOO_DEEP, path_bytes, 0);
  else if (walk(fd, path_bytes, depth + 1) == 0) record(DIRECTORY, path_bytes, 0); // no other record shows that the directory exists
  call(SYS_close, fd, 0, 0, 0);
}

// Returns whether the entry exists now.
static int put_entry(long directory, const char *name, u64 path_bytes, int depth) {
  struct statx found;
  // The kernel fills the whole structure. The overlay marks a deletion by a device file 0:0, which no program can make here.
  if (call6(SYS_statx, (u64)directory, (u64)name, AT_SYMLINK_NOFOLLOW, STATX_BASIC, (u64)&found) < 0) leave(FAILED);
  u32 kind = found.mode & S_IFMT;
  if (kind == S_IFREG) put_file(directory, name, path_bytes, &found);
  else if (kind == S_IFDIR) put_directory(directory, name, path_bytes, depth);
  else if (kind == S_IFLNK) put_link(directory, name, path_bytes);
  else if (kind == S_IFCHR && found.rdev_major == 0 && found.rdev_minor == 0) {
    record(GONE, path_bytes, 0);
    return 0;
  } else record(SPECIAL, path_bytes, 0);
  return 1;
}

// Returns the number of entries.
static u64 walk(long directory, u64 path_bytes, int depth) {
  char entries[4096] __attribute__((aligned(8)));
  long count;
  u64 found = 0;
  while ((count = call(SYS_getdents64, directory, entries, sizeof entries, 0)) > 0) {
    struct entry *entry;
    for (char *at = entries; at < entries + count; at += entry->bytes) {
      entry = (struct entry *)at;
      const char *name = entry->name;
      // A program may make a repository, but a .git is never reported to the gate.
      if (is_same(name, ".") || is_same(name, "..") || is_same(name, ".git")) continue;
      u64 name_at = path_bytes == 0 ? 0 : path_bytes + 1, end = name_at + length(name);
      if (end >= PATH_BYTES) { record(TOO_DEEP, path_bytes, 0); continue; }
      if (path_bytes != 0) path[path_bytes] = '/';
      append(path + name_at, name);
      found += (u64)put_entry(directory, name, end, depth);
    }
  }
  if (count < 0) leave(FAILED);
  return found;
}

// Closes all other descriptors, because other processes wait for the ends of their pipes to close.
static void close_others(long upper) {
  long low = out_fd < upper ? out_fd : upper, high = out_fd < upper ? upper : out_fd;
  for (long fd = 0; fd < high; fd++)
    if (fd != low) call(SYS_close, fd, 0, 0, 0);
  if (call(SYS_close_range, high + 1, ~0u, 0, 0) < 0)
    for (long fd = high + 1; fd < 4096; fd++) call(SYS_close, fd, 0, 0, 0);
}

__attribute__((noreturn, used)) void run(u64 *stack) {
  char **argv = (char **)(stack + 1), *environment[1] = { 0 };
  if (stack[0] < 8 || !is_end(argv[6])) leave(FAILED);
  long given_fd = (long)number(argv[5]), self = call(SYS_getpid, 0, 0, 0, 0);
  budget = number(argv[3]);
  out_fd = need("output", call(SYS_fcntl, given_fd, F_DUPFD_CLOEXEC, LOW_FD, 0));
  int is_own = enter_namespaces();
  long upper = mount_overlay(argv[1], argv[2], budget, number(argv[4]), is_own);

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
    refuse("exec", call(SYS_execve, argv[7], argv + 7, environment, 0));
  }

  close_others(upper);
  int status = 0;
  while (call(SYS_wait4, child, &status, 0, 0) != child) {}

  // Bubblewrap ends after the box's first process, which ends after all others, so no process is left that could change anything.
  record(BEGIN, 0, 0);
  flush();
  walk(upper, 0, 0);
  record(END, 0, record_count);
  flush();
  leave(status & 0x7f ? 128 + (status & 0x7f) : status >> 8 & 0xff);
}
