// Streams: standard input, output and error are what programs expect of them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bash, exec, ran } from "../../fixtures/run.ts";
import { type ContractContext, useGate, usePlace } from "./context.ts";

export function describeStreams(name: string, context: ContractContext): void {
  describe(`${name}: streams`, () => {
    const directories = usePlace();
    const gate = useGate(context, directories);

    test("/dev/stdout and /dev/stderr can be opened again", async () => {
      const result = await bash(
        gate,
        "echo one > /dev/stdout; echo two >> /dev/stderr; echo three | tee /dev/stderr; echo four > /proc/self/fd/1; echo five > /dev/fd/2",
      );
      assert.equal(result.stdout, "one\nthree\nfour\n");
      assert.equal(result.stderr, "two\nthree\nfive\n");
    });

    test("standard input is the text, to the byte, and can be opened again", async () => {
      const text = `first\n\0binary\u0001 é 👩‍🚀\n${"x".repeat(200_000)}`;
      assert.equal(ran(await exec(gate, ["/bin/cat"], { stdin: text })).stdout, text);
      assert.equal(ran(await exec(gate, ["/bin/cat", "/dev/stdin"], { stdin: text })).stdout, text);
      assert.equal(ran(await exec(gate, ["/bin/cat"], { stdin: "" })).stdout, "");
    });

    test("without a text, standard input is at its end at once, and no file to search", async () => {
      const result = await bash(gate, "cat; test -c /dev/stdin && echo device; test -t 0 || echo no terminal");
      assert.equal(result.stdout, "device\nno terminal\n");
    });

    test("nothing but the three is open", async () => {
      const { stdout } = await bash(gate, "for n in {0..99}; do test -e /proc/$$/fd/$n && echo $n; done");
      assert.equal(stdout, "0\n1\n2\n");
    });

    test("pieces arrive while the program runs, in their order", async () => {
      const pieces: string[] = [];
      await bash(
        gate,
        "echo a; sleep 0.1; echo b >&2; sleep 0.1; echo c",
        {},
        { onOutput: (stream, chunk) => void pieces.push(`${stream} ${Buffer.from(chunk).toString()}`) },
      );
      assert.deepEqual(pieces, ["stdout a\n", "stderr b\n", "stdout c\n"]);
    });

    test("a closed output does not end the call before the program ends", async () => {
      const result = await bash(gate, "echo before; exec 1>&- 2>&-; sleep 0.2; exit 9");
      assert.deepEqual([result.exit_code, result.stdout], [9, "before\n"]);
    });
  });
}
