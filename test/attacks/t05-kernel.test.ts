// T05: a program in a box does not reach the parts of the kernel that lead out of it.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { bare, bash, callNumbers, isRoot, PERL, perl } from "../fixtures/run.ts";

const error = "(grep { $!{$_} } keys %!)[0]";
const call = (name: string, args: string) =>
  `use Errno; my $r = syscall(${callNumbers[name]}, ${args}); print $r >= 0 ? "done" : ${error}`;
const socketOf = (family: number, type: number, protocol: number) =>
  `use Errno; print socket(my $s, ${family}, ${type}, ${protocol}) ? "done" : ${error}`;

/** Each with what the same program gets without us: something else than the filter's answer. */
const attempts: readonly {
  readonly what: string;
  readonly program: string;
  readonly boxed: string;
  readonly root?: boolean;
}[] = [
  { what: "ptrace", program: call("ptrace", "0, 0, 0, 0"), boxed: "EPERM" },
  { what: "the keyring", program: call("keyctl", "0, -3, 1"), boxed: "EPERM" },
  { what: "io_uring", program: call("io_uring_setup", "1, 0"), boxed: "ENOSYS" },
  { what: "a user namespace by unshare", program: call("unshare", "0x10000000"), boxed: "EPERM" },
  {
    what: "a user namespace by clone",
    program: `use Errno; my $r = syscall(${callNumbers["clone"]}, 0x10000000 | 17, 0, 0, 0, 0); if ($r == 0) { exit } print $r > 0 ? "done" : ${error}`,
    boxed: "EPERM",
  },
  { what: "typing into a terminal", program: call("ioctl", "0, 0x5412, 0"), boxed: "EPERM" },
  {
    what: "pasting on a console, with other bits set above the number",
    program: call("ioctl", "0, 0x541c | (1 << 40), 0"),
    boxed: "EPERM",
  },
  { what: "raw packets", program: socketOf(17, 3, 0), boxed: "EAFNOSUPPORT", root: true },
  { what: "the kernel's ciphers", program: socketOf(38, 5, 0), boxed: "EAFNOSUPPORT" },
  { what: "another machine's sockets (vsock)", program: socketOf(40, 1, 0), boxed: "EAFNOSUPPORT" },
  { what: "bpf", program: call("bpf", "0, 0, 0"), boxed: "EPERM", root: true },
];

for (const { what, program, boxed, root } of attempts) {
  test(`not reached: ${what}`, { skip: root === true && !isRoot && "only root could, without us" }, async (t) => {
    const directories = makeTestDirectories();
    const gate = openGate(directories);
    t.after(() => (gate.close(), directories.remove()));
    assert.equal((await perl(gate, program)).stdout, boxed);
    const control = bare([PERL, "-e", program]).stdout;
    if (control === boxed && boxed !== "EPERM") t.diagnostic(`this kernel has it not: ${what}`);
    else assert.notEqual(control, boxed, `control: without us the answer is ${control}`);
  });
}

test(
  "no mount is made, changed or undone",
  { skip: !existsSync("/usr/bin/unshare") && "there is no unshare" },
  async (t) => {
    const directories = makeTestDirectories();
    const gate = openGate(directories);
    t.after(() => (gate.close(), directories.remove()));
    const attacks = [
      "mount -t tmpfs none /usr",
      `mount --bind ${directories.root} /usr`,
      "mount -o remount,bind,rw /usr",
      "mount -t proc proc /tmp",
      "umount -l /proc",
      "umount /usr",
      "mount --move /tmp /workspace",
      "mount -t overlay o -o lowerdir=/usr,upperdir=/tmp,workdir=/tmp /usr",
    ];
    for (const attack of attacks) {
      const { exit_code, stderr } = await bash(
        gate,
        `cp /bin/sh /tmp/sh; ${attack}; r=$?; touch /usr/changed && exit 0; exit $r`,
      );
      assert.notEqual(exit_code, 0, attack);
      assert.match(stderr, /permitted|denied|not mounted|superuser|Read-only/i, attack);
    }
    const control = bare([
      "/usr/bin/unshare",
      "-rm",
      "/bin/sh",
      "-c",
      "mount -t tmpfs none /usr/share && touch /usr/share/changed && echo mounted",
    ]);
    assert.equal(
      control.stdout,
      "mounted\n",
      `control: in namespaces of its own a program may, without us: ${control.stderr}`,
    );
  },
);
