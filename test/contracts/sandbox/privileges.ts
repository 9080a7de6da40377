// Privileges: a program in a box has none, and finds no way to any.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { arch } from "node:os";
import { describe, test } from "node:test";
import { bare, bash, callNumbers, exec, hasCompiler, perl, ran } from "../../fixtures/run.ts";
import { type ContractContext, useGate, usePlace } from "./context.ts";

/** Prints "0" or the name of the error of one system call. */
const attempt = (call: string, ...args: (number | string)[]) =>
  `use Errno; my $r = syscall(${callNumbers[call] ?? call}, ${args.join(", ") || 0}); print $r < 0 ? (grep { $!{$_} } keys %!)[0] : "done"`;

export function describePrivileges(name: string, context: ContractContext): void {
  describe(`${name}: privileges`, () => {
    const directories = usePlace();
    const gate = useGate(context, directories);

    test("no capabilities, none to be had, and a filter", async () => {
      const { stdout } = await bash(gate, "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status | tr -d '\\t'");
      assert.equal(
        stdout,
        `${["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].map((set) => `${set}:0000000000000000\n`).join("")}NoNewPrivs:1\nSeccomp:2\n`,
      );
    });

    for (const [what, command] of [
      ["a user namespace", "unshare -U true"],
      ["a mount namespace", "unshare -m true"],
      ["a mount", "mount -t tmpfs none /tmp"],
      ["a remount", "mount -o remount,rw /usr"],
      ["a bind", "mount --bind /tmp /usr"],
      ["an unmount", "umount /tmp"],
      ["a root of its own", "chroot /tmp /bin/true"],
      ["another's namespace", "nsenter -t 1 -m true"],
      ["a device", "mknod /tmp/d c 1 3"],
      ["another owner", "touch /tmp/f && chown 1:1 /tmp/f"],
      ["the host's name", "hostname other"],
      ["the clock", "date -s 2001-01-01"],
    ] as const) {
      test(`not to be had: ${what}`, async () => {
        assert.notEqual((await bash(gate, command)).exit_code, 0);
      });
    }

    const calls: readonly (readonly [string, string, readonly (number | string)[]])[] = [
      ["ptrace", "EPERM", [0, 0, 0, 0]],
      ["keyctl", "EPERM", [0, -3, 0]],
      ["unshare", "EPERM", [0x10000000]],
      ["mount", "EPERM", [0, 0, 0, 0, 0]],
      ["bpf", "EPERM", [0, 0, 0]],
      ["userfaultfd", "EPERM", [0]],
      ["io_uring_setup", "ENOSYS", [1, 0]],
      ["clone", "EPERM", ["0x10000000 | 17", 0, 0, 0, 0]],
      ["ioctl", "EPERM", [0, 0x5412, 0]],
      ["prlimit64", "EPERM", [1, 0, 0, 0]],
    ];
    for (const [call, error, args] of calls) {
      test(`the filter answers ${call} with ${error}`, async () => {
        assert.equal((await perl(gate, attempt(call, ...args))).stdout, error);
      });
    }

    test("calls under x32 numbers do not exist", { skip: arch() !== "x64" && "x32 is a thing of x64" }, async () => {
      assert.equal((await perl(gate, attempt(String(0x40000000 + 39)))).stdout, "ENOSYS");
    });

    test(
      "32-bit calls end the program",
      { skip: (arch() !== "x64" && "int 0x80 is a thing of x64") || (!hasCompiler && "there is no /usr/bin/gcc") },
      async () => {
        // 32-bit getpid. Without a filter the program comes back from it.
        const source =
          'int main(void) { int r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20)); return r > 0 ? 42 : 43; }';
        writeFileSync(`${directories.root}/int80.c`, source);
        assert.equal(
          bare(["/usr/bin/gcc", "-o", `${directories.root}/int80`, `${directories.root}/int80.c`]).status,
          0,
        );
        const control = bare([`${directories.root}/int80`]);
        assert.ok(
          control.status === 42 || control.signal === "SIGSEGV",
          "a kernel without 32-bit calls kills it as well",
        );
        assert.equal(ran(await exec(gate, [`${directories.root}/int80`])).signal, "SIGSYS");
      },
    );

    for (const family of [16, 17, 38, 40]) {
      test(`sockets of family ${family}: ${family === 16 ? "its own interfaces only" : "none"}`, async () => {
        const { stdout } = await perl(
          gate,
          `use Errno; print socket(my $s, ${family}, 3, 0) ? "made" : (grep { $!{$_} } keys %!)[0]`,
        );
        assert.equal(stdout, family === 16 ? "made" : "EAFNOSUPPORT");
      });
    }

    test("the box's first process keeps to itself: its descriptors, memory, environment and end", async () => {
      const { stdout, exit_code } = await bash(
        gate,
        `for f in fd/3 fd/1 mem environ maps; do (exec 3<> /proc/1/$f) 2>/dev/null && echo "opened $f"; done; cat /proc/1/environ 2>/dev/null
        kill -9 1; kill -KILL -- -1 & kill -STOP 1; kill -SEGV 1; sleep 0.1; exit 5`,
      );
      assert.equal(stdout, "");
      assert.ok(exit_code === 5 || exit_code === null);
    });
  });
}
