// Bash and Python in the box of the extension, in a real browser.

import assert from "node:assert/strict";
import test from "node:test";
import { noExtension, openExtensionBrowser } from "../browser.ts";
import { openBox } from "./open-box.ts";

const plain = { exitCode: 0, timedOut: false, cancelled: false, problem: null, notKept: [] };

test("programs of Bash and Python run in the box", { skip: noExtension }, async (t) => {
  const browser = await openExtensionBrowser(t);
  const box = await openBox(await browser.openPanel(400));
  const files = [
    { path: "same", text: "same" },
    { path: "d/old", text: "old" },
    { path: "gone", text: "gone" },
    { path: "run", text: "#!/bin/sh\n", executable: true },
    { path: "l", target: "same" },
  ];

  await t.test("Bash reads and changes the workspace", async () => {
    const script = `cat d/old l; echo; [ -x run ] && echo executable; echo "$GREETING"; cat; pwd; echo oops >&2
      echo new > d/new; rm gone; chmod -x run; chmod +x d/new; ln -s d/new link; mkdir empty; rm l; ln -s d/old l; exit 3`;
    const ran = await box.bash(script, { files, environment: { GREETING: "hello ü" }, stdin: "typed\n" });
    assert.deepEqual(ran, {
      ...plain,
      place: 1,
      exitCode: 3,
      stdout: "oldsame\nexecutable\nhello ü\ntyped\n/workspace\n",
      stderr: "oops\n",
      changes: [
        "- l -> d/old",
        "- link -> d/new",
        "- run #!/bin/sh\n",
        "directory empty",
        "removed gone",
        "x d/new new\n",
      ],
    });
  });

  await t.test("Python reads and changes the workspace", async () => {
    const program = `
import os, sys
print(open("d/old").read(), open("l").read(), os.access("run", os.X_OK), os.environ["GREETING"], input(), os.getcwd())
print("oops", file=sys.stderr)
open("d/new", "w").write("new\\n"); os.remove("gone"); os.chmod("run", 0o644); os.chmod("d/new", 0o755)
os.symlink("d/new", "link"); os.mkdir("empty"); os.remove("l"); os.symlink("d/old", "l")
sys.exit(3)`;
    const ran = await box.python(program, { files, environment: { GREETING: "hello ü" }, stdin: "typed\n" });
    assert.deepEqual(ran, {
      ...plain,
      place: 1,
      exitCode: 3,
      stdout: "old same True hello ü typed /workspace\n",
      stderr: "oops\n",
      changes: [
        "- l -> d/old",
        "- link -> d/new",
        "- run #!/bin/sh\n",
        "directory empty",
        "removed gone",
        "x d/new new\n",
      ],
    });
  });

  await t.test("Python ends as a process of it would", async () => {
    const failed = await box.python("def f():\n    1 / 0\nf()");
    assert.equal(failed.exitCode, 1);
    assert.match(
      failed.stderr,
      /^Traceback \(most recent call last\):\n {2}File "<string>", line 3, in <module>\n {4}f\(\)\n[^]*ZeroDivisionError: division by zero\n$/,
    );
    const wrong = await box.python("print(");
    assert.match(wrong.stderr, /^ {2}File "<string>", line 1\n[^]*SyntaxError/);
    for (const [text, exitCode, stderr] of [
      ["raise SystemExit", 0, ""],
      ["raise SystemExit('why')", 1, "why\n"],
      ["import atexit; atexit.register(print, 'last'); exit(256 + 7)", 7, ""],
      ["if __name__ == '__main__': raise SystemExit(9)", 9, ""],
    ] as const) {
      const ran = await box.python(text);
      assert.deepEqual([ran.exitCode, ran.stderr, ran.problem], [exitCode, stderr, null], text);
    }
  });

  await t.test("Python has its library, and the tests of a project run", async () => {
    const program = `
import asyncio, json, random, re, sqlite3, sys, unittest
async def later():
    await asyncio.sleep(0.01)
    return "later"
print(asyncio.run(later()), sqlite3.connect(":memory:").execute("select 6 * 7").fetchone(), re.sub("a", "b", "aa"))
sys.argv = ["unittest", "-q"]
unittest.main(module=None)`;
    const test = `import unittest\nfrom calc import add\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n`;
    const ran = await box.python(program, {
      files: [
        { path: "calc.py", text: "def add(a, b):\n    return a - b\n" },
        { path: "test_calc.py", text: test },
      ],
    });
    assert.equal(ran.stdout, "later (42,) bb\n");
    assert.match(ran.stderr, /AssertionError: -1 != 3[^]*FAILED \(failures=1\)/);
    assert.equal(ran.exitCode, 1);
    const mended = await box.python(program, {
      files: [
        { path: "calc.py", text: "def add(a, b):\n    return a + b\n" },
        { path: "test_calc.py", text: test },
      ],
    });
    assert.match(mended.stderr, /OK/);
    assert.equal(mended.exitCode, 0);
  });
});
