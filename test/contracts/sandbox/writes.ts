// Writes: rw grants take them and keep them; nothing else on the machine changes.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { bash, perl } from "../../fixtures/run.ts";
import { type ContractContext, useGate, usePlace } from "./context.ts";

export function describeWrites(name: string, context: ContractContext): void {
  describe(`${name}: writes`, () => {
    const directories = usePlace();
    mkdirSync(`${directories.base}/read`);
    writeFileSync(`${directories.base}/read/file.txt`, "as it was");
    mkdirSync(`${directories.root}/inner/kept`, { recursive: true });
    writeFileSync(`${directories.root}/inner/kept/file.txt`, "as it was");
    const grants = {
      paths: [
        { path: "/usr", mode: "r" },
        { path: directories.root, mode: "rw" },
        { path: `${directories.base}/read`, mode: "r" },
        { path: `${directories.root}/inner/kept`, mode: "r" },
      ],
    } as const;
    const gate = useGate(context, directories, grants);

    test("what is written to an rw grant stays", async () => {
      const { exit_code, stderr } = await bash(
        gate,
        `cd ${directories.root} && mkdir -p a/b && echo one > a/b/c && mv a z && ln -s b z/link && chmod 700 z`,
      );
      assert.equal(exit_code, 0, stderr);
      assert.equal(readFileSync(`${directories.root}/z/link/c`, "utf8"), "one\n");
      assert.equal((await bash(gate, `cat ${directories.root}/z/b/c`)).stdout, "one\n");
    });

    for (const attempt of [
      "echo x > file.txt",
      "echo x >> file.txt",
      "touch new",
      "rm file.txt",
      "mv file.txt other",
      "chmod 777 file.txt",
      "ln file.txt hard",
      "mkdir d",
      "truncate -s 0 file.txt",
      "touch -d 2001-01-01 file.txt",
    ]) {
      test(`an r grant stays as it is: ${attempt}`, async () => {
        const before = statSync(`${directories.base}/read/file.txt`, { bigint: true });
        for (const directory of [`${directories.base}/read`, `${directories.root}/inner/kept`]) {
          const { exit_code } = await bash(gate, `cd ${directory} && ${attempt}`);
          assert.notEqual(exit_code, 0);
          assert.deepEqual(readdirSync(directory), ["file.txt"]);
          assert.equal(readFileSync(`${directory}/file.txt`, "utf8"), "as it was");
        }
        assert.equal(statSync(`${directories.base}/read/file.txt`, { bigint: true }).ctimeNs, before.ctimeNs);
      });
    }

    test("an r grant inside an rw grant cannot be moved out of the way, so that the next call would change it", async () => {
      await bash(gate, `cd ${directories.root} && mv inner elsewhere; mv inner/kept inner/other; mkdir -p inner/kept`);
      const { stdout } = await bash(
        gate,
        `cd ${directories.root}; echo changed > elsewhere/kept/file.txt; echo changed > inner/kept/file.txt; cat inner/kept/file.txt`,
      );
      assert.equal(stdout, "as it was");
      assert.equal(readFileSync(`${directories.root}/inner/kept/file.txt`, "utf8"), "as it was");
    });

    test("the box itself takes no writes", async () => {
      const places = ["/", "/dev", "/etc", "/usr", "/usr/bin", "/proc", "/proc/sys/kernel", "/usr/lib", "/bin"];
      const { stdout } = await bash(
        gate,
        `for d in ${places.join(" ")}; do (: > "$d/sallyport-new") 2>/dev/null && echo "$d"; mkdir "$d/sallyport-dir" 2>/dev/null && echo "$d"; done; true`,
      );
      assert.equal(stdout, "");
      for (const directory of places) assert.ok(!existsSync(`${directory}/sallyport-new`), directory);
    });

    test("/tmp, /dev/shm and /workspace take writes, which reach nobody; what is outside of the workspace is gone afterwards", async () => {
      const { exit_code, stdout } = await bash(
        gate,
        "for d in /tmp /dev/shm /workspace; do echo mine > $d/sallyport-private; cat $d/sallyport-private; done",
      );
      assert.equal(exit_code, 0);
      assert.equal(stdout, "mine\nmine\nmine\n");
      for (const directory of ["/tmp", "/dev/shm"]) assert.ok(!existsSync(`${directory}/sallyport-private`));
      assert.equal((await bash(gate, "ls -A /tmp /dev/shm | grep private")).stdout, "");
    });

    test("the machine's device files keep their modes, and work", async () => {
      const devices = ["null", "zero", "full", "random", "urandom", "tty"].map((device) => `/dev/${device}`);
      const modes = () => devices.map((device) => statSync(device).mode & 0o777);
      const before = modes();
      await bash(gate, `chmod 600 ${devices.join(" ")}; chmod 000 /dev/fd/0 /proc/self/fd/0`);
      await perl(gate, "chmod(0600, *STDIN); chmod(0600, *STDOUT);");
      assert.deepEqual(modes(), before);
      const { exit_code, stdout } = await bash(
        gate,
        "echo x > /dev/null && head -c 3 /dev/zero | wc -c && head -c 4 /dev/urandom | wc -c; cat | wc -c",
      );
      assert.equal(exit_code, 0);
      assert.equal(stdout, "3\n4\n0\n");
    });

    test("a program that locks its own output pipes does not lock the next call out", async () => {
      for (let round = 0; round < 6; round += 1) await perl(gate, "chmod(0, *STDOUT); chmod(0, *STDERR);");
      assert.equal((await bash(gate, "echo still here")).stdout, "still here\n");
    });
  });
}
