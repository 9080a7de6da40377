// `keeper hold` watches the draft, and appends to ROOM/changes what the boxes change: records of one byte, a path below ROOM/merged,
// and NUL. A record says that its path, and for a directory all below it, may differ from before:
//
//   c created   w written, or its attributes   d deleted   m moved to this name   D a directory that is gone or moved away
//   o (no path) any path may differ            s NAME: ROOM/sync/NAME was made, and every earlier change is recorded
//   g NUMBER: the first record, another one for each holder
//
// Both are in memory: on a disk, other programs' writes can keep a holder from answering for many seconds.
//
// Watched is every directory that is in the layer, and every directory that appears. A box decides about names, depth, number and pace of
// what happens here, so everything is bounded, and past a bound is an `o`.

enum { IN_ATTRIB = 4, IN_CLOSE_WRITE = 8, IN_MOVED_FROM = 0x40, IN_MOVED_TO = 0x80, IN_CREATE = 0x100, IN_DELETE = 0x200,
       IN_Q_OVERFLOW = 0x4000, IN_IGNORED = 0x8000, IN_ONLYDIR = 0x1000000, IN_DONT_FOLLOW = 0x2000000, IN_ISDIR = 0x40000000,
       DT_UNKNOWN = 0, DT_DIR = 4, PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x4022, MADV_DONTNEED = 4 };
enum { WATCHED = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB };
struct event { int wd; u32 mask, cookie, bytes; char name[]; };

// Work: entries that the holder looks at between two questions of the gates; a directory counts as LOOK. After more than EVENT_WORK, and LOOK
// for each directory that is watched, the holder rests until the next question: a box could move a large directory forever.
enum { DIRECTORIES = 65536, BUCKETS = 65536, CHAIN = 64, DIRECTORY_PATH_BYTES = 3800, NAMES_BYTES = 32 << 20, CHANGES_BYTES = 64 << 20, ROOM_BYTES = 72 << 20,
       LOOK = 16, START_WORK = 4 << 20, EVENT_WORK = 1 << 18, NONE = 0, ROOT = 1 };

// A watched directory. All numbers of nodes: 0 is none.
struct node { u32 parent, child, next, previous, same_wd, same_hash, name; int wd; u16 path_bytes; u8 name_class; };
struct tree { struct node nodes[DIRECTORIES + 1]; u32 by_wd[BUCKETS], by_name[BUCKETS], waiting[DIRECTORIES + 1];
              u32 used, unused, names_used, names_unused[4]; char names[NAMES_BYTES]; };

static struct tree *tree;
static long changes, inotify, merged, layer_root, sync_directory, sync_wd;
static u64 changes_bytes, batch_bytes, last_at, work;
// is_blind: only the gates' questions are watched. is_partial: a directory is not watched. is_lost: records could not be written.
static int is_blind, is_partial, is_full, is_lost, is_tired;
static char events[64 << 10] __attribute__((aligned(8))), entries[32 << 10] __attribute__((aligned(8)));

// --- Records.

static void write_changes(void) {
  u64 at = 0;
  while (at < batch_bytes) {
    long count = call(SYS_write, changes, out + at, batch_bytes - at, 0);
    if (count <= 0) break;
    at += (u64)count;
  }
  // Memory is full, for example. Half a record would spoil the next one.
  if (at < batch_bytes) is_lost = 1, call(SYS_ftruncate, changes, changes_bytes, 0, 0);
  else changes_bytes += batch_bytes;
  batch_bytes = last_at = 0;
}

static void add_record(char kind, const char *path, u64 bytes) {
  if (kind != 's' && kind != 'o') {
    if (is_full) return;
    if (changes_bytes + batch_bytes + bytes + 2 > CHANGES_BYTES) {
      is_full = is_tired = 1;
      return add_record('o', "", 0);
    }
  }
  u64 last_bytes = batch_bytes - last_at, i = 0;
  if (last_bytes == bytes + 2 && out[last_at] == kind) {
    while (i < bytes && out[last_at + 1 + i] == path[i]) i++;
    if (i == bytes) return;
  }
  if (batch_bytes + bytes + 2 > OUT_BYTES) write_changes();
  last_at = batch_bytes;
  out[batch_bytes++] = kind;
  for (i = 0; i < bytes; i++) out[batch_bytes++] = path[i];
  out[batch_bytes++] = 0;
}

// Puts the path of `name` in a directory, or of the directory itself, at the end of a buffer of PATH_BYTES. Always fits: see new_node.
static char *path_of(u32 node, const char *name, char *buffer) {
  char *at = buffer + PATH_BYTES - 1;
  *at = 0;
  for (;;) {
    u64 bytes = length(name);
    at -= bytes;
    for (u64 i = 0; i < bytes; i++) at[i] = name[i];
    if (node == ROOT) return at;
    if (bytes) *--at = '/';
    name = tree->names + tree->nodes[node].name;
    node = tree->nodes[node].parent;
  }
}

static void note(char kind, u32 node, const char *name) {
  char buffer[PATH_BYTES], *path = path_of(node, name, buffer);
  add_record(kind, path, (u64)(buffer + PATH_BYTES - 1 - path));
}

// --- The watched directories.

static u32 *bucket_of(u32 parent, const char *name) {
  u32 hash = parent * 2654435761u;
  while (*name) hash = (hash ^ (u8)*name++) * 16777619u;
  return &tree->by_name[(hash ^ hash >> 16) & (BUCKETS - 1)];
}

static u32 find_child(u32 parent, const char *name) {
  u32 node = *bucket_of(parent, name);
  while (node && (tree->nodes[node].parent != parent || !is_same(tree->names + tree->nodes[node].name, name))) node = tree->nodes[node].same_hash;
  return node;
}

// Slots of 32, 64, 128 and 256 bytes. NAMES_BYTES has room for as many of each as there can be directories.
static u32 new_name(const char *name, u64 bytes, u8 *class) {
  u32 size = 32, slot;
  for (*class = 0; size < bytes + 1; size *= 2) ++*class;
  if ((slot = tree->names_unused[*class])) tree->names_unused[*class] = *(u32 *)(tree->names + slot);
  else slot = tree->names_used, tree->names_used += size;
  append(tree->names + slot, name);
  return slot;
}

static u32 new_node(u32 parent, const char *name) {
  u32 *bucket = bucket_of(parent, name), chain = 0, made;
  u64 bytes = length(name), path_bytes = tree->nodes[parent].path_bytes + 1 + bytes;
  for (u32 node = *bucket; node; node = tree->nodes[node].same_hash) chain++;
  // Names can be chosen to meet in one bucket.
  if (chain >= CHAIN || bytes > 255 || path_bytes > DIRECTORY_PATH_BYTES || (!tree->unused && tree->used == DIRECTORIES)) {
    is_partial = 1;
    add_record('o', "", 0);
    return NONE;
  }
  if ((made = tree->unused)) tree->unused = tree->nodes[made].next;
  else made = ++tree->used;
  struct node *node = &tree->nodes[made], *above = &tree->nodes[parent];
  node->parent = parent, node->child = node->previous = 0, node->wd = 0, node->path_bytes = (u16)path_bytes;
  node->name = new_name(name, bytes, &node->name_class);
  node->next = above->child;
  if (above->child) tree->nodes[above->child].previous = made;
  above->child = made;
  node->same_hash = *bucket;
  *bucket = made;
  return made;
}

static u32 find_wd(int wd) {
  u32 node = tree->by_wd[(u32)wd & (BUCKETS - 1)];
  while (node && tree->nodes[node].wd != wd) node = tree->nodes[node].same_wd;
  return node;
}

static void forget_wd(u32 node) {
  u32 *at = &tree->by_wd[(u32)tree->nodes[node].wd & (BUCKETS - 1)];
  while (*at != node) at = &tree->nodes[*at].same_wd;
  *at = tree->nodes[node].same_wd;
  tree->nodes[node].wd = 0;
}

static void unwatch(u32 node) {
  if (!tree->nodes[node].wd) return;
  call(SYS_inotify_rm_watch, inotify, tree->nodes[node].wd, 0, 0);
  forget_wd(node);
}

// If another node has this watch, the directory has moved here, and the event that says so comes later.
static void set_wd(u32 node, int wd) {
  if (tree->nodes[node].wd == wd) return;
  unwatch(node);
  u32 other = find_wd(wd), *bucket = &tree->by_wd[(u32)wd & (BUCKETS - 1)];
  if (other) forget_wd(other);
  tree->nodes[node].wd = wd;
  tree->nodes[node].same_wd = *bucket;
  *bucket = node;
}

static void remove_node(u32 gone) {
  struct node *node = &tree->nodes[gone];
  u32 *at = bucket_of(node->parent, tree->names + node->name);
  unwatch(gone);
  while (*at != gone) at = &tree->nodes[*at].same_hash;
  *at = node->same_hash;
  if (node->previous) tree->nodes[node->previous].next = node->next;
  else tree->nodes[node->parent].child = node->next;
  if (node->next) tree->nodes[node->next].previous = node->previous;
  *(u32 *)(tree->names + node->name) = tree->names_unused[node->name_class];
  tree->names_unused[node->name_class] = node->name;
  node->next = tree->unused, node->parent = NONE;
  tree->unused = gone;
}

static void remove_tree(u32 top) {
  for (u32 at = top, above;; at = above) {
    while (tree->nodes[at].child) at = tree->nodes[at].child;
    above = tree->nodes[at].parent;
    remove_node(at);
    if (at == top) return;
  }
}

static void empty_tree(void) {
  call(SYS_madvise, tree, sizeof *tree, MADV_DONTNEED, 0);
  tree->used = ROOT;
  tree->names_used = 32; // so that no name is at 0
}

// --- Watching.

// Watches before it lists: what is made in between is in both. The directory is that of the descriptor, whatever its path leads to by now.
static long watch(u32 node) {
  char buffer[PATH_BYTES], *path = path_of(node, "", buffer);
  long fd = open_below(merged, *path ? path : ".", O_RDONLY | O_DIRECTORY, RESOLVE_NO_XDEV);
  long wd = fd < 0 ? fd : call(SYS_fchdir, fd, 0, 0, 0);
  if (wd >= 0) wd = call(SYS_inotify_add_watch, inotify, ".", WATCHED | IN_ONLYDIR | IN_DONT_FOLLOW, 0);
  if (wd >= 0) {
    set_wd(node, (int)wd);
    return fd;
  }
  if (fd >= 0) call(SYS_close, fd, 0, 0, 0);
  if (wd != -ENOENT && wd != -ENOTDIR && wd != -ELOOP) is_partial = 1, add_record('o', "", 0); // otherwise it is gone
  if (node != ROOT) remove_tree(node);
  return -1;
}

// Looks at the directories of the layer at the start, when all is as the gate expects. Later, at the merged ones, and reports them.
static long list_of(u32 node, long fd, int is_start) {
  if (!is_start) return fd;
  char buffer[PATH_BYTES], *path = path_of(node, "", buffer);
  call(SYS_close, fd, 0, 0, 0);
  return open_below(layer_root, *path ? path : ".", O_RDONLY | O_DIRECTORY, 0);
}

static u32 take_entries(u32 node, u32 waiting, long count, int is_start) {
  for (char *at = entries; at < entries + count; at += ((struct entry *)at)->bytes) {
    struct entry *entry = (struct entry *)at;
    const char *name = entry->name;
    if (is_same(name, ".") || is_same(name, "..") || (node == ROOT && is_same(name, ".git"))) continue;
    work++;
    if (!is_start) note('c', node, name);
    if (entry->type != DT_DIR && entry->type != DT_UNKNOWN) continue;
    u32 child = find_child(node, name);
    if (!child) child = new_node(node, name);
    if (child && waiting <= DIRECTORIES) tree->waiting[waiting++] = child;
  }
  return waiting;
}

static void watch_tree(u32 top, int is_start) {
  u64 most = is_start ? START_WORK : EVENT_WORK + LOOK * tree->used;
  u32 waiting = 0;
  tree->waiting[waiting++] = top;
  while (waiting) {
    u32 node = tree->waiting[--waiting];
    if (node != ROOT && tree->nodes[node].parent == NONE) continue;
    if ((work += LOOK) > most) break;
    long fd = watch(node), count = 0;
    if (fd < 0 || (fd = list_of(node, fd, is_start)) < 0) continue;
    while (work <= most && (count = call(SYS_getdents64, fd, entries, sizeof entries, 0)) > 0)
      waiting = take_entries(node, waiting, count, is_start);
    if (count < 0 && count != -ENOENT) is_partial = 1; // a directory that was removed has no entries
    call(SYS_close, fd, 0, 0, 0);
  }
  if (work > most) {
    if (is_start) is_partial = 1;
    else is_tired = 1;
  }
  call(SYS_chdir, "/", 0, 0, 0);
  if (is_start) work = 0;
}

// A gate asks. It gets an `o` before the answer as long as anything may be unknown.
static void answer(const char *name) {
  int is_unsure = is_blind || is_lost;
  work = is_lost = 0;
  if (is_blind && !is_full) {
    is_blind = is_partial = 0;
    watch_tree(ROOT, 1);
  }
  if (is_unsure || is_partial || is_full) add_record('o', "", 0);
  add_record('s', name, length(name));
}

static void open_inotify(void) {
  inotify = call(SYS_inotify_init1, O_NONBLOCK | O_CLOEXEC, 0, 0, 0);
  call(SYS_fchdir, sync_directory, 0, 0, 0);
  sync_wd = call(SYS_inotify_add_watch, inotify, ".", IN_CREATE | IN_ONLYDIR | IN_DONT_FOLLOW, 0);
  call(SYS_chdir, "/", 0, 0, 0);
}

// Drops all watches, and watches anew at the next question. That question may be among the events that are lost.
static void rest(void) {
  char asked[4096] __attribute__((aligned(8)));
  long count, fd;
  call(SYS_close, inotify, 0, 0, 0);
  empty_tree();
  is_blind = 1, is_tired = 0;
  add_record('o', "", 0);
  open_inotify();
  fd = call(SYS_openat, sync_directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  while ((count = call(SYS_getdents64, fd, asked, sizeof asked, 0)) > 0)
    for (char *at = asked; at < asked + count; at += ((struct entry *)at)->bytes)
      if (((struct entry *)at)->name[0] != '.') answer(((struct entry *)at)->name);
  call(SYS_close, fd, 0, 0, 0);
}

static void take_directory_event(u32 node, const struct event *event) {
  u32 child = find_child(node, event->name);
  if (event->mask & (IN_DELETE | IN_MOVED_FROM)) {
    if (child) remove_tree(child);
    note('D', node, event->name);
    // Another directory may have this name by now: two that changed places are reported as two moves, one after the other.
    if ((child = new_node(node, event->name))) watch_tree(child, 0);
  } else if (event->mask & (IN_CREATE | IN_MOVED_TO)) {
    note(event->mask & IN_CREATE ? 'c' : 'm', node, event->name);
    // Watched already: it was listed with the directory above it. To list it again would take the square of the depth.
    if (event->mask & IN_CREATE && child && tree->nodes[child].wd) return;
    if (child || (child = new_node(node, event->name))) watch_tree(child, 0);
  } else note('w', node, event->name);
}

static void take_event(const struct event *event) {
  if (event->wd == sync_wd) {
    if (event->mask & IN_CREATE) answer(event->name);
    return;
  }
  u32 node = find_wd(event->wd);
  if (!node) return;
  if (event->mask & IN_IGNORED) return forget_wd(node);
  if (event->bytes == 0 || (node == ROOT && is_same(event->name, ".git"))) return;
  if (event->mask & IN_ISDIR) return take_directory_event(node, event);
  note(event->mask & IN_CREATE ? 'c' : event->mask & IN_MOVED_TO ? 'm' : event->mask & (IN_DELETE | IN_MOVED_FROM) ? 'd' : 'w', node, event->name);
}

static void take_events(void) {
  long count = call(SYS_read, inotify, events, sizeof events, 0);
  for (char *at = events; at < events + count; at += sizeof(struct event) + ((struct event *)at)->bytes) {
    const struct event *event = (struct event *)at;
    if (event->mask & IN_Q_OVERFLOW) is_tired = 1;
    else take_event(event);
    if (is_tired) { // the other events are of watches that are gone
      rest();
      break;
    }
  }
  write_changes();
}

static void start_watching(long upper, const char *room) {
  char text[24];
  u64 serial = 0;
  layer_root = upper;
  need("chdir", call(SYS_chdir, room, 0, 0, 0));
  merged = need("merged", call(SYS_openat, AT_FDCWD, "merged", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
  sync_directory = need("sync", call(SYS_openat, AT_FDCWD, "sync", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
  changes = need("changes", call(SYS_openat, AT_FDCWD, "changes", O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  tree = (struct tree *)need("memory", call6(SYS_mmap, 0, sizeof *tree, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, ~0ul));
  need("random", call(SYS_getrandom, &serial, sizeof serial, 0, 0));
  add_record('g', text, (u64)(append_number(text, serial) - text));
  empty_tree();
  open_inotify();
  watch_tree(ROOT, 1);
  if (is_partial) add_record('o', "", 0);
  write_changes();
}
