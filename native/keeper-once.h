// `keeper once`: one call over files in memory, and the report of what it changed.

// The report to the gate: records, each with a head, a path, and the bytes of a file or the target of a link.
enum { FILE = 1, EXECUTABLE = 2, LINK = 3, GONE = 4, EMPTIED = 5, SPECIAL = 6, TOO_LARGE = 7, TOO_DEEP = 8, DIRECTORY = 9, BEGIN = 100, END = 101 };
struct head { u32 kind, path_bytes; u64 bytes; };

enum { DEPTH = 128 };
static u64 budget, record_count;

// Returns the upper layer. The mount options contain only relative paths and descriptors, because a box can read them in
// /proc/self/mountinfo.
static long mount_overlay(const char *lower, const char *room, u64 bytes, u64 files, struct layers all, int is_own) {
  char options[400], *at = append(append_number(append(options, "mode=700,size="), bytes), ",nr_inodes=");
  append_number(at, files + 16 + all.count);
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
  mount_layers(room, all, is_own);
  need("chdir", call(SYS_chdir, "/", 0, 0, 0));
  return upper;
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

__attribute__((noreturn)) static void once(u64 argc, char **argv) {
  if (argc < 9) leave(FAILED);
  struct layers all = layers_in(argv, argc, 7);
  long given_fd = (long)number(argv[6]);
  budget = number(argv[4]);
  out_fd = need("output", call(SYS_fcntl, given_fd, F_DUPFD_CLOEXEC, LOW_FD, 0));
  int is_own = enter_namespaces();
  open_network();
  long upper = mount_overlay(argv[2], argv[3], budget, number(argv[5]), all, is_own);
  int code = run_bubblewrap(after_layers(all), out_fd, upper, given_fd);
  long report_fd = out_fd;
  list_layers(all); // first: the gate may end this process while it reads a long report
  out_fd = report_fd;
  record(BEGIN, 0, 0);
  flush();
  walk(upper, 0, 0);
  record(END, 0, record_count);
  flush();
  leave(code);
}
