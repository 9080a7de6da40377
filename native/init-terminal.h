// A terminal for the program: the box's own, made by the first process, which copies between it and its standard input and output.
// The person's terminal never enters the box, so nothing in the box can type into it or change its settings.

enum { POLLOUT = 4, F_SETFL = 4, O_RDWR = 2, O_NOCTTY = 0400, EAGAIN = 11, TCGETS = 0x5401, TCSETS = 0x5402, TIOCSCTTY = 0x540e,
       TIOCSWINSZ = 0x5414, TIOCGPTPEER = 0x5441, TIOCSPTLCK = 0x40045431, IUTF8 = 0040000 };

// Their numbers in the first process. SIZES: a pipe with the terminal's size, as records of two numbers: rows, columns.
enum { SIZES = 4, TERMINAL = 5 };

struct size { u16 rows, columns, unused[2]; };
struct settings { u32 input, output, control, local; u8 line, characters[19]; };

// Bytes on their way in one direction: read from one descriptor, and written to the other as it takes them.
enum { FLOW_BYTES = 4096 };
struct flow { int from, to, at, length, is_over; char bytes[FLOW_BYTES]; };
static struct flow typed, drawn;

static void use_size(void) {
  u16 record[2];
  while (call(SYS_read, SIZES, record, sizeof record, 0) == sizeof record) {
    struct size size = { record[0], record[1], { 0, 0 } };
    call(SYS_ioctl, TERMINAL, TIOCSWINSZ, &size, 0);
  }
}

// Opens the terminal and gives it its first size. The result is the program's side of it, or an error. The first process keeps that
// side open: otherwise the terminal would be over as soon as no program has it open, though one may open it again.
static long open_terminal(void) {
  int locked = 0;
  long fd = call(SYS_openat, AT_FDCWD, "/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK, 0);
  if (fd < 0) return fd;
  if (fd != TERMINAL) {
    call(SYS_dup3, fd, TERMINAL, O_CLOEXEC, 0);
    call(SYS_close, fd, 0, 0, 0);
  }
  long result = call(SYS_ioctl, TERMINAL, TIOCSPTLCK, &locked, 0);
  if (result < 0) return result;
  struct settings settings;
  if (call(SYS_ioctl, TERMINAL, TCGETS, &settings, 0) == 0) {
    settings.input |= IUTF8; // so that the backspace key takes a whole character
    call(SYS_ioctl, TERMINAL, TCSETS, &settings, 0);
  }
  use_size();
  typed.to = drawn.from = TERMINAL, drawn.to = 1;
  for (int fd = 0; fd < 2; fd++) call(SYS_fcntl, fd, F_SETFL, O_NONBLOCK, 0);
  return call(SYS_ioctl, TERMINAL, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC, 0);
}

// In the program's process, after it has become the leader of a session.
static long enter_terminal(long peer) {
  long result = call(SYS_ioctl, peer, TIOCSCTTY, 0, 0);
  for (int fd = 0; fd < 3 && result >= 0; fd++) result = call(SYS_dup3, peer, fd, 0, 0);
  return result;
}

static void move_bytes(struct flow *flow) {
  while (!flow->is_over) {
    if (flow->length == 0) {
      long count = call(SYS_read, flow->from, flow->bytes, FLOW_BYTES, 0);
      if (count == -EAGAIN) return;
      flow->is_over = count <= 0;
      flow->at = 0, flow->length = count > 0 ? (int)count : 0;
    }
    while (flow->length > 0) {
      long count = call(SYS_write, flow->to, flow->bytes + flow->at, flow->length, 0);
      if (count == -EAGAIN) return;
      if (count < 0) flow->is_over = 1, count = flow->length;
      flow->at += (int)count, flow->length -= (int)count;
    }
  }
}

// What one waits for: that the next bytes come or, if some are left, that they are taken.
static struct watched next_of(const struct flow *flow) {
  if (flow->is_over) return (struct watched){ -1, 0, 0 };
  return flow->length > 0 ? (struct watched){ flow->to, POLLOUT, 0 } : (struct watched){ flow->from, POLLIN, 0 };
}
