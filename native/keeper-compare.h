// `keeper compare`: what the person has changed in the project since `keeper seed` wrote DRAFT/seen.
//
// The answer: words that end in NUL, each a letter and a path, the first MOST_SAID of each group; at the end the counts and the
// processor time, as `changed COUNT new COUNT took MICROSECONDS` and a line feed.
//   c  changed, or there again    d  deleted    n  a file or link    N  a directory, which the list did not name and may be ignored
//
// It follows no link and opens only small files, to see whether they still have the same content. Those that do, and directories without
// another name, get their new times in DRAFT/seen, so that nobody looks at them again.

enum { MOST_SAID = 1000, MOST_READ = 64 << 20, DT_REG = 8, DT_LNK = 10, MAP_SHARED = 1, CLOCK_REALTIME = 0, CLOCK_PROCESS = 2, OWNER_EXECUTE = 0100 };

static struct { char *start, *end; } records;
static struct { u64 *slots, mask; } known;
static u64 changed_count, new_count, read_bytes;

static u64 clock(int which) {
  u64 time[2];
  need("clock", call(SYS_clock_gettime, which, time, 0, 0));
  return time[0] * 1000000000ul + time[1];
}

static struct seen *next_record(struct seen *seen) {
  char *at = (char *)seen;
  if (seen) at += (sizeof *seen + seen->path_bytes + 7) & ~7ul;
  else at = records.start;
  if (at == records.end) return 0;
  seen = (struct seen *)at;
  u64 left = (u64)(records.end - at);
  if (left < sizeof *seen || left < ((sizeof *seen + seen->path_bytes + 7) & ~7ul) || seen->path_bytes >= PATH_BYTES - 4) refuse("seen", 0);
  return seen;
}

// --- The names that the list had, with the directories above them.

static u64 step_hash(u64 hash, char next) { return (hash ^ (u8)next) * 1099511628211ul; }

static u64 *slot_of(u64 hash) {
  u64 at = hash ^ hash >> 29;
  while (known.slots[at & known.mask] && known.slots[at & known.mask] != hash) at++;
  return &known.slots[at & known.mask];
}

static void fill_known(void) {
  u64 count = 1;
  for (struct seen *seen = next_record(0); seen; seen = next_record(seen)) {
    count++;
    for (u64 i = 0; i < seen->path_bytes; i++) count += seen->path[i] == '/';
  }
  for (known.mask = 1; known.mask < 2 * count;) known.mask *= 2;
  known.slots = (u64 *)need("memory", call6(SYS_mmap, 0, known.mask * 8, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, ~0ul));
  known.mask--;
  for (struct seen *seen = next_record(0); seen; seen = next_record(seen)) {
    u64 hash = 1;
    for (u64 i = 0; i < seen->path_bytes; i++) {
      if (seen->path[i] == '/') *slot_of(hash) = hash;
      hash = step_hash(hash, seen->path[i]);
    }
    *slot_of(hash) = hash;
  }
}

static int is_known(const struct seen *directory, const char *name) {
  u64 hash = 1;
  if (!known.slots) fill_known();
  for (u64 i = 0; i < directory->path_bytes; i++) hash = step_hash(hash, directory->path[i]);
  if (directory->path_bytes) hash = step_hash(hash, '/');
  while (*name) hash = step_hash(hash, *name++);
  return *slot_of(hash) == hash;
}

// --- Comparing.

static void say_path(char kind, u64 *count, const struct seen *seen, const char *name) {
  if (++*count > MOST_SAID) return;
  say(&kind, 1);
  say(seen->path, seen->path_bytes);
  if (name && seen->path_bytes) say("/", 1);
  if (name) say(name, length(name));
  say("", 1);
}

static int has_facts(const struct seen *seen, const struct statx *found) {
  return seen->inode == found->inode && seen->size == found->size && seen->mode == found->mode &&
         seen->modified == nanoseconds(&found->modified) && seen->changed == nanoseconds(&found->changed);
}

// Opens only a file, because to open a pipe or a device can have effects.
static u64 content_of(const char *last, const struct statx *found) {
  long count = -1;
  if ((found->mode & S_IFMT) == S_IFLNK) count = call(SYS_readlinkat, theirs(), last, out, PATH_BYTES - 1);
  else if (found->size <= SMALL_BYTES && (read_bytes += found->size) <= MOST_READ) {
    long fd = call(SYS_openat, theirs(), last, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0);
    if (fd < 0) return 0;
    count = call(SYS_read, fd, out, OUT_BYTES, 0);
    call(SYS_close, fd, 0, 0, 0);
  }
  return count < 0 || (u64)count != found->size ? 0 : hash_of(out, (u64)count);
}

static void compare_file(struct seen *seen, const char *last) {
  struct statx found;
  int is_there = theirs() >= 0 && call6(SYS_statx, (u64)theirs(), (u64)last, AT_SYMLINK_NOFOLLOW, STATX_BASIC, (u64)&found) == 0;
  u32 type = is_there ? found.mode & S_IFMT : 0;
  if (seen->kind == SEEN_ABSENT) {
    if (type == S_IFREG || type == S_IFLNK) say_path('c', &changed_count, seen, 0);
    return;
  }
  if (!is_there) return say_path('d', &changed_count, seen, 0);
  if (has_facts(seen, &found)) return;
  int is_alike = ((found.mode ^ seen->mode) & (S_IFMT | OWNER_EXECUTE)) == 0 && found.size == seen->size;
  // Some file systems give a file another inode each time. A small file is read; of a large one, the time of its content decides.
  if (is_alike && (seen->content ? content_of(last, &found) == seen->content : seen->modified == nanoseconds(&found.modified))) take_facts(seen, &found);
  else say_path('c', &changed_count, seen, 0);
}

// Each new name may be a directory of its own; what is in it is the gate's to list.
static int list_directory(const struct seen *seen, long fd) {
  int is_same_list = 1;
  for (long count; (count = call(SYS_getdents64, fd, entries, sizeof entries, 0)) > 0;)
    for (char *at = entries; at < entries + count; at += ((struct entry *)at)->bytes) {
      struct entry *entry = (struct entry *)at;
      u8 type = entry->type;
      if (is_same(entry->name, ".") || is_same(entry->name, "..") || is_same(entry->name, ".git")) continue;
      struct statx found;
      if (type == DT_UNKNOWN && call6(SYS_statx, (u64)fd, (u64)entry->name, AT_SYMLINK_NOFOLLOW, STATX_BASIC, (u64)&found) == 0) type = (u8)(found.mode >> 12);
      if ((type != DT_DIR && type != DT_REG && type != DT_LNK) || is_known(seen, entry->name)) continue;
      is_same_list = 0;
      say_path(type == DT_DIR ? 'N' : 'n', &new_count, seen, entry->name);
    }
  return is_same_list;
}

// The parent is the directory itself. What it had is compared file by file, also if it is gone.
static void compare_directory(struct seen *seen) {
  struct statx found;
  if (theirs() < 0 || call6(SYS_statx, (u64)theirs(), (u64)"", AT_EMPTY_PATH, STATX_BASIC, (u64)&found) < 0 || has_facts(seen, &found)) return;
  long fd = call(SYS_openat, theirs(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd < 0) return;
  if (list_directory(seen, fd)) take_facts(seen, &found);
  call(SYS_close, fd, 0, 0, 0);
}

__attribute__((noreturn)) static void compare(u64 argc, char **argv) {
  char name[PATH_BYTES];
  struct statx found;
  if (argc != 4) leave(FAILED);
  project = need("project", call(SYS_openat, AT_FDCWD, argv[2], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
  long file = need("seen", call(SYS_openat, open_draft(argv[3]), "seen", O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0));
  need("seen", call6(SYS_statx, (u64)file, (u64)"", AT_EMPTY_PATH, STATX_BASIC, (u64)&found));
  if (found.size == 0) refuse("seen", 0);
  records.start = (char *)need("seen", call6(SYS_mmap, 0, found.size, PROT_READ_WRITE, MAP_SHARED, (u64)file));
  records.end = records.start + found.size;
  sure_until = clock(CLOCK_REALTIME) - UNSURE_NANOSECONDS;
  parent.ours = parent.theirs = -1;
  for (struct seen *seen = next_record(0); seen; seen = next_record(seen)) {
    if (seen->kind == SEEN_NAME) continue;
    for (u64 i = 0; i < seen->path_bytes; i++) name[i] = seen->path[i];
    name[seen->path_bytes] = 0;
    if (seen->kind == SEEN_DIRECTORY) append(name + seen->path_bytes, seen->path_bytes ? "/-" : "-");
    const char *last = select_parent(name);
    if (seen->kind == SEEN_DIRECTORY) compare_directory(seen);
    else compare_file(seen, last);
  }
  char text[120], *end = append_number(append(text, "changed "), changed_count);
  end = append_number(append(append_number(append(end, " new "), new_count), " took "), clock(CLOCK_PROCESS) / 1000);
  end = append(end, "\n");
  say(text, (u64)(end - text));
  flush_said();
  leave(0);
}
