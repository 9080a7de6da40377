// What `once` and the lists of layers write to: a descriptor, and the path of the entry that is being looked at.

static char path[PATH_BYTES];
static u64 out_used;
static long out_fd;

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
