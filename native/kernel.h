// System calls without a libc, for the programs in this directory: call numbers, the call itself, and the program entry. A program
// defines `run`, which gets the initial stack: argc, then argv.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

#if defined(__x86_64__)
enum { SYS_read = 0, SYS_write = 1, SYS_close = 3, SYS_rt_sigprocmask = 14, SYS_pwrite64 = 18, SYS_getpid = 39, SYS_clone = 56, SYS_execve = 59,
       SYS_wait4 = 61, SYS_kill = 62, SYS_fcntl = 72, SYS_flock = 73, SYS_ftruncate = 77, SYS_chdir = 80, SYS_getuid = 102, SYS_getgid = 104, SYS_getppid = 110,
       SYS_setsid = 112, SYS_statfs = 137, SYS_prctl = 157, SYS_mount = 165, SYS_fsetxattr = 190, SYS_lgetxattr = 192, SYS_llistxattr = 195, SYS_fgetxattr = 193, SYS_getdents64 = 217,
       SYS_exit_group = 231, SYS_openat = 257, SYS_mkdirat = 258, SYS_readlinkat = 267, SYS_ppoll = 271, SYS_unshare = 272,
       SYS_signalfd4 = 289, SYS_dup3 = 292, SYS_pipe2 = 293, SYS_prlimit64 = 302, SYS_setns = 308, SYS_copy_file_range = 326, SYS_statx = 332,
       SYS_close_range = 436, SYS_openat2 = 437, SYS_fchmod = 91, SYS_mknodat = 259, SYS_symlinkat = 266, SYS_utimensat = 280,
       SYS_lseek = 8, SYS_mmap = 9, SYS_madvise = 28, SYS_fchdir = 81, SYS_inotify_add_watch = 254, SYS_inotify_rm_watch = 255, SYS_unlinkat = 263,
       SYS_inotify_init1 = 294, SYS_getrandom = 318, SYS_clock_gettime = 228,
       SYS_ioctl = 16, SYS_connect = 42, SYS_socket = 41, SYS_sendmsg = 46, SYS_bind = 49, SYS_listen = 50, SYS_setsockopt = 54 };
enum { O_DIRECTORY = 0200000, O_NOFOLLOW = 0400000 };
static long call6(long n, u64 a, u64 b, u64 c, u64 d, u64 e) {
  long result;
  register u64 r10 __asm__("r10") = d;
  register u64 r8 __asm__("r8") = e;
  register u64 r9 __asm__("r9") = 0;
  __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
}
__asm__(".global _start\n_start:\n  mov %rsp, %rdi\n  and $-16, %rsp\n  call run\n");
#elif defined(__aarch64__)
enum { SYS_read = 63, SYS_write = 64, SYS_close = 57, SYS_rt_sigprocmask = 135, SYS_pwrite64 = 68, SYS_getpid = 172, SYS_clone = 220, SYS_execve = 221,
       SYS_wait4 = 260, SYS_kill = 129, SYS_fcntl = 25, SYS_flock = 32, SYS_ftruncate = 46, SYS_chdir = 49, SYS_getuid = 174, SYS_getgid = 176, SYS_getppid = 173,
       SYS_setsid = 157, SYS_statfs = 43, SYS_prctl = 167, SYS_mount = 40, SYS_fsetxattr = 7, SYS_lgetxattr = 9, SYS_llistxattr = 12, SYS_fgetxattr = 10, SYS_getdents64 = 61,
       SYS_exit_group = 94, SYS_openat = 56, SYS_mkdirat = 34, SYS_readlinkat = 78, SYS_ppoll = 73, SYS_unshare = 97,
       SYS_signalfd4 = 74, SYS_dup3 = 24, SYS_pipe2 = 59, SYS_prlimit64 = 261, SYS_setns = 268, SYS_copy_file_range = 285, SYS_statx = 291,
       SYS_close_range = 436, SYS_openat2 = 437, SYS_fchmod = 52, SYS_mknodat = 33, SYS_symlinkat = 36, SYS_utimensat = 88,
       SYS_lseek = 62, SYS_mmap = 222, SYS_madvise = 233, SYS_fchdir = 50, SYS_inotify_add_watch = 27, SYS_inotify_rm_watch = 28, SYS_unlinkat = 35,
       SYS_inotify_init1 = 26, SYS_getrandom = 278, SYS_clock_gettime = 113,
       SYS_ioctl = 29, SYS_connect = 203, SYS_socket = 198, SYS_sendmsg = 211, SYS_bind = 200, SYS_listen = 201, SYS_setsockopt = 208 };
enum { O_DIRECTORY = 040000, O_NOFOLLOW = 0100000 };
static long call6(long n, u64 a, u64 b, u64 c, u64 d, u64 e) {
  register u64 x8 __asm__("x8") = n;
  register u64 x0 __asm__("x0") = a;
  register u64 x1 __asm__("x1") = b;
  register u64 x2 __asm__("x2") = c;
  register u64 x3 __asm__("x3") = d;
  register u64 x4 __asm__("x4") = e;
  register u64 x5 __asm__("x5") = 0;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return (long)x0;
}
__asm__(".global _start\n_start:\n  mov x0, sp\n  bl run\n");
#else
#error "no system call table for this processor"
#endif

#define call(n, a, b, c, d) call6((n), (u64)(a), (u64)(b), (u64)(c), (u64)(d), 0)

enum { SIGHUP = 1, SIGINT = 2, SIGKILL = 9, SIGTERM = 15, SIGCHLD = 17, SIG_BLOCK = 0, SIG_UNBLOCK = 1, WNOHANG = 1,
       E2BIG = 7, F_SETFD = 2, FD_CLOEXEC = 1, O_NONBLOCK = 04000, O_CLOEXEC = 02000000, PR_SET_PDEATHSIG = 1, PR_SET_DUMPABLE = 4 };

__attribute__((noreturn)) static void leave(int code) {
  for (;;) call(SYS_exit_group, code, 0, 0, 0);
}

__attribute__((unused)) static u64 number(const char *text) {
  u64 value = 0;
  while (*text >= '0' && *text <= '9') value = value * 10 + (u64)(*text++ - '0');
  return value;
}

__attribute__((unused)) static int is_end(const char *word) { return word[0] == '-' && word[1] == '-' && word[2] == 0; }

__attribute__((unused)) static char *append(char *at, const char *text) {
  while (*text) *at++ = *text++;
  *at = 0;
  return at;
}

__attribute__((unused)) static char *append_number(char *at, u64 value) {
  char digits[24];
  int count = 0;
  do digits[count++] = (char)('0' + value % 10); while (value /= 10);
  while (count) *at++ = digits[--count];
  *at = 0;
  return at;
}
