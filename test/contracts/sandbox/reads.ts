// Reads: what is granted is there, and nothing else of the machine.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { describe, test } from "node:test";
import { bash } from "../../fixtures/run.ts";
import { type ContractContext, useGate, usePlace } from "./context.ts";

export function describeReads(name: string, context: ContractContext): void {
  describe(`${name}: reads`, () => {
    const directories = usePlace();
    writeFileSync(`${directories.root}/granted.txt`, "granted");
    writeFileSync(`${directories.outside}/secret.txt`, "secret");
    mkdirSync(`${directories.base}/config/sallyport`, { recursive: true });
    const gate = useGate(context, directories);

    test("a granted file is there, an ungranted one is not", async () => {
      const { stdout, stderr, exit_code } = await bash(
        gate,
        `cat ${directories.root}/granted.txt; cat ${directories.outside}/secret.txt`,
      );
      assert.equal(stdout, "granted");
      assert.match(stderr, /No such file/);
      assert.equal(exit_code, 1);
    });

    test("nothing but granted paths lies beside a granted one", async () => {
      const { stdout } = await bash(gate, `ls -A ${directories.base} ${directories.base}/..`);
      assert.doesNotMatch(stdout, /outside|state|config|project/);
      assert.match(stdout, /root/);
    });

    for (const [what, path] of [
      ["the state directory", () => directories.state],
      ["the configuration directory, with the key of the record", () => `${directories.base}/config`],
      ["the home directory of whoever runs the gate", () => homedir()],
      ["the homes of others", () => "/home"],
      ["root's home", () => "/root"],
      ["the kernel's view of the hardware", () => "/sys"],
      ["what runs on the machine", () => "/run"],
      ["what the machine writes down", () => "/var/log"],
    ] as const) {
      test(`not there: ${what}`, async () => {
        if (path() === "/tmp" || path() === "/") return;
        const { stdout, exit_code } = await bash(gate, `ls -A ${path()} && cat ${path()}/*`);
        assert.equal(stdout, "");
        assert.notEqual(exit_code, 0);
      });
    }

    test("the accounts of the machine are not told", async () => {
      const { stdout } = await bash(gate, "cat /etc/passwd /etc/group; cat /etc/shadow /etc/hostname");
      const accounts = readFileSync("/etc/passwd", "utf8").trim().split("\n");
      const told = stdout.split("\n").filter((line) => line.includes(":"));
      assert.ok(told.length <= 7, stdout);
      assert.ok(accounts.length > 4, "this machine has too few accounts to tell");
      for (const account of accounts.slice(1, -1))
        if (!/^(nobody|root):/.test(account)) assert.ok(!stdout.includes(account), account);
    });

    test("the gate's environment is out of reach, also through /proc", async () => {
      const secrets = readFileSync("/proc/self/environ", "utf8")
        .split("\0")
        .filter((entry) => (entry.split("=")[1] ?? "").length > 8);
      assert.ok(secrets.length > 0, "the gate has no environment to keep to itself");
      const { stdout } = await bash(
        gate,
        `cat /proc/*/environ /proc/*/task/*/environ 2>/dev/null | tr '\\0' '\\n'; ls -d /proc/${process.pid}`,
      );
      for (const entry of secrets)
        if (!/^(PATH|HOME|LANG|LC_ALL|USER|TERM|SHELL|PWD|_)=/.test(entry))
          assert.ok(!stdout.includes(entry), entry.split("=")[0]);
      assert.match(stdout, /^PATH=/m, "its own environment is there");
    });

    test("no process of the host is there", async () => {
      const { stdout } = await bash(gate, "for p in /proc/[0-9]*; do cat $p/comm; done; ls -d /proc/[0-9]* | wc -l");
      const lines = stdout.trim().split("\n");
      assert.deepEqual(
        new Set(lines.slice(0, -1).filter((comm) => !/^(sallyport-init|bash|cat|ls|wc)$/.test(comm))),
        new Set(),
      );
      assert.ok(Number(lines.at(-1)) < 8);
      assert.ok(readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)).length > 4, "the host has processes");
    });

    test("the base view has the system's libraries, and no programs", async () => {
      const narrow = context.openGate(directories, { paths: [{ path: "/usr/bin/ls", mode: "r" }] });
      try {
        const reply = await narrow.call({ tool: "Exec", args: { argv: ["/usr/bin/ls", "/usr/bin"] } });
        assert.ok(reply.ok);
        assert.equal(reply.result["stdout"], "ls\n");
      } finally {
        narrow.close();
      }
    });

    test("a working directory outside the grants is refused, whether it exists or not", async () => {
      for (const cwd of [directories.outside, `${directories.outside}/none`, "/var/log"]) {
        const reply = await gate.call({ tool: "Exec", args: { argv: ["/bin/pwd"], cwd } });
        assert.equal(reply.ok, false);
        assert.equal(!reply.ok && reply.error, "fs_denied", cwd);
      }
      assert.ok(existsSync(directories.outside));
    });
  });
}
