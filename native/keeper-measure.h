// `keeper measure DRAFT`: prints how many bytes the layer, the git directory and the home of a draft take on the disk. Programs decide what
// is in there: it follows no link, opens directories only, and reads those that a program has made unreadable.

enum { MEASURED_DEPTH = 256 };
static u64 measured;

static void measure_below(long directory, int depth) {
  char names[4096] __attribute__((aligned(8)));
  struct statx found;
  long count;
  while ((count = call(SYS_getdents64, directory, names, sizeof names, 0)) > 0)
    for (char *at = names; at < names + count; at += ((struct entry *)at)->bytes) {
      const char *name = ((struct entry *)at)->name;
      if (is_same(name, ".") || is_same(name, "..")) continue;
      if (call6(SYS_statx, (u64)directory, (u64)name, AT_SYMLINK_NOFOLLOW, STATX_BASIC, (u64)&found) < 0) continue; // it is gone
      int is_directory = (found.mode & S_IFMT) == S_IFDIR;
      measured += found.blocks * 512 / (is_directory || found.links == 0 ? 1 : found.links);
      if (!is_directory) continue;
      // More than can be looked at is more than is allowed.
      if (depth == MEASURED_DEPTH) { measured = 1ul << 60; return; }
      long below = open_below(directory, name, O_RDONLY | O_DIRECTORY, RESOLVE_NO_XDEV);
      if (below < 0) continue;
      measure_below(below, depth + 1);
      call(SYS_close, below, 0, 0, 0);
      if (measured >= 1ul << 60) return;
    }
}

__attribute__((noreturn)) static void measure(u64 argc, char **argv) {
  if (argc != 3) leave(FAILED);
  enter_namespaces(); // in a user namespace, a user may read all of their own files
  long draft = open_draft(argv[2]);
  for (const char **part = (const char *[]){ "upper", "git", "home", 0 }; *part; part++) {
    long directory = need(*part, call(SYS_openat, draft, *part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
    measure_below(directory, 0);
    call(SYS_close, directory, 0, 0, 0);
  }
  char text[24], *end = append(append_number(text, measured), "\n");
  call(SYS_write, 1, text, end - text, 0);
  leave(0);
}
