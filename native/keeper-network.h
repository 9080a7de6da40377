// `keeper net`: the network of a box that reaches single hosts.
//
// The words: a descriptor, a key, and for each listener a letter, an address and a port. `t`: TCP. `d`: UDP, for questions about names.
// An address is 8 or 32 hexadecimal digits, or `*`: every address that has no listener of its own.
//
// Every address is local to the box, so a program can connect to any of them, and reaches a listener or nobody. A listening socket
// belongs to the namespace in which it was made, whoever holds it: the gate gets the listeners and accepts what connects to them. No
// process in the box forwards anything. The descriptor is a channel of node's. A message in it has the form in which node sends sockets
// between its processes: test/native/keeper-network.test.ts has it for every node that is supported.

enum { AF_INET = 2, AF_INET6 = 10, AF_NETLINK = 16, SOCK_STREAM = 1, SOCK_DGRAM = 2, SOCK_RAW = 3, SOCK_NONBLOCK = 04000, SOCK_CLOEXEC = 02000000,
       SOL_SOCKET = 1, SO_REUSEADDR = 2, SCM_RIGHTS = 1, IPPROTO_IPV6 = 41, IPV6_V6ONLY = 26, BACKLOG = 511, CLONE_NEWNET = 0x40000000, LOOPBACK = 1 };
enum { RTM_NEWLINK = 16, RTM_NEWROUTE = 24, NLM_F_REQUEST = 1, NLM_F_ACK = 4, NLM_F_CREATE = 0x400, RTA_OIF = 4 };

static struct { char **words; u64 count; } network; // no words: the box has no network of this kind

struct netlink_head { u32 bytes; u16 type, flags; u32 number, sender; };
struct netlink_answer { struct netlink_head head; int error; char rest[256]; };
struct link_request { struct netlink_head head; u8 family, pad; u16 type; int index; u32 flags, changed; };
struct route_request { struct netlink_head head; u8 family, target_bits, source_bits, service, table, protocol, scope, type; u32 flags;
                       u16 out_bytes, out_type; u32 out; };

// Returns what the kernel answers.
static long ask_kernel(long netlink, const void *request, u64 bytes) {
  struct netlink_answer answer;
  long result = call(SYS_write, netlink, request, bytes, 0);
  if (result >= 0) result = call(SYS_read, netlink, &answer, sizeof answer, 0);
  return result < 0 ? result : answer.error;
}

static long make_everything_local(long netlink, u8 family) {
  struct route_request request = { .head = { sizeof request, RTM_NEWROUTE, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE, 0, 0 },
                                   .family = family, .table = 255, .protocol = 4, .scope = 254, .type = 2,
                                   .out_bytes = 8, .out_type = RTA_OIF, .out = LOOPBACK };
  return ask_kernel(netlink, &request, sizeof request);
}

// The new namespace has one device, which is down and has no address.
static void make_routes(void) {
  long netlink = need("netlink", call(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0, 0));
  struct link_request up = { .head = { sizeof up, RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK, 0, 0 }, .index = LOOPBACK, .flags = 1, .changed = 1 };
  need("lo", ask_kernel(netlink, &up, sizeof up));
  need("route", make_everything_local(netlink, AF_INET));
  make_everything_local(netlink, AF_INET6); // some machines have no IPv6
  call(SYS_close, netlink, 0, 0, 0);
}

struct address4 { u16 family, port; u8 bytes[4], rest[8]; };
struct address6 { u16 family, port; u32 flow; u8 bytes[16]; u32 scope; };

static u8 hex_digit(char digit) { return (u8)(digit <= '9' ? digit - '0' : digit - 'a' + 10); }

static void read_address(const char *text, u8 *bytes) {
  for (; text[0] && text[1]; text += 2) *bytes++ = (u8)(hex_digit(text[0]) << 4 | hex_digit(text[1]));
}

static long listen_at(const void *address, u64 bytes, u16 family, int is_udp) {
  int on = 1, off = 0;
  long fd = call(SYS_socket, family, (is_udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, 0);
  if (fd < 0) return fd;
  call6(SYS_setsockopt, (u64)fd, SOL_SOCKET, SO_REUSEADDR, (u64)&on, sizeof on);
  if (family == AF_INET6) call6(SYS_setsockopt, (u64)fd, IPPROTO_IPV6, IPV6_V6ONLY, (u64)&off, sizeof off);
  long result = call(SYS_bind, fd, address, bytes, 0);
  if (result >= 0 && !is_udp) result = call(SYS_listen, fd, BACKLOG, 0, 0);
  if (result >= 0) return fd;
  call(SYS_close, fd, 0, 0, 0);
  return result;
}

// Returns a negative number if this machine has no such address.
static long open_listener(char **words) {
  u64 digits = length(words[1]), port = number(words[2]);
  int is_udp = words[0][0] == 'd', is_any = words[1][0] == '*';
  u16 big_endian = (u16)(port << 8 | port >> 8);
  struct address4 four = { .family = AF_INET, .port = big_endian };
  struct address6 six = { .family = AF_INET6, .port = big_endian };
  if (!is_any && digits != 8 && digits != 32) leave(FAILED);
  if (digits == 8) read_address(words[1], four.bytes);
  if (digits == 32) read_address(words[1], six.bytes);
  long fd = digits == 8 ? -1 : listen_at(&six, sizeof six, AF_INET6, is_udp);
  return fd >= 0 || digits == 32 ? fd : listen_at(&four, sizeof four, AF_INET, is_udp);
}

struct control { u64 bytes; int level, type, fd, pad; };
struct vector { const void *start; u64 bytes; };
struct message { void *name; u64 name_bytes; struct vector *vectors; u64 vector_count; void *control; u64 control_bytes; u64 flags; };

// One message is one write, so messages of several boxes in the same channel do not mix. Without a socket (`fd` is negative) it is a
// message like any other.
static void hand_over(long channel, long fd, const char *key, u64 index, const char *type) {
  char text[300], *at = text;
  if (fd >= 0) at = append(append(append(at, "{\"cmd\":\"NODE_HANDLE\",\"type\":\""), type), "\",\"msg\":");
  at = append(append(append(at, "{\"box\":\""), key), "\",\"listener\":");
  at = append(append_number(at, index), fd >= 0 ? "}}\n" : "}\n");
  struct vector vector = { text, (u64)(at - text) };
  struct control control = { sizeof control - sizeof control.pad, SOL_SOCKET, SCM_RIGHTS, (int)fd, 0 };
  struct message message = { .vectors = &vector, .vector_count = 1, .control = fd < 0 ? 0 : &control, .control_bytes = fd < 0 ? 0 : sizeof control };
  need("channel", call(SYS_sendmsg, channel, &message, 0, 0));
}

// Opens the listeners in the network namespace of this process, which is new.
static void open_listeners(void) {
  long channel = (long)number(network.words[0]);
  make_routes();
  for (u64 index = 0; index < network.count; index++) {
    char **words = network.words + 2 + 3 * index;
    long fd = open_listener(words);
    if (fd < 0 && length(words[1]) != 32) refuse("listener", fd);
    if (fd < 0) continue;
    hand_over(channel, fd, network.words[1], index,
              words[0][0] == 'd' ? "dgram.Socket\",\"dgramType\":\"udp4" : "net.Server");
    call(SYS_close, fd, 0, 0, 0);
  }
  call(SYS_close, channel, 0, 0, 0);
}

// For a command that has entered its namespaces, and may make another one.
static void open_network(void) {
  if (network.words == 0) return;
  need("unshare", call(SYS_unshare, CLONE_NEWNET, 0, 0, 0));
  open_listeners();
}

// Takes the words of `net`, and returns how many words of the command line they are.
static u64 network_words(u64 argc, char **argv) {
  u64 end = 4;
  while (end < argc && !is_end(argv[end])) end++;
  if (end + 1 >= argc || (end - 4) % 3 || length(argv[3]) > 64) leave(FAILED);
  network.words = argv + 2;
  network.count = (end - 4) / 3;
  return end;
}

__attribute__((noreturn)) static void plain(u64 argc, char **argv) {
  if (argc < 4 || !is_end(argv[2]) || network.words == 0) leave(FAILED);
  enter_own(CLONE_NEWNET);
  open_listeners();
  refuse("exec", call(SYS_execve, argv[3], argv + 3, no_environment, 0));
}
