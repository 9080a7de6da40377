// Runs before bubblewrap if the gate runs as root. Root owns the machine's device files, and so does every program in a box of root, so
// `chmod 000 /dev/null` would break it for everybody. This program makes each device file read-only in a private mount namespace, and
// then executes the command. Bubblewrap passes on the mounts that it finds there. A device on a read-only mount can still be read and
// written, but its mode, owner and times cannot be changed.
//
//   devices -- COMMAND [ARGUMENT...]
//
// Why this exists: bubblewrap can bind a file read-only or as a device, but not both.
//
// It uses no libc, like native/init.c.

#include "kernel.h"

enum { AT_FDCWD = -100, EPERM = 1, ENOENT = 2, ENOSYS = 38, FAILED = 125, SYS_mount_setattr = 442, MOUNT_ATTR_RDONLY = 1,
       CLONE_NEWNS = 0x20000, MS_RDONLY = 1, MS_NOSUID = 2, MS_REMOUNT = 32, MS_BIND = 4096, MS_REC = 16384, MS_SLAVE = 1 << 19 };

// The devices that bubblewrap's --dev provides.
static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty" };

// Prints to standard error, as bubblewrap does. Nothing has been started yet.
static void need(const char *what, long result) {
  char text[200], *at = append(append(append(text, "devices: "), what), ": errno ");
  if (result >= 0) return;
  at = append(append_number(at, (u64)-result), "\n");
  call(SYS_write, 2, text, at - text, 0);
  leave(FAILED);
}

static void make_read_only(const char *device) {
  long bound = call6(SYS_mount, (u64)device, (u64)device, 0, MS_BIND, 0);
  if (bound == -ENOENT) return; // the machine does not have this device
  need(device, bound);
  // Adds the read-only flag to the existing ones. Before Linux 5.12, only all flags together could be set.
  u64 attributes[4] = { MOUNT_ATTR_RDONLY, 0, 0, 0 };
  long set = call6(SYS_mount_setattr, AT_FDCWD, (u64)device, 0, (u64)attributes, sizeof attributes);
  if (set == -ENOSYS) set = call6(SYS_mount, 0, (u64)device, 0, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID, 0);
  need(device, set);
}

__attribute__((noreturn, used)) void run(u64 *stack) {
  char **argv = (char **)(stack + 1), *environment[1] = { 0 };
  if (stack[0] < 3 || !is_end(argv[1])) leave(FAILED);
  long entered = call(SYS_unshare, CLONE_NEWNS, 0, 0, 0);
  if (entered != -EPERM) { // root without the right to mount: THREAT_MODEL.md says what is not enforced then
    need("unshare", entered);
    need("slave", call6(SYS_mount, 0, (u64)"/", 0, MS_REC | MS_SLAVE, 0));
    for (u64 n = 0; n < sizeof devices / sizeof *devices; n++) make_read_only(devices[n]);
  }
  need("exec", call(SYS_execve, argv[2], argv + 2, environment, 0));
  leave(FAILED);
}
