// Layers of one call: an overlay over each directory that the call may change. `once`, `layers` and `join` mount them.
//
// The words: pairs ROOT LAYER. ROOT is the real path of the directory, which is never written to. LAYER has `upper` and `work`, which may
// hold what an earlier program of the same call wrote. The overlay of the pair N is at ROOM/N.
//
// When the box has ended, LAYER/changes has the content of `upper`: words that end in NUL, each a letter and a path. The last one is `e`,
// or `m` if there were more than MOST_LISTED. A file without it was cut off.
//   f  a file    x  a file with extended attributes    l  a link    d  a directory    o  a directory that replaces ROOT's
//   F  a file that ROOT had, here or under another name, when it was first changed. Between letter and path: the inode of ROOT's file and a
//      slash. It is another inode if ROOT's file is gone or has several names, and 0 if ROOT's file system does not let the kernel tell.
//   g  deleted   s  something else, such as a pipe    t  a directory that is too deep to be read

enum { MOST_LISTED = 200000, LAYER_DEPTH = 128, MOST_LAYERS = 64 };
static const char *origin_name;
static const char *layer_room;
static u64 listed;

struct layers { char **words; u64 count; };

// The words from `at` up to `--`.
static struct layers layers_in(char **argv, u64 argc, u64 at) {
  struct layers found = { argv + at, 0 };
  u64 end = at;
  while (end < argc && !is_end(argv[end])) {
    if (length(argv[end]) > PATH_BYTES - 16) leave(FAILED);
    end++;
  }
  if (end + 1 >= argc || (end - at) % 2 || (end - at) / 2 > MOST_LAYERS) leave(FAILED);
  found.count = (end - at) / 2;
  return found;
}

static char **after_layers(struct layers layers) { return layers.words + 2 * layers.count + 1; }

// SECURITY(T11): a link anywhere in the path would be another directory than the one that was judged.
static long open_real(const char *path) {
  long top = need("/", call(SYS_openat, AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0));
  while (*path == '/') path++;
  long fd = open_below(top, *path ? path : ".", O_PATH | O_DIRECTORY, 0);
  call(SYS_close, top, 0, 0, 0);
  return need("root of a layer", fd);
}

static long open_layer(const char *path) {
  return need("layer", call(SYS_openat, AT_FDCWD, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
}

// An overlay that ends writes the whole file system of its upper side to the disk, and every call would wait for that. `volatile` leaves
// it out: a landing waits for no disk either. The kernel marks the layer, and mounts it for the next program of the call without the mark.
static void forget_volatile(long work) {
  long inner = open_below(work, "work/incompat", O_RDONLY | O_DIRECTORY, 0);
  if (inner < 0) return;
  call(SYS_unlinkat, inner, "volatile/dirty", 0, 0);
  call(SYS_unlinkat, inner, "volatile", AT_REMOVEDIR, 0);
  call(SYS_close, inner, 0, 0, 0);
}

static void mount_layer(const char *root, const char *directory, const char *name, int is_own) {
  char options[300], *at;
  long lower = open_real(root), layer = open_layer(directory);
  long upper = need("upper", call(SYS_openat, layer, "upper", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
  long work = need("work", call(SYS_openat, layer, "work", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
  // What an earlier program of the call changed was listed, and the list is made anew.
  long changes = need("changes", call(SYS_openat, layer, "changes", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  need("xattr", call6(SYS_fsetxattr, (u64)upper, (u64)opaque_name, (u64)"n", 1, 0));
  need(name, call(SYS_mkdirat, AT_FDCWD, name, 0700, 0));
  at = append_number(append(options, "lowerdir=/proc/self/fd/"), (u64)lower);
  at = append_number(append(at, ",upperdir=/proc/self/fd/"), (u64)upper);
  at = append_number(append(at, ",workdir=/proc/self/fd/"), (u64)work);
  // A directory of ROOT cannot be renamed: what is hidden in it would show under the new name. `xino` would mix inodes with other numbers.
  at = append(at, ",metacopy=off,index=off,xino=off");
  at = append(at, is_own ? ",userxattr" : ",redirect_dir=nofollow");
  forget_volatile(work);
  append(at, ",volatile");
  if (call6(SYS_mount, (u64)"overlay", (u64)name, (u64)"overlay", MS_NOSUID | MS_NODEV, (u64)options) < 0) {
    *at = 0; // Linux before 5.10
    need("layer", call6(SYS_mount, (u64)"overlay", (u64)name, (u64)"overlay", MS_NOSUID | MS_NODEV, (u64)options));
  }
  for (long *fd = (long[]){ lower, layer, upper, work, changes, -1 }; *fd >= 0; fd++) call(SYS_close, *fd, 0, 0, 0);
}

// The current directory is the room.
static void mount_layers(const char *room, struct layers layers, int is_own) {
  char name[24];
  layer_room = room;
  opaque_name = is_own ? "user.overlay.opaque" : "trusted.overlay.opaque";
  origin_name = is_own ? "user.overlay.origin" : "trusted.overlay.origin";
  for (u64 i = 0; i < layers.count; i++) {
    append_number(name, i);
    mount_layer(layers.words[2 * i], layers.words[2 * i + 1], name, is_own);
  }
}

static void mount_layers_at(const char *room, struct layers layers, int is_own) {
  need("tmpfs", call6(SYS_mount, (u64)"tmpfs", (u64)room, (u64)"tmpfs", MS_NOSUID | MS_NODEV, (u64)"mode=700,size=1m"));
  need("chdir", call(SYS_chdir, room, 0, 0, 0));
  mount_layers(room, layers, is_own);
  need("chdir", call(SYS_chdir, "/", 0, 0, 0));
}

// --- The list, when nothing of the box is left.

static void list_entry(char kind, u64 path_bytes) {
  put(&kind, 1);
  put(path, path_bytes);
  put("", 1);
  listed++;
}

// In the overlay, a file keeps the inode that it had in ROOT.
static void list_changed(long shown, u64 own_inode, u64 path_bytes, int has_origin) {
  struct statx found;
  char kind[32] = "F";
  need("statx", call6(SYS_statx, (u64)shown, (u64)path, AT_SYMLINK_NOFOLLOW, STATX_BASIC, (u64)&found));
  char *end = append_number(kind + 1, found.inode == own_inode && !has_origin ? 0 : found.inode);
  put(kind, (u64)(end - kind));
  put("/", 1);
  put(path, path_bytes);
  put("", 1);
  listed++;
}

static void list_file(long directory, const char *name, u64 own_inode, long shown, u64 path_bytes) {
  char text[300], value[256];
  append(append(append_number(append(text, "/proc/self/fd/"), (u64)directory), "/"), name);
  if (call(SYS_llistxattr, text, 0, 0, 0) == 0) return list_entry('f', path_bytes);
  long origin_bytes = call(SYS_lgetxattr, text, origin_name, value, sizeof value);
  if (origin_bytes < 0) return list_entry('x', path_bytes);
  list_changed(shown, own_inode, path_bytes, origin_bytes > 0);
}

static int is_opaque(long directory) {
  char value = 0;
  return call(SYS_fgetxattr, directory, opaque_name, &value, 1) == 1 && value == 'y';
}

static void list_directory_of(long directory, long shown, u64 path_bytes, int depth);

static void list_one(long directory, const char *name, long shown, u64 path_bytes, int depth) {
  struct statx found;
  need("statx", call6(SYS_statx, (u64)directory, (u64)name, AT_SYMLINK_NOFOLLOW, STATX_BASIC, (u64)&found));
  u32 kind = found.mode & S_IFMT;
  if (kind == S_IFREG) return list_file(directory, name, found.inode, shown, path_bytes);
  if (kind == S_IFLNK) return list_entry('l', path_bytes);
  if (kind == S_IFCHR && found.rdev_major == 0 && found.rdev_minor == 0) return list_entry('g', path_bytes);
  if (kind != S_IFDIR) return list_entry('s', path_bytes);
  long fd = need("directory", call(SYS_openat, directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
  list_entry(is_opaque(fd) ? 'o' : 'd', path_bytes);
  if (depth == LAYER_DEPTH) list_entry('t', path_bytes);
  else list_directory_of(fd, shown, path_bytes, depth + 1);
  call(SYS_close, fd, 0, 0, 0);
}

// `shown`: the root of the overlay.
static void list_directory_of(long directory, long shown, u64 path_bytes, int depth) {
  char found[4096] __attribute__((aligned(8)));
  long count;
  while (listed <= MOST_LISTED && (count = call(SYS_getdents64, directory, found, sizeof found, 0)) != 0) {
    need("list", count);
    for (char *at = found; at < found + count && listed <= MOST_LISTED; at += ((struct entry *)at)->bytes) {
      const char *name = ((struct entry *)at)->name;
      if (is_same(name, ".") || is_same(name, "..")) continue;
      u64 name_at = path_bytes == 0 ? 0 : path_bytes + 1, end = name_at + length(name);
      if (end >= PATH_BYTES) { list_entry('t', path_bytes); continue; }
      if (path_bytes != 0) path[path_bytes] = '/';
      append(path + name_at, name);
      list_one(directory, name, shown, end, depth);
    }
  }
}

static void list_layers(struct layers layers) {
  for (u64 i = 0; i < layers.count; i++) {
    long layer = open_layer(layers.words[2 * i + 1]);
    long upper = need("upper", call(SYS_openat, layer, "upper", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
    char merged[PATH_BYTES];
    append_number(append(append(merged, layer_room), "/"), i);
    long shown = open_layer(merged);
    out_fd = need("changes", call(SYS_openat, layer, "changes", O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0));
    listed = 0;
    list_directory_of(upper, shown, 0, 0);
    put(listed > MOST_LISTED ? "m" : "e", 2);
    flush();
    for (long *fd = (long[]){ out_fd, upper, layer, shown, -1 }; *fd >= 0; fd++) call(SYS_close, *fd, 0, 0, 0);
  }
}

__attribute__((noreturn)) static void layers(u64 argc, char **argv) {
  if (argc < 5 || length(argv[2]) > PATH_BYTES - 16) leave(FAILED);
  struct layers all = layers_in(argv, argc, 3);
  int is_own = enter_namespaces();
  open_network();
  mount_layers_at(argv[2], all, is_own);
  int code = run_bubblewrap(after_layers(all), -1, -1, -1);
  list_layers(all);
  leave(code);
}
