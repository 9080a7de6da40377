// Processes: a call ends, and nothing of it is left, whatever it did with sessions, signals and pipes.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { configText } from "../../fixtures/gate.ts";
import { bash, mark, perl, processesWith, until } from "../../fixtures/run.ts";
import { isInLayer } from "../../fixtures/layers.ts";
import { type ContractContext, useGate, usePlace } from "./context.ts";

/** Ways to outlive the program that one was started by. `M` is the mark; each is still running when the program goes on. */
const survivors: Readonly<Record<string, string>> = {
  "in the background": "sleep 1000 M &",
  "in a session of its own": "setsid sleep 1000 M < /dev/null > /dev/null 2>&1 &",
  "forked twice": "(setsid bash -c 'sleep 1000 M & disown; exit' &)",
  "deaf to SIGTERM and SIGHUP": "(trap '' TERM HUP INT; exec -a M sleep 1000) &",
  "holding the output pipes": "(trap '' TERM; while :; do sleep 1; done; : M) & bash -c ': M; exec sleep 1000' &",
  stopped: "bash -c ': M; kill -STOP $$' &",
  "a crowd": "for i in 1 2 3 4 5 6 7 8; do bash -c ': M; sleep 1000' & done",
};

export function describeProcesses(name: string, context: ContractContext): void {
  describe(`${name}: processes`, () => {
    const directories = usePlace();
    const gate = useGate(context, directories);
    const none = (word: string) => until(`no process has ${word}`, () => processesWith(word).length === 0);
    const script = (way: string, word: string) =>
      way.replaceAll("sleep 1000 M", `bash -c ': ${word}; sleep 1000'`).replaceAll(/\bM\b/g, word);

    for (const [how, way] of Object.entries(survivors)) {
      test(`nothing is left after the program's exit: ${how}`, async () => {
        const word = mark();
        const result = await bash(gate, `${script(way, word)}\nsleep 0.1; echo done; exit 3`);
        assert.equal(result.stdout, "done\n");
        assert.equal(result.exit_code, 3);
        await none(word);
      });
    }

    test("nothing is left after the time-out", async () => {
      const word = mark();
      const ways = Object.values(survivors).map((way) => script(way, word));
      const result = await bash(gate, `${ways.join("\n")}\ntrap '' TERM; echo started; while :; do sleep 0.1; done`, {
        timeout_s: 1,
      });
      assert.equal(result.stdout, "started\n");
      assert.equal(result.timed_out, true);
      assert.equal(result.signal, "SIGKILL");
      await none(word);
    });

    test("nothing is left after the caller cancels, even at once", async () => {
      const cancelAfter = async (delay: number) => {
        const word = mark();
        const controller = new AbortController();
        const call = bash(
          gate,
          `trap '' TERM; bash -c ': ${word}; sleep 1000' & : ${word}; while :; do sleep 0.1; done`,
          {},
          { signal: controller.signal },
        );
        setTimeout(() => controller.abort(), delay);
        const result = await call;
        assert.equal(result.timed_out, false);
        assert.equal(result.exit_code, null);
        await none(word);
      };
      await Promise.all([0, 5, 15, 100].map(cancelAfter));
    });

    test("SIGTERM reaches the program, which can say something and choose its exit code", async () => {
      const result = await bash(gate, "trap 'echo caught; exit 7' TERM; echo ready; while :; do sleep 0.05; done", {
        timeout_s: 1,
      });
      assert.equal(result.stdout, "ready\ncaught\n");
      assert.equal(result.exit_code, 7);
      assert.equal(result.timed_out, true);
    });

    test("a program without a handler dies of SIGTERM", async () => {
      const result = await perl(gate, "sleep 100", { timeout_s: 1 });
      assert.deepEqual([result.signal, result.exit_code, result.timed_out], ["SIGTERM", null, true]);
    });

    test("nothing is left when the gate itself is killed", async () => {
      const word = mark();
      const args = {
        argv: [
          "/bin/bash",
          "-c",
          `trap '' TERM HUP; setsid bash -c ': ${word}; sleep 1000' & : ${word}; touch ${directories.root}/started-${word}; while :; do sleep 0.1; done`,
        ],
      };
      const options = {
        statePath: directories.state,
        project: directories.project,
        configText: configText(directories),
        args,
      };
      const child = spawn(
        process.execPath,
        [join(import.meta.dirname, "../../fixtures/gate-process.ts"), JSON.stringify(options)],
        {
          stdio: ["ignore", "ignore", "inherit"],
          env: { ...process.env, XDG_CONFIG_HOME: `${directories.base}/config` },
        },
      );
      after(() => child.kill("SIGKILL"));
      await until("the program runs", () => isInLayer(directories.state, `started-${word}`));
      assert.ok(processesWith(word).length > 1, "they can be seen while they run");
      child.kill("SIGKILL");
      await none(word);
      context.openGate(directories).close(); // sweeps what is left on the disk
      assert.deepEqual(
        readdirSync(directories.root).filter((entry) => entry.startsWith(".")),
        [],
      );
    });

    test("a gate that has made many calls has no more descriptors open than after the first", async () => {
      const descriptors = () => readdirSync("/proc/self/fd").length;
      await bash(gate, "true");
      const first = descriptors();
      for (let round = 0; round < 10; round += 1) await bash(gate, "echo x; echo y >&2", { stdin: "text" });
      assert.ok(descriptors() <= first + 2, `${first} before, ${descriptors()} after`);
    });
  });
}
