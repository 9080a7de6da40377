// Python starts from a memory that was kept of another start. It must be the interpreter that starts without one.

import assert from "node:assert/strict";
import test from "node:test";
import { noExtension, openExtensionBrowser } from "../browser.ts";
import { openBox } from "./open-box.ts";
import { copyOfExtension, runPythonOutside } from "./outside.ts";

/** What a program can see of its interpreter, but for times and addresses. */
const look = `
import builtins, gc, json, locale, os, signal, sys, sysconfig, tempfile, threading, time
here = {
    "version": sys.version, "flags": str(sys.flags), "path": sys.path, "argv": sys.argv, "modules": sorted(sys.modules),
    "builtins": sorted(vars(builtins)), "main": sorted(globals()), "environment": dict(os.environ), "cwd": os.getcwd(),
    "root": sorted(os.listdir("/")), "tmp": os.listdir("/tmp"), "home": os.path.expanduser("~"), "pid": os.getpid() > 0,
    "encodings": [sys.getdefaultencoding(), sys.stdout.encoding, sys.getfilesystemencoding(), locale.getlocale()],
    "threads": threading.active_count(), "recursion": sys.getrecursionlimit(), "temporary": tempfile.gettempdir(),
    "finders": [str(type(one)) for one in sys.meta_path], "hooks": [str(type(one)) for one in sys.path_hooks],
    "collected": gc.isenabled(), "signals": str(signal.getsignal(signal.SIGINT)), "zone": time.tzname,
    "platform": sysconfig.get_platform(), "streams": [os.fstat(fd).st_mode for fd in (0, 1, 2)],
    "now": abs(time.time() - __import__("js").Date.now() / 1000) < 60, "goes on": time.monotonic() < time.monotonic() + 1,
}
print(json.dumps(here, sort_keys=True, indent=1))`;

const draw = `
import os, random, secrets, tempfile, uuid
print(hash("a"), random.random(), random.Random().random(), os.urandom(8).hex(), secrets.token_hex(8), uuid.uuid4(), tempfile.mkdtemp())`;

test("Python from a kept memory is as Python that starts without one", { skip: noExtension }, async (t) => {
  const browser = await openExtensionBrowser(t);
  const panel = await browser.openPanel(400);
  const box = await openBox(panel);
  const [first, second] = [await box.python(look), await box.python(look)];
  assert.deepEqual([first.exitCode, first.stderr], [0, ""]);
  assert.equal(second.stdout, first.stdout);
  assert.equal(first.stdout, await runPythonOutside(panel, look), "the control: started without one");

  const drawIn = async (run: (text: string) => Promise<string>) => {
    const [seed, ...drawn] = (await run(draw)).trimEnd().split(" ");
    return { seed, drawn };
  };
  const inBox = async (text: string) => (await box.python(text)).stdout;
  const outside = async (text: string) => await runPythonOutside(panel, text);
  const [one, two] = [await drawIn(inBox), await drawIn(inBox)];
  const both = new Set([...one.drawn, ...two.drawn]);
  assert.equal(both.size, 12, [...both].join(" "));
  // By this, the two are seen to come of one memory.
  assert.equal(one.seed, two.seed, "the seed of hashes is the one thing that they share");
  assert.notEqual((await drawIn(outside)).seed, (await drawIn(outside)).seed, "the control");
});

test("where no memory can be kept, or none is taken, Python starts without one", { skip: noExtension }, async (t) => {
  for (const [what, found, instead] of [
    ["none can be made", /(?<=\{)_makeSnapshot:/, "_makeNothing:"],
    ["none is taken", /(?<=\{)_loadSnapshot:/, "_loadNothing:"],
  ] as const)
    await t.test(what, async (t) => {
      const own = copyOfExtension(t, "box/python.js", (text) => text.replace(found, instead));
      const browser = await openExtensionBrowser(t, [], own);
      const box = await openBox(await browser.openPanel(400));
      const seeds = new Set<string>();
      for (let time = 0; time < 2; time += 1) {
        const { exitCode, stdout, problem } = await box.python('print(hash("a"))');
        assert.deepEqual([problem, exitCode], [null, 0]);
        seeds.add(stdout);
      }
      assert.equal(seeds.size, 2, "each has started by itself");
    });
});
