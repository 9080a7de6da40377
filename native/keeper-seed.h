// `keeper seed`: copies from the project into the layer what the gate lists on standard input, before the layer is mounted.
//
// The list: words that end in NUL, each a letter and a path of the project, without `.`, `..` and empty parts.
//   c  copy this file or link    h  hide this entry of the project    m  this directory also shows what the project has in it
//   i  git ignores this entry, and nothing is to be done
// A directory of the layer hides the project's, unless there is an `m` for it. Below a directory without `m`, an `m` has no effect. An `h`
// comes after the `m` of its directory: in a directory that hides the project's it leaves no mark.
//
// The answer: `skipped PATH` and NUL for each path that was not copied, and at the end `copied COUNT BYTES` and a line feed. What is no
// file or link, is too large, cannot be read, or is gone by now is skipped: the person goes on working. What was found goes to DRAFT/seen: keeper-seen.h.

enum { LIST_BYTES = 64 << 10, SMALL_BYTES = OUT_BYTES, SEEK_SET = 0, SEEK_DATA = 3, SEEK_HOLE = 4, ENXIO = 6, ENAMETOOLONG = 36, ENOSYS = 38 };

static char list[LIST_BYTES], said[LIST_BYTES];
static u64 list_used, list_at, said_bytes, copied, copied_bytes, most_bytes, file_bytes;
static long project, layer;
// What was copied last.
static struct { struct statx found; u64 content; } last_copy;

// The directory of the last path, in both trees: most paths of a list have the directory of the one before. -1: not opened.
static struct { char name[PATH_BYTES]; u64 bytes; long ours, theirs; } parent;

static void flush_said(void) {
  for (u64 at = 0; at < said_bytes;) at += (u64)need("output", call(SYS_write, 1, said + at, said_bytes - at, 0));
  said_bytes = 0;
}

static void say(const char *bytes, u64 count) {
  for (u64 i = 0; i < count; i++) {
    said[said_bytes++] = bytes[i];
    if (said_bytes == LIST_BYTES) flush_said();
  }
}

static void skip(const char *name) {
  say("skipped ", 8);
  say(name, length(name) + 1);
}

static int is_plain(const char *name) {
  for (const char *at = name;; at++) {
    u64 dots = 0;
    while (at[dots] == '.') dots++;
    if (at[dots] == '/' || at[dots] == 0) if (dots < 3) return 0;
    while (*at && *at != '/') at++;
    if (*at == 0) return 1;
  }
}

// Returns the last part of the name, and makes its directory the parent.
static const char *select_parent(const char *name) {
  const char *last = name;
  for (const char *at = name; *at; at++) if (*at == '/') last = at + 1;
  u64 bytes = last == name ? 0 : (u64)(last - name) - 1, i = 0;
  if (bytes == parent.bytes) while (i < bytes && name[i] == parent.name[i]) i++;
  if (i == bytes && bytes == parent.bytes) return last;
  if (parent.ours >= 0) call(SYS_close, parent.ours, 0, 0, 0);
  if (parent.theirs >= 0) call(SYS_close, parent.theirs, 0, 0, 0);
  for (i = 0; i < bytes; i++) parent.name[i] = name[i];
  parent.name[bytes] = 0, parent.bytes = bytes, parent.ours = parent.theirs = -1;
  return last;
}

static const char *parent_name(void) { return parent.bytes ? parent.name : "."; }

static long theirs(void) {
  if (parent.theirs < 0) parent.theirs = open_below(project, parent_name(), O_PATH | O_DIRECTORY, 0);
  if (parent.theirs == -ENOSYS) refuse("openat2", -ENOSYS);
  return parent.theirs;
}

// A new directory of the layer has the mode of the project's, which is noted.
static u32 mode_of(const char *name) {
  struct statx found;
  u32 mode = 0755;
  long fd = open_below(project, name, O_PATH | O_DIRECTORY, 0);
  if (fd >= 0 && call6(SYS_statx, (u64)fd, (u64)"", AT_EMPTY_PATH, STATX_BASIC, (u64)&found) == 0) {
    mode = found.mode & 0777;
    note_seen(SEEN_DIRECTORY, name, &found, 0);
  }
  if (fd >= 0) call(SYS_close, fd, 0, 0, 0);
  return mode | 0700;
}

static long make_directory(long above, const char *last, const char *name) {
  long made = call(SYS_mkdirat, above, last, 0700, 0);
  if (made < 0) return made;
  long fd = need("layer", call(SYS_openat, above, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
  need("mode", call(SYS_fchmod, fd, mode_of(name), 0, 0));
  need("xattr", call6(SYS_fsetxattr, (u64)fd, (u64)opaque_name, (u64)"y", 1, 0));
  return fd;
}

// Opens the parent in the layer, and makes it and those above it. Negative if something else is there.
static long ours(void) {
  if (parent.ours >= 0) return parent.ours;
  long found = open_below(layer, parent_name(), O_RDONLY | O_DIRECTORY, 0);
  if (found == -ENOENT) {
    long above = need("layer", call(SYS_openat, layer, ".", O_PATH | O_DIRECTORY | O_CLOEXEC, 0));
    for (char *at = parent.name, *last = at;; at++) {
      if (*at && *at != '/') continue;
      char cut = *at;
      *at = 0; // only the parts up to here
      found = call(SYS_openat, above, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
      if (found == -ENOENT) found = make_directory(above, last, parent.name);
      *at = cut;
      call(SYS_close, above, 0, 0, 0);
      if (found < 0 || !cut) break;
      above = found, last = at + 1;
    }
  }
  if (found < 0 && found != -ENOTDIR && found != -ELOOP && found != -ENAMETOOLONG) refuse("layer", found);
  return parent.ours = found;
}

// Both files are at this offset. Returns whether all could be read. A small file is read at once, and its content noted.
static int copy_bytes(long from, long to, u64 left) {
  int can_copy = left > SMALL_BYTES;
  u64 all = left;
  while (left > 0) {
    long count;
    if (can_copy) {
      if ((count = call6(SYS_copy_file_range, (u64)from, 0, (u64)to, 0, left)) <= 0) { // on another file system, for example
        can_copy = 0;
        continue;
      }
    } else {
      if ((count = call(SYS_read, from, out, left < OUT_BYTES ? left : OUT_BYTES, 0)) < 0) return 0;
      if (count == 0) return 1; // shorter by now
      if ((u64)count == all) last_copy.content = hash_of(out, all);
      for (long at = 0; at < count;) at += need("write", call(SYS_write, to, out + at, count - at, 0));
    }
    left -= (u64)count;
  }
  return 1;
}

// Copies no holes, which may be larger than the disk.
static int copy_data(long from, long to, u64 size) {
  if (size <= SMALL_BYTES) {
    copied_bytes += size;
    return copy_bytes(from, to, size);
  }
  for (u64 at = 0; at < size;) {
    long start = call(SYS_lseek, from, at, SEEK_DATA, 0);
    if (start == -ENXIO) break;
    if (start < 0) start = (long)at; // the file system does not know holes
    long end = call(SYS_lseek, from, start, SEEK_HOLE, 0);
    if (end <= start || (u64)end > size) end = (long)size;
    if (start >= end) break;
    copied_bytes += (u64)(end - start);
    if (call(SYS_lseek, from, start, SEEK_SET, 0) < 0 || call(SYS_lseek, to, start, SEEK_SET, 0) < 0) return 0;
    if (!copy_bytes(from, to, (u64)(end - start))) return 0;
    at = (u64)end;
  }
  need("write", call(SYS_ftruncate, to, size, 0, 0));
  return 1;
}

struct times { u64 seconds, nanoseconds; };

static int copy_link(const char *last, const struct times *times) {
  char text[PATH_BYTES];
  long bytes = call(SYS_readlinkat, theirs(), last, text, sizeof text - 1);
  if (bytes <= 0 || ours() < 0) return 0;
  text[bytes] = 0;
  last_copy.content = hash_of(text, (u64)bytes);
  long made = call(SYS_symlinkat, text, ours(), last, 0);
  if (made == -EEXIST) return 0;
  need("link", made);
  call(SYS_utimensat, ours(), last, times, AT_SYMLINK_NOFOLLOW);
  return 1;
}

static int copy_file(long from, const char *last) {
  struct statx *found = &last_copy.found;
  if (call6(SYS_statx, (u64)from, (u64)"", AT_EMPTY_PATH, STATX_BASIC, (u64)found) < 0 || (found->mode & S_IFMT) != S_IFREG) return 0;
  last_copy.content = found->size ? 0 : hash_of("", 0);
  // Holes count: git would read them.
  if (found->size > file_bytes || copied_bytes + found->size > most_bytes) return 0;
  if (ours() < 0) return 0;
  long to = call(SYS_openat, ours(), last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (to == -EEXIST) return 0;
  need("create", to);
  int is_whole = copy_data(from, to, found->size);
  struct times times[2] = { { found->modified.seconds, found->modified.nanoseconds }, { found->modified.seconds, found->modified.nanoseconds } };
  call(SYS_fchmod, to, (found->mode & 0777) | 0600, 0, 0);
  call(SYS_utimensat, to, 0, times, 0); // git compares them
  call(SYS_close, to, 0, 0, 0);
  if (!is_whole) call(SYS_unlinkat, ours(), last, 0, 0);
  return is_whole;
}

// Opens only files, because to open a pipe or a device can have effects. Who swaps one in meanwhile gets nothing but an open and a close.
static int copy(const char *last) {
  struct statx *found = &last_copy.found;
  last_copy.content = found->mode = 0;
  if (theirs() < 0 || call6(SYS_statx, (u64)theirs(), (u64)last, AT_SYMLINK_NOFOLLOW, STATX_BASIC, (u64)found) < 0) return 0;
  struct times times[2] = { { found->modified.seconds, found->modified.nanoseconds }, { found->modified.seconds, found->modified.nanoseconds } };
  if ((found->mode & S_IFMT) == S_IFLNK) return copy_link(last, times);
  if ((found->mode & S_IFMT) != S_IFREG) return 0;
  long from = call(SYS_openat, theirs(), last, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0);
  if (from < 0) return 0;
  int is_copied = copy_file(from, last);
  call(SYS_close, from, 0, 0, 0);
  return is_copied;
}

static void note_copy(const char *name, int is_done) {
  u16 kind = is_done ? SEEN_FILE : last_copy.found.mode ? SEEN_NAME : SEEN_ABSENT;
  note_seen(kind, name, &last_copy.found, last_copy.content);
}

// Below what is no directory in the layer, nothing of the project shows. A directory of the layer hides the project's already.
static int hide(const char *last) {
  struct statx found;
  char value = 0;
  if (ours() < 0) return 1;
  // Where nothing shows through, no mark is needed, and the kernel would list the mark itself.
  int is_opaque = parent.bytes && call(SYS_fgetxattr, ours(), opaque_name, &value, 1) == 1 && value == 'y';
  long made = is_opaque ? -EEXIST : call(SYS_mknodat, ours(), last, S_IFCHR, 0);
  if (made != -EEXIST) return need("whiteout", made) == 0;
  long looked = call6(SYS_statx, (u64)ours(), (u64)last, AT_SYMLINK_NOFOLLOW, STATX_BASIC, (u64)&found);
  if (is_opaque && looked == -ENOENT) return 1;
  if (looked < 0 || ((found.mode & S_IFMT) != S_IFDIR && (found.mode & S_IFMT) != S_IFCHR)) refuse("whiteout", made);
  return 1;
}

// Its parent is the directory itself.
static int merge(void) {
  if (ours() < 0) return 0;
  need("xattr", call6(SYS_fsetxattr, (u64)ours(), (u64)opaque_name, (u64)"n", 1, 0));
  return 1;
}

// Reads a word from standard input. Of a longer one than any path, only the beginning; `fits` says so.
static int next_word(char *word, int *fits) {
  for (u64 bytes = 0;;) {
    if (list_at == list_used) {
      long count = need("list", call(SYS_read, 0, list, LIST_BYTES, 0));
      if (count == 0) return 0;
      list_used = (u64)count, list_at = 0;
    }
    char next = list[list_at++];
    word[bytes] = next;
    *fits = bytes < PATH_BYTES - 4;
    if (next == 0) return 1;
    if (*fits) bytes++;
    else word[bytes] = 0;
  }
}

__attribute__((noreturn)) static void seed(u64 argc, char **argv) {
  char word[PATH_BYTES];
  int fits, has_hidden = 0;
  if (argc != 6) leave(FAILED);
  name_marks();
  project = need("project", call(SYS_openat, AT_FDCWD, argv[2], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
  long draft = open_draft(argv[3]);
  layer = open_part(draft, "upper");
  open_seen(draft, project);
  most_bytes = number(argv[4]), file_bytes = number(argv[5]);
  parent.ours = parent.theirs = -1;
  while (next_word(word, &fits)) {
    char kind = word[0], *name = word + 1;
    int is_done = 0;
    if (kind != 'c' && kind != 'h' && kind != 'm' && kind != 'i') refuse("list", 0);
    // SECURITY(T48): a directory that shows through only after this would show what is hidden in it.
    if (kind == 'm' && has_hidden) refuse("list", 0);
    has_hidden |= kind == 'h';
    if (kind == 'i') is_done = 1;
    else if (fits && is_plain(name)) {
      if (kind == 'm') append(name + length(name), "/-");
      const char *last = select_parent(name);
      is_done = kind == 'c' ? copy(last) : kind == 'h' ? hide(last) : merge();
      if (kind == 'm') name[length(name) - 2] = 0;
    }
    if (!is_done) skip(name);
    else if (kind == 'c') copied++;
    if (kind == 'c' && fits && is_plain(name)) note_copy(name, is_done);
    else if (kind != 'm') note_seen(SEEN_NAME, name, 0, 0);
  }
  write_seen();
  char text[64], *end = append_number(append(text, "copied "), copied);
  end = append(append_number(append(end, " "), copied_bytes), "\n");
  say(text, (u64)(end - text));
  flush_said();
  leave(0);
}
