// `keeper hold` and `keeper join`: one mount of a draft for all its calls.

enum { FIRST_USER_SECONDS = 10 };

// The gate knows this text: it starts another holder, and the call again.
static const char NO_HOLDER[] = "no holder";

// The directory must not be replaced by a link while it is used, so everything is reached from its descriptor.
static long open_draft(const char *path) {
  return need("draft", call(SYS_openat, AT_FDCWD, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
}

static long open_part(long draft, const char *name) {
  return need(name, call(SYS_openat, draft, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
}

// Mounts the draft at `room`, and the session's git directory in it, if the draft has one.
static void mount_draft(long lower, long draft, long upper, const char *room, int is_own) {
  char options[300], *at = append_number(append(options, "lowerdir=/proc/self/fd/"), (u64)lower);
  long work_fd = open_part(draft, "work");
  at = append_number(append(at, ",upperdir=/proc/self/fd/"), (u64)upper);
  at = append_number(append(at, ",workdir=/proc/self/fd/"), (u64)work_fd);
  // A directory that only the project has cannot be renamed: it would show under its new name what is hidden later under the old one.
  append(at, is_own ? ",metacopy=off,index=off,userxattr" : ",metacopy=off,index=off,redirect_dir=nofollow");
  char size[64];
  append_number(append(size, "mode=700,size="), ROOM_BYTES);
  need("tmpfs", call6(SYS_mount, (u64)"tmpfs", (u64)room, (u64)"tmpfs", MS_NOSUID | MS_NODEV, (u64)size));
  need("chdir", call(SYS_chdir, room, 0, 0, 0));
  need("merged", call(SYS_mkdirat, AT_FDCWD, "merged", 0700, 0));
  need("sync", call(SYS_mkdirat, AT_FDCWD, "sync", 0700, 0));
  need("mount", call6(SYS_mount, (u64)"overlay", (u64)"merged", (u64)"overlay", MS_NOSUID | MS_NODEV, (u64)options));
  call(SYS_close, work_fd, 0, 0, 0);
  long git = call(SYS_openat, draft, "git", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
  if (git >= 0) {
    append_number(append(options, "/proc/self/fd/"), (u64)git);
    need("git", call6(SYS_mount, (u64)options, (u64)"merged/.git", 0, MS_BIND, 0));
    call(SYS_close, git, 0, 0, 0);
  }
  need("chdir", call(SYS_chdir, "/", 0, 0, 0));
}

struct watched { int fd; short asked, seen; };

static void write_pid(long holder) {
  char text[24], *end = append_number(text, (u64)call(SYS_getpid, 0, 0, 0, 0));
  need("holder", call(SYS_ftruncate, holder, 0, 0, 0));
  need("holder", call6(SYS_pwrite64, (u64)holder, (u64)text, (u64)(end - text), 0, 0));
}

// Whether nobody has the pipe open for writing. The kernel tells so only if somebody had; a read without a writer ends at once.
static int is_unused(long users) {
  struct watched watched = { (int)users, 0, 0 };
  u64 at_once[2] = { 0, 0 };
  char byte;
  call(SYS_ppoll, &watched, 1, at_once, 0);
  return watched.seen & POLLHUP || call(SYS_read, users, &byte, 1, 0) == 0;
}

// Returns when the last process that had the pipe open has closed it, or when nobody has opened it in time. What is written to the pipe
// wakes nobody.
static void serve(long users, long holder) {
  u64 first[2] = { FIRST_USER_SECONDS, 0 }, *limit = first; // the kernel subtracts what has passed
  for (;;) {
    struct watched watched[2] = { { (int)users, 0, 0 }, { (int)inotify, POLLIN, 0 } };
    long count = call(SYS_ppoll, watched, 2, limit, 0);
    if (count > 0 && watched[1].seen) take_events();
    if (count == 0) limit = 0;
    if (count != 0 && !(watched[0].seen & POLLHUP)) continue;
    if (!is_unused(users)) continue;
    // Who opens the pipe from here on finds no process id. Who has opened it meanwhile keeps this holder.
    call(SYS_ftruncate, holder, 0, 0, 0);
    if (is_unused(users)) return;
    write_pid(holder);
  }
}

// Locked by every box until it has ended. If a holder was killed, its mount lives on in the boxes that it had, and a layer that is mounted
// twice has undefined content.
static long open_boxes(long draft) {
  return need("boxes", call(SYS_openat, draft, "boxes", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
}

struct layer { long draft, upper; };

// ARGV: a project, a draft, and where to mount it.
static struct layer mount_in_namespaces(char **argv) {
  int is_own = enter_namespaces();
  // Opened in the new namespace: the kernel mounts nothing that was reached through another one.
  struct layer opened = { .draft = open_draft(argv[1]) };
  opened.upper = open_part(opened.draft, "upper");
  long lower = need("lower", call(SYS_openat, AT_FDCWD, argv[0], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
  mount_draft(lower, opened.draft, opened.upper, argv[2], is_own);
  call(SYS_close, lower, 0, 0, 0);
  return opened;
}

__attribute__((noreturn)) static void try_draft(u64 argc, char **argv) {
  if (argc != 5 || length(argv[4]) > PATH_BYTES - 16) leave(FAILED);
  long upper = need("upper", call(SYS_openat, open_draft(argv[3]), "upper", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
  name_marks();
  need("xattr", call6(SYS_fsetxattr, (u64)upper, (u64)opaque_name, (u64)"n", 1, 0));
  mount_in_namespaces(argv + 2);
  leave(0);
}

__attribute__((noreturn)) static void hold(u64 argc, char **argv) {
  if (argc != 5 || length(argv[4]) > PATH_BYTES - 16) leave(FAILED);
  call(SYS_close_range, 3, ~0u, 0, 0);
  long outside = open_draft(argv[3]), boxes = open_boxes(outside);
  long holder = need("holder", call(SYS_openat, outside, "holder", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (call(SYS_flock, holder, LOCK_EX_NB, 0, 0) < 0) leave(HELD);
  need("holder", call(SYS_ftruncate, holder, 0, 0, 0));
  if (call(SYS_flock, boxes, LOCK_EX_NB, 0, 0) < 0) leave(BUSY);
  struct layer layer = mount_in_namespaces(argv + 2);
  start_watching(layer.upper, argv[4]);
  long users = need("users", call(SYS_openat, layer.draft, "users", O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0));
  for (long *fd = (long[]){ outside, boxes, layer.draft, -1 }; *fd >= 0; fd++) call(SYS_close, *fd, 0, 0, 0);
  write_pid(holder);
  call(SYS_setsid, 0, 0, 0, 0);
  call(SYS_write, 1, "\n", 1, 0);
  for (long fd = 0; fd < 3; fd++) call(SYS_close, fd, 0, 0, 0);
  serve(users, holder);
  leave(0);
}

// Root's holder has no user namespace of its own. To enter the one that one is in already is an error.
// Returns whether it was another one.
static int enter(u64 pid, const char *kind, int type) {
  char path[64], ours[64], theirs[64];
  append(append(append_number(append(path, "/proc/"), pid), "/ns/"), kind);
  long fd = call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) refuse(NO_HOLDER, fd);
  long theirs_bytes = call(SYS_readlinkat, AT_FDCWD, path, theirs, sizeof theirs - 1);
  append(append(path, "/proc/self/ns/"), kind);
  long ours_bytes = call(SYS_readlinkat, AT_FDCWD, path, ours, sizeof ours - 1);
  if (theirs_bytes <= 0 || ours_bytes <= 0) refuse(kind, theirs_bytes);
  theirs[theirs_bytes] = ours[ours_bytes] = 0;
  int is_other = !is_same(ours, theirs);
  if (is_other) need(kind, call(SYS_setns, fd, type, 0, 0));
  call(SYS_close, fd, 0, 0, 0);
  return is_other;
}

__attribute__((noreturn)) static void join(u64 argc, char **argv) {
  if (argc < 7 || length(argv[3]) > PATH_BYTES - 16 || length(argv[4]) > PATH_BYTES - 16) leave(FAILED);
  struct layers all = layers_in(argv, argc, 5);
  char text[PATH_BYTES];
  u64 facts[32];
  long draft = open_draft(argv[2]), boxes = open_boxes(draft);
  need("boxes", call(SYS_flock, boxes, LOCK_SH_NB, 0, 0));
  // Fails if there is no holder. As long as it is open, the holder stays.
  long users = call(SYS_openat, draft, "users", O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0);
  if (users < 0) refuse(NO_HOLDER, users);
  long holder = need("holder", call(SYS_openat, draft, "holder", O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0));
  long bytes = call(SYS_read, holder, text, 20, 0);
  if (bytes <= 0) refuse(NO_HOLDER, bytes);
  text[bytes] = 0;
  u64 pid = number(text);
  int is_own = enter(pid, "user", CLONE_NEWUSER);
  enter(pid, "mnt", CLONE_NEWNS);
  open_network();
  append(append(text, argv[3]), "/merged");
  // SECURITY(T16): anything but the holder's overlay would be another directory under the project's name.
  need("merged", call(SYS_statfs, text, facts, 0, 0));
  if (facts[0] != OVERLAY_MAGIC) refuse("merged is no overlay", 0);
  // A project that was not copied changes below the mount, and the kernel remembers what names were there. This makes it forget.
  if (call(SYS_openat, draft, "live", O_PATH | O_NOFOLLOW | O_CLOEXEC, 0) >= 0)
    need("remount", call6(SYS_mount, 0, (u64)text, 0, MS_REMOUNT | MS_NOSUID | MS_NODEV, 0));
  // The layers are the call's alone: nobody else in the holder's namespace sees their mounts.
  if (all.count) {
    need("unshare", call(SYS_unshare, CLONE_NEWNS, 0, 0, 0));
    need("slave", call6(SYS_mount, 0, (u64)"/", 0, MS_REC | MS_SLAVE, 0));
    mount_layers_at(argv[4], all, is_own);
  }
  // Bubblewrap closes what it does not know, so this process waits for the box, and keeps both open until its end.
  int code = run_bubblewrap(after_layers(all), users, boxes, -1);
  list_layers(all);
  leave(code);
}
