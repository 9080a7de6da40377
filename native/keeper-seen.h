// DRAFT/seen: what `keeper seed` found in the project, so that `keeper compare` can tell later what the person has changed.
// One record for each path of the list, and for each directory of the layer. Seeding again appends.

// FILE: a file or link that was copied. DIRECTORY: of the layer; the project itself has an empty path. NAME: was there and was not copied.
// ABSENT: was listed and not there.
enum { SEEN_FILE = 1, SEEN_DIRECTORY = 2, SEEN_NAME = 3, SEEN_ABSENT = 4, SEEN_BYTES = 64 << 10, UNSURE_NANOSECONDS = 100000000 };

// The next record begins at a multiple of 8. `content`: a hash of a small file, or of the text of a link; 0 if there is none.
struct seen { u64 inode, size, content, modified, changed; u16 kind, mode, path_bytes, unused; char path[]; };

static char seen_batch[SEEN_BYTES] __attribute__((aligned(8)));
static u64 seen_used, sure_until;
static long seen_file;

static u64 nanoseconds(const struct statx_time *time) { return time->seconds * 1000000000ul + time->nanoseconds; }

static u64 hash_of(const char *bytes, u64 count) {
  u64 hash = 14695981039346656037ul ^ count, word;
  for (; count >= 8; bytes += 8, count -= 8) {
    __builtin_memcpy(&word, bytes, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ul;
    hash ^= hash >> 32;
  }
  while (count--) hash = (hash ^ (u8)*bytes++) * 1099511628211ul;
  hash ^= hash >> 32;
  return hash ? hash : 1;
}

static void take_facts(struct seen *seen, const struct statx *found) {
  seen->inode = found->inode, seen->size = found->size, seen->mode = found->mode;
  seen->modified = nanoseconds(&found->modified);
  seen->changed = nanoseconds(&found->changed);
  // File times advance in steps: what was changed just now can be changed again without another time. Then the content decides.
  if (seen->changed >= sure_until && (seen->content || seen->kind == SEEN_DIRECTORY)) seen->changed = 0;
}

static void write_seen(void) {
  for (u64 at = 0; at < seen_used;) at += (u64)need("seen", call(SYS_write, seen_file, seen_batch + at, seen_used - at, 0));
  seen_used = 0;
}

// `found` may be 0 for a name alone. A name that ends in a slash is a directory's.
static void note_seen(u16 kind, const char *name, const struct statx *found, u64 content) {
  u64 bytes = length(name);
  if (bytes >= PATH_BYTES) return;
  if (bytes && name[bytes - 1] == '/') bytes--;
  u64 whole = (sizeof(struct seen) + bytes + 7) & ~7ul;
  if (seen_used + whole > SEEN_BYTES) write_seen();
  struct seen *seen = (struct seen *)(seen_batch + seen_used);
  *seen = (struct seen){ .kind = kind, .content = content, .path_bytes = (u16)bytes };
  if (found) take_facts(seen, found);
  for (u64 i = 0; i < whole - sizeof *seen; i++) seen->path[i] = i < bytes ? name[i] : 0;
  seen_used += whole;
}

// The gate made DRAFT/home before it listed the project: what was changed in the project since may be missing in the list.
static void open_seen(long draft, long project) {
  struct statx found;
  need("home", call6(SYS_statx, (u64)draft, (u64)"home", AT_SYMLINK_NOFOLLOW, STATX_BASIC, (u64)&found));
  sure_until = nanoseconds(&found.modified) - UNSURE_NANOSECONDS;
  seen_file = need("seen", call(SYS_openat, draft, "seen", O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  need("seen", call6(SYS_statx, (u64)seen_file, (u64)"", AT_EMPTY_PATH, STATX_BASIC, (u64)&found));
  if (found.size > 0) return;
  need("project", call6(SYS_statx, (u64)project, (u64)"", AT_EMPTY_PATH, STATX_BASIC, (u64)&found));
  note_seen(SEEN_DIRECTORY, "", &found, 0);
}
