// Ends: what the program said is never mixed up with what a signal did, nor with a program that never ran.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { bash, exec, mark, processesWith, ran, refused, until } from "../../fixtures/run.ts";
import { isInLayer } from "../../fixtures/layers.ts";
import { type ContractContext, useGate, usePlace } from "./context.ts";

export function describeExits(name: string, context: ContractContext): void {
  describe(`${name}: ends`, () => {
    const directories = usePlace();
    const gate = useGate(context, directories);
    const file = (path: string, content: string, mode = 0o755) => {
      writeFileSync(`${directories.root}/${path}`, content);
      chmodSync(`${directories.root}/${path}`, mode);
      return `${directories.root}/${path}`;
    };

    for (const code of [0, 1, 2, 125, 126, 127, 128, 137, 139, 143, 255]) {
      test(`exit ${code} is exit ${code}`, async () => {
        const result = await bash(gate, `exit ${code}`);
        assert.deepEqual([result.exit_code, result.signal], [code, null]);
      });
    }

    for (const signal of ["KILL", "TERM", "SEGV", "ABRT", "HUP", "PIPE", "USR1"]) {
      test(`SIG${signal} is SIG${signal}, not 128 and something`, async () => {
        const result = await bash(gate, `kill -${signal} $$`);
        assert.deepEqual(
          [result.exit_code, result.signal, result.limit_hit, result.timed_out],
          [null, `SIG${signal}`, null, false],
        );
      });
    }

    test("a program whose interpreter is missing did not run, and did not say 1", async () => {
      const error = refused(await exec(gate, [file("no-interpreter", "#!/no/such/interpreter\n")]));
      assert.equal(error.error, "invalid_args");
      assert.match(error.message, /interpreter/);
    });

    test("a file that is no program did not run", async () => {
      for (const content of ["just text\n", "\u007fELF but not really", ""]) {
        const error = refused(await exec(gate, [file("no-program", content)]));
        assert.equal(error.error, "invalid_args");
        assert.match(error.message, /neither a program nor a script/);
      }
    });

    test("an interpreter that is not granted is told apart", async () => {
      mkdirSync(`${directories.outside}/bin`, { recursive: true });
      writeFileSync(`${directories.outside}/bin/sh`, "");
      assert.equal(
        refused(await exec(gate, [file("ungranted", `#!${directories.outside}/bin/sh\n`)])).error,
        "invalid_args",
      );
    });

    test("a program that may not be executed, a directory, and nothing at all are told before anything starts", async () => {
      assert.match(refused(await exec(gate, [file("plain", "#!/bin/sh\n", 0o644)])).message, /not executable/);
      assert.match(refused(await exec(gate, [directories.root])).message, /not a file/);
      assert.match(refused(await exec(gate, [`${directories.root}/none`])).message, /there is no/);
    });

    test("a program that prints what a broken box would, and says 1, has said 1", async () => {
      const result = await bash(gate, "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1");
      assert.deepEqual([result.exit_code, result.stderr], [1, "bwrap: setting up uid map: Permission denied\n"]);
    });

    test("a box that somebody kills from outside has run: that is a death, and not a box that was never built", async () => {
      const word = mark();
      const call = bash(
        gate,
        `: ${word}; touch ${directories.root}/${word}; mkdir -p ${directories.root}/new/.git; echo x > ${directories.root}/new/.git/config; sleep 1000; :`,
      );
      await until("it runs", () => isInLayer(directories.state, "new/.git/config"));
      const first = processesWith(word).filter((pid) =>
        readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("/dev/sallyport-init"),
      );
      assert.equal(first.length, 1);
      process.kill(first[0] as number, "SIGKILL");
      const result = await call;
      assert.deepEqual([result.exit_code, result.signal], [null, "SIGKILL"]);
      assert.deepEqual(
        result.not_kept?.map(({ path }) => path),
        [directories.root],
      );
      assert.deepEqual(
        [existsSync(`${directories.root}/new`), existsSync(`${directories.root}/${word}`)],
        [false, false],
      );
    });

    test("the call's own words reach the program unchanged", async () => {
      const words = ["", " ", "$HOME", "`id`", "$(id)", "a\nb", "--", "-e", "'\"\\", "é\u0301👩‍🚀", "*", "~", ";|&<>"];
      const result = ran(await exec(gate, ["/usr/bin/printf", "%s\\0", ...words]));
      assert.deepEqual(result.stdout.split("\0").slice(0, -1), words);
    });
  });
}
