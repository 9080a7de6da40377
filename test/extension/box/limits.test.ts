// What ends a run of the box, whatever the program does, and what it leaves to the next one: nothing.

import assert from "node:assert/strict";
import test from "node:test";
import { limits } from "../../../src/shared/limits.ts";
import { noExtension, openExtensionBrowser } from "../browser.ts";
import { openBox } from "./open-box.ts";

const shortMs = 1_500;

test("time, output, memory and files of a run have an end", { skip: noExtension }, async (t) => {
  const browser = await openExtensionBrowser(t);
  const panel = await browser.openPanel(400);
  const box = await openBox(panel);
  // The start of an interpreter is not a part of a run's time.
  assert.equal((await box.python("")).exitCode, 0);
  assert.equal((await box.bash("")).exitCode, 0);

  const endless: readonly (readonly ["bash" | "python", string, string])[] = [
    ["bash", "a loop", "echo before > made; while true; do :; done"],
    ["bash", "a sleep", "echo before > made; sleep 1000000"],
    ["bash", "text without an end", "echo before > made; awk 'BEGIN { while (1) x = x }'"],
    ["python", "a loop", "open('made', 'w').write('before'); print('begun', flush=True)\nwhile True: pass"],
    ["python", "a sleep", "open('made', 'w').write('before'); print('begun')\nimport time; time.sleep(1_000_000)"],
    [
      "python",
      "a loop that catches everything",
      "print('begun')\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass",
    ],
    [
      "python",
      "a loop in WebAssembly",
      "open('made', 'w').write('before'); print('begun')\nimport re; re.match('(a*)*b', 'a' * 64)",
    ],
    ["python", "a worker that is closed by its program", "print('begun')\nimport js; js.close()\nwhile True: pass"],
  ];
  for (const [program, what, text] of endless)
    await t.test(`${program}: ${what} is ended`, async () => {
      const ran = await box[program](text, { timeoutMs: shortMs });
      assert.deepEqual(
        [ran.timedOut, ran.exitCode, ran.problem, ran.changes],
        [true, null, null, []],
        JSON.stringify(ran),
      );
      if (program === "python") assert.equal(ran.stdout, "begun\n", "what it printed before is there");
      const next = await box[program](program === "bash" ? "ls -A" : "import os; print(os.listdir())", {
        timeoutMs: shortMs,
      });
      assert.deepEqual([next.exitCode, next.stdout], [0, program === "bash" ? "" : "[]\n"], "the next one starts anew");
    });

  await t.test("Bash: a recursion may be deep, and has an end", async () => {
    const deep = "f() { [ $1 = 0 ] || f $(($1 - 1)); }; f";
    assert.deepEqual((await box.bash(`${deep} 900; echo $?`)).stdout, "0\n");
    const endless = await box.bash("f() { f; }; f");
    assert.match(endless.stderr, /maximum recursion depth/);
    assert.equal(endless.timedOut, false);
  });

  await t.test("a run that somebody aborts is ended at once", async () => {
    const [aborted, after] = await box.together([
      { text: "print('begun', flush=True)\nwhile True: pass", isAborted: true },
      { text: "print('after')" },
    ]);
    assert.deepEqual([aborted?.cancelled, aborted?.exitCode, aborted?.stdout], [true, null, "begun\n"]);
    assert.deepEqual([after?.exitCode, after?.stdout], [0, "after\n"]);
  });

  await t.test("output has a bound, and below it everything arrives", async () => {
    const size = limits.boxOutputBytes;
    const text = (bytes: number) => `import sys\nfor _ in range(${bytes} // 2**20): sys.stdout.write("x" * 2**20)`;
    const whole = await box.python(text(size / 4));
    assert.deepEqual([whole.exitCode, whole.stdout.length], [0, size / 4]);
    const more = await box.python(text(size * 2));
    assert.match(more.problem ?? "", /printed more than 64 MiB, and was ended/);
    assert.ok(more.exitCode === null && more.stdout.length <= size, String(more.stdout.length));
    const small = await box.python(`import os\nwhile True: os.write(1, b"x" * 100)`);
    assert.match(small.problem ?? "", /printed more than 64 MiB, and was ended/, "also in small pieces");
    const bash = await box.bash("x=x; for i in 1 2 3 4 5 6 7 8 9 10; do x=$x$x$x; done; while true; do echo $x; done", {
      timeoutMs: 30_000,
    });
    assert.ok(bash.exitCode !== 0 && bash.stdout.length <= size, JSON.stringify({ ...bash, stdout: "" }));
  });

  await t.test("Python's own memory has a bound, and a program that reaches it goes on", async () => {
    const text = (mebibytes: number) =>
      `try:\n    kept = bytearray(${mebibytes} * 2**20); print("has it")\nexcept MemoryError:\n    print("has not")`;
    const bound = limits.boxMemoryBytes / 2 ** 20;
    assert.equal((await box.python(text(bound / 2))).stdout, "has it\n");
    assert.equal((await box.python(text(bound + 1))).stdout, "has not\n");
    const bash = await box.bash("x=xxxxxxxx; while true; do x=$x$x; done", { timeoutMs: 30_000 });
    assert.notEqual(bash.exitCode, 0, "a text without an end");
    assert.equal((await box.bash("echo there")).stdout, "there\n");
  });

  await t.test("changed files have a bound, and what goes beyond it is named", async () => {
    const files = [{ path: "old", text: "old" }];
    const ran = await box.python("open('old', 'w').write('x' * 200); open('new', 'w').write('y' * 100)", {
      files,
      changedBytes: 150,
    });
    assert.deepEqual(ran.changes, [`- new ${"y".repeat(100)}`]);
    assert.deepEqual(
      ran.notKept.map(({ path }) => path),
      ["/workspace/old"],
    );
  });
});
