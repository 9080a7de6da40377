// `keeper lock LETTERS`: locks the descriptors 3, 4 and so on in this order, `s` together with others, `e` alone, and waits for each.
//
// The kernel keeps such a lock for an open file, not for a process. So the locks last until the gate, which opened the files and gave them
// to this process, closes them or ends. They need no file of their own: a directory can be locked.

enum { LOCK_SH = 1, LOCK_EX = 2, EINTR = 4 };

__attribute__((noreturn)) static void lock(u64 argc, char **argv) {
  if (argc != 3) leave(FAILED);
  call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
  for (u64 i = 0; argv[2][i]; i++) {
    long done;
    do done = call(SYS_flock, 3 + i, argv[2][i] == 'e' ? LOCK_EX : LOCK_SH, 0, 0); while (done == -EINTR);
    need("lock", done);
  }
  leave(0);
}
