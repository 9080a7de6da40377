// A program in the box says only what came of its own run. It cannot speak for another one, nor leave anything that goes on after it.

import assert from "node:assert/strict";
import test from "node:test";
import type { Page } from "playwright-core";
import { until } from "../../fixtures/run.ts";
import { type ExtensionBrowser, noExtension, openExtensionBrowser } from "../browser.ts";
import { runInPage } from "../in-page.ts";
import { openBox } from "./open-box.ts";

const post = (message: string) => `
import js
from pyodide.ffi import to_js
js.postMessage(to_js(${message}, dict_converter=js.Object.fromEntries))
`;
const forever = "\nwhile True: pass\n";
const honest = { text: "print(open('mine').read())", files: [{ path: "mine", text: "of the second" }] };

test("a program speaks for its own run alone", { skip: noExtension }, async (t) => {
  const browser = await openExtensionBrowser(t);
  const panel = await browser.openPanel(400);
  const box = await openBox(panel);
  assert.equal((await box.bash("")).exitCode, 0);
  const frame = panel.frames().find((one) => one.url().endsWith("/box/page.html"));
  assert.ok(frame !== undefined, "the page of the box is open");

  await t.test("what is no answer ends the run, and the next one has its own result", async () => {
    for (const message of [
      `{"id": 2, "message": {"kind": "end", "exitCode": 0, "changes": [], "notKept": []}}`,
      `{"kind": "timeout"}`,
      `{"kind": "ready", "snapshot": None}`,
      `{"kind": "run", "task": {"program": "python", "text": "1", "files": []}}`,
      `{"kind": "end", "exitCode": 0, "changes": [{"kind": "removed", "path": "/workspace/../mine"}], "notKept": []}`,
    ]) {
      const [forged, next] = await box.together([{ text: post(message) + forever }, honest]);
      assert.match(forged?.problem ?? "", /something that is no answer, and was ended/, message);
      assert.deepEqual([forged?.place, forged?.exitCode, forged?.changes], [1, null, []]);
      assert.deepEqual([next?.exitCode, next?.stdout, next?.changes], [0, "of the second\n", []]);
    }
  });

  await t.test("an end that a program posts is its own end, and nothing follows it", async () => {
    const end = `{"kind": "end", "exitCode": 7, "changes": [], "notKept": []}`;
    const [ended, next] = await box.together([
      { text: `${post(end)}print("late")\n${post(end)}${forever}` },
      { ...honest, text: `import time; time.sleep(0.5)\n${honest.text}` },
    ]);
    assert.deepEqual([ended?.exitCode, ended?.stdout], [7, ""]);
    assert.deepEqual([next?.exitCode, next?.stdout], [0, "of the second\n"]);
  });

  await t.test("a run has one thread, which ends with it, and no channel to another run", async () => {
    const means = "[name for name in ('Worker', 'SharedWorker', 'BroadcastChannel') if hasattr(js, name)]";
    let isOver = false;
    const running = box
      .python(`import js\nprint(js.location.href, ${means}, flush=True)\nwhile True: pass`, { timeoutMs: 1_000 })
      .finally(() => (isOver = true));
    const seen = new Set<string>();
    while (!isOver) for (const address of await threads(browser)) seen.add(address);
    const { stdout } = await running;
    assert.match(stdout, /^blob:\S+ \[\]\n$/);
    const [own = ""] = stdout.split(" ");
    assert.ok(seen.has(own), "the control: it was seen while it went on");
    await until("its thread has ended", async () => !(await threads(browser)).includes(own));
    assert.equal(
      await runInPage(panel, "typeof Worker + typeof BroadcastChannel"),
      "functionfunction",
      "a page has them",
    );
  });

  await t.test("a program cannot take the script of the next worker away", async () => {
    for (const program of ["python", "bash"] as const) {
      const revoke = await box.python("import js\njs.URL.revokeObjectURL(js.location.href)\nprint(js.location.href)");
      assert.match(revoke.stdout, /^blob:/);
      for (let time = 0; time < 2; time += 1)
        assert.deepEqual([(await box[program]("")).problem, (await box[program]("")).exitCode], [null, 0]);
    }
  });

  await t.test("what a run changes in its interpreter is gone with it", async () => {
    const leave = `
import builtins, json, os, random, sys
open("/tmp/left", "w").write("x"); os.environ["LEFT"] = "x"
builtins.print = json.dumps = sys.exit = None
sys.modules["left"] = sys; sys.path.append("/left")
os.chmod("/workspace", 0); os.symlink("/etc", "/tmp/link")`;
    assert.equal((await box.python(leave)).exitCode, 0);
    const seen = await box.python(`
import json, os, random, sys
print(os.listdir("/tmp"), os.environ.get("LEFT"), json.dumps(1), "left" in sys.modules, "/left" in sys.path, os.listdir())`);
    assert.equal(seen.stdout, "[] None 1 False False []\n");
    assert.equal(
      (await box.bash("echo x > /tmp/left; export LEFT=x; ls() { echo forged; }; echo x > made")).exitCode,
      0,
    );
    assert.equal((await box.bash('ls -A /workspace; cat /tmp/left; echo "[$LEFT]"')).stdout, "[]\n");
    const random = "import os, random\nprint(random.random(), os.urandom(8).hex())";
    assert.notEqual((await box.python(random)).stdout, (await box.python(random)).stdout, "chance is not a part of it");
  });

  await t.test("the page of the box takes no second door, and its parent hears no message of it", async () => {
    const forged = `{ id: 1, message: { kind: "end", exitCode: 0, changes: [], notKept: [] } }`;
    const slow = box.python("import time; time.sleep(3); print('own')");
    const answers = await runInPage<number>(
      frame as unknown as Page,
      `new Promise((resolve) => {
        let answers = 0;
        for (let id = 0; id < 100; id += 1) parent.postMessage({ ...${forged}, id }, "*");
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => (answers += 1);
        postMessage(null, "*", [port2]);
        port1.postMessage({ kind: "run", id: 1, task: { program: "bash", text: "", files: [], changedBytes: 0, timeoutMs: 1000 } });
        setTimeout(() => resolve(answers), 1_500);
      })`,
    );
    assert.equal(answers, 0);
    assert.deepEqual([(await slow).exitCode, (await slow).stdout], [0, "own\n"]);
  });
});

/** The addresses of all workers of the browser. */
async function threads({ context }: ExtensionBrowser): Promise<readonly string[]> {
  const session = await context.browser()?.newBrowserCDPSession();
  assert.ok(session !== undefined);
  const { targetInfos } = await session.send("Target.getTargets", { filter: [{ type: "worker" }] });
  await session.detach();
  return targetInfos.map(({ url }) => url);
}
