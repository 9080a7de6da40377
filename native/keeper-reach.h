// `keeper reach`: connections to a server in a running box, for the person who looks at it.
//
// The words: a descriptor of the box's network namespace, a port, a descriptor of node's channel, and a key. For each byte on standard
// input it connects to that port of 127.0.0.1, or else of ::1, and sends the connection to the caller. If nobody listens, it sends a
// message without a connection. It ends with its input. It reads nothing of what a connection carries.

enum { NS_GET_USERNS = 0xb701, EINVAL = 22, POLLOUT = 4, EINPROGRESS = 115 };

// A network namespace may be entered by whoever is root in the user namespace that owns it: the user who made it, after entering that one.
static void enter_network(long namespace) {
  long owner = call(SYS_ioctl, namespace, NS_GET_USERNS, 0, 0);
  long entered = owner < 0 ? owner : call(SYS_setns, owner, CLONE_NEWUSER, 0, 0);
  if (entered < 0 && entered != -EINVAL) refuse("user namespace", entered); // EINVAL: this process is in it already
  need("network namespace", call(SYS_setns, namespace, CLONE_NEWNET, 0, 0));
  if (owner >= 0) call(SYS_close, owner, 0, 0, 0);
  call(SYS_close, namespace, 0, 0, 0);
}

// A program that listens and accepts nothing delays the caller for a second.
static long connect_to(const void *address, u64 bytes, u16 family) {
  long fd = call(SYS_socket, family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0); // as node expects it
  if (fd < 0) return fd;
  long result = call(SYS_connect, fd, address, bytes, 0);
  if (result == -EINPROGRESS) {
    struct watched connecting = { (int)fd, POLLOUT, 0 };
    u64 second[2] = { 1, 0 };
    call(SYS_ppoll, &connecting, 1, second, 0);
    result = call(SYS_connect, fd, address, bytes, 0); // says how it ended
  }
  if (result >= 0) return fd;
  call(SYS_close, fd, 0, 0, 0);
  return result;
}

static long connect_inside(u64 port) {
  u16 big_endian = (u16)(port << 8 | port >> 8);
  struct address4 four = { .family = AF_INET, .port = big_endian, .bytes = { 127, 0, 0, 1 } };
  struct address6 six = { .family = AF_INET6, .port = big_endian, .bytes = { [15] = 1 } };
  long fd = connect_to(&four, sizeof four, AF_INET);
  return fd >= 0 ? fd : connect_to(&six, sizeof six, AF_INET6);
}

__attribute__((noreturn)) static void reach(u64 argc, char **argv) {
  if (argc != 6 || length(argv[5]) > 64) leave(FAILED);
  u64 port = number(argv[3]);
  long channel = (long)number(argv[4]);
  static char read_bytes[4096];
  enter_network((long)number(argv[2]));
  for (;;) {
    struct watched watched[2] = { { 0, POLLIN, 0 }, { (int)channel, POLLIN, 0 } };
    call(SYS_ppoll, watched, 2, 0, 0);
    // The caller confirms each connection, and nobody needs that.
    if (watched[1].seen && call(SYS_read, channel, read_bytes, sizeof read_bytes, 0) <= 0) leave(0);
    if (!watched[0].seen) continue;
    long count = call(SYS_read, 0, read_bytes, sizeof read_bytes, 0);
    if (count <= 0) leave(0);
    for (long n = 0; n < count; n++) {
      long fd = connect_inside(port);
      hand_over(channel, fd, argv[5], (u64)n, "net.Socket");
      if (fd >= 0) call(SYS_close, fd, 0, 0, 0);
    }
  }
}
