// No program in the box reaches a port of this machine, or what the extension stores: each way out is tried in the real extension.
// The contrast is the same text elsewhere: in a worker of the extension's own origin, in a page of it, and in a copy of the
// extension whose box has no policy. There each way gets out, so a policy that is loosened by mistake turns this red.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { promisify } from "node:util";
import type { Frame, Page } from "playwright-core";
import { type ExtensionBrowser, noExtension, openExtensionBrowser } from "../browser.ts";
import { runInPage } from "../in-page.ts";
import { type Listeners, openListeners, openPorts } from "./listeners.ts";
import { type OpenBox, openBox } from "./open-box.ts";
import { copyOfExtension, runPythonOutside } from "./outside.ts";
import { leavingWays, pageNames, pageWays, pythonOf, pythonWays, scriptOf, secret } from "./ways.ts";

/** What each way said that it came to. Only of ways to data this counts: of the others, the listeners know. */
type Said = Readonly<Record<string, string>>;

/** Not refused by the box, but a program gets nothing by it: everybody can have the files of the extension. */
const harmless = ["file of the extension"];

/** Refused everywhere, as the script of a worker has to be of the worker's own origin. */
const nowhere = ["worker of a page", "shared worker"];

/** A policy of Chromium holds back the requests, but not these. No program runs in the page of the box: it is only in workers. */
const notHeldInPage = ["RTCPeerConnection", "address of the page", "frame", "preconnect"];

const hasData = (said: string | undefined) =>
  said !== undefined && !/^(?:refused|undefined$|None$|null$|late$|$)/.test(said);
const dataIn = (said: Said) => Object.keys(said).filter((name) => hasData(said[name]));

async function tryProgram(
  listeners: Listeners,
  place: string,
  origin: string,
  run: (program: string) => Promise<string>,
): Promise<Said> {
  const program = pythonOf(origin, await openPorts(listeners, place, Object.keys(pythonWays)));
  const printed = await run(program);
  // What loads a package prints as well.
  return JSON.parse(printed.trimEnd().split("\n").at(-1) ?? "") as Said;
}

async function tryInPage(listeners: Listeners, place: string, page: Page | Frame, ways = pageWays): Promise<Said> {
  const ports = await openPorts(listeners, place, Object.keys(ways));
  return await runInPage<Said>(page as Page, scriptOf(ways, ports));
}

/** One after the other, each in a page of its own. */
async function tryToLeave(listeners: Listeners, place: string, open: () => Promise<Page | Frame>): Promise<void> {
  for (const [name, way] of Object.entries(leavingWays))
    await tryInPage(listeners, place, await open(), { [name]: way }).catch(() => undefined); // the page has gone
}

async function runIn(box: OpenBox, program: string): Promise<string> {
  const ran = await box.python(program, { timeoutMs: 240_000 });
  assert.deepEqual([ran.problem, ran.exitCode], [null, 0], ran.stderr);
  return ran.stdout;
}

function replaced(script: string, text: string, by: string): string {
  assert.ok(script.includes(text), text);
  return script.replace(text, by);
}

/** What is not drawn loads no pictures of a style. */
const shown = (script: string) => replaced(script, "opened.hidden = true", "opened.hidden = false");
const withoutBounds = (script: string) => replaced(shown(script), 'opened.sandbox.add("allow-scripts");', "");

async function openFrame(
  browser: ExtensionBrowser,
  change = shown,
): Promise<{ panel: Page; box: OpenBox; frame: Frame }> {
  const panel = await browser.openPanel(400);
  const box = await openBox(panel, change);
  assert.equal((await box.bash("")).exitCode, 0);
  const frame = panel.frames().find((one) => one.url().includes("/box/page.html"));
  assert.ok(frame !== undefined, "the frame of the box is there");
  return { panel, box, frame };
}

/** What only the extension's own origin may read, in each kind of storage that a browser has. */
async function leaveSecrets(page: Page): Promise<void> {
  await runInPage(
    page,
    `(async () => {
      const text = ${JSON.stringify(secret)};
      const root = await navigator.storage.getDirectory();
      const file = await (await root.getFileHandle("secret", { create: true })).createWritable();
      await file.write(text);
      await file.close();
      await new Promise((resolve) => (indexedDB.open(text, 7).onsuccess = resolve));
      await (await caches.open("secret")).put("https://a.invalid/secret", new Response(text));
      localStorage.setItem("secret", text);
      void navigator.locks.request(text, () => new Promise(() => undefined));
      const channel = new BroadcastChannel("secret");
      setInterval(() => channel.postMessage(text), 50);
    })()`,
  );
}

test("the ways out of the box are closed, and outside of it they are open", { skip: noExtension }, async (t) => {
  const listeners = openListeners(t);
  const boxed: Record<string, Said> = {};
  const outside: Record<string, Said> = {};

  await t.test("tried in the extension", async (t) => {
    const browser = await openExtensionBrowser(t);
    const { panel, box, frame } = await openFrame(browser);
    await leaveSecrets(panel);
    boxed["program"] = await tryProgram(listeners, "boxed program", browser.origin, (text) => runIn(box, text));
    const absent = `import js, functools\nhas = lambda name: functools.reduce(lambda of, part: getattr(of, part, None), name.split("."), js)
print([name for name in ${JSON.stringify(pageNames)} if has(name) is not None])`;
    assert.equal((await box.python(absent)).stdout, "[]\n");
    const there = `${JSON.stringify(pageNames)}.filter((name) => name.split(".").reduce((of, part) => of?.[part], globalThis) === undefined)`;
    assert.deepEqual(await runInPage(panel, there), [], "the control: a page has them");
    boxed["page"] = await tryInPage(listeners, "boxed page", frame);
    await tryToLeave(listeners, "boxed page", async () => frame);

    const outsideOf = await tryProgram(listeners, "outside", browser.origin, (text) => runPythonOutside(panel, text));
    outside["program"] = outsideOf;
    outside["page"] = await tryInPage(listeners, "outside, page", panel);
  });

  await t.test("tried in a copy whose box has no policy", async (t) => {
    const own = copyOfExtension(t, "manifest.json", (text) => {
      const manifest = JSON.parse(text) as { content_security_policy: { extension_pages: string; sandbox: string } };
      const policy = manifest.content_security_policy;
      // Pyodide takes a worker that can import `data:` for one that it does not support.
      policy.sandbox = `sandbox allow-scripts allow-forms allow-popups allow-top-navigation; script-src 'self' 'unsafe-eval' blob: http://127.0.0.1:*`;
      policy.extension_pages = policy.extension_pages.replace("frame-src 'self'", "frame-src *");
      return JSON.stringify(manifest);
    });
    const browser = await openExtensionBrowser(t, [], own);
    const { box, frame } = await openFrame(browser, withoutBounds);
    outside["loose"] = await tryProgram(listeners, "loose program", browser.origin, (text) => runIn(box, text));
    await tryInPage(listeners, "loose page", frame);
    await tryToLeave(listeners, "loose page", async () => (await openFrame(browser, withoutBounds)).frame);
  });

  const names = (place: string, all = listeners.reached()) =>
    all.filter((name) => name.startsWith(`${place}: `)).map((name) => name.slice(place.length + 2));

  await t.test("outside, each way gets out", () => {
    const open = new Set([
      ...["outside", "outside, page", "loose program", "loose page"].flatMap((place) => names(place)),
      ...Object.values(outside).flatMap(dataIn),
    ]);
    const tried = Object.keys({ ...pythonWays, ...pageWays, ...leavingWays });
    assert.deepEqual(
      tried.filter((name) => !open.has(name)),
      nowhere,
      JSON.stringify(outside, null, 1),
    );
    assert.ok(tried.length > 50, String(tried.length));
  });

  await t.test("no program gets out of the box", () => {
    assert.deepEqual(names("boxed program"), []);
    assert.deepEqual(dataIn(boxed["program"] ?? {}), harmless);
    assert.deepEqual(Object.keys(boxed["program"] ?? {}).toSorted(), Object.keys(pythonWays).toSorted());
  });

  await t.test("nor would one in the page of the box, by a request or to data", () => {
    assert.deepEqual(names("boxed page", listeners.asked()), []);
    assert.deepEqual(
      names("boxed page").filter((name) => !notHeldInPage.includes(name)),
      [],
    );
    assert.deepEqual(dataIn(boxed["page"] ?? {}), []);
    assert.deepEqual(Object.keys(boxed["page"] ?? {}).toSorted(), Object.keys(pageWays).toSorted());
  });
});

test(
  "a script of Bash has no programs that reach out, and no file of the machine",
  { skip: noExtension },
  async (t) => {
    const listeners = openListeners(t);
    const ways = (ports: Record<string, number>) => `
    echo x > /dev/tcp/127.0.0.1/${ports["a file of the shell"]}
    exec 3<>/dev/tcp/127.0.0.1/${ports["a descriptor"]}
    curl -s http://127.0.0.1:${ports["curl"]}/
    wget -q -O - http://127.0.0.1:${ports["wget"]}/
    node -e 'fetch("http://127.0.0.1:${ports["node"]}/")'
    python3 -c 'import urllib.request; urllib.request.urlopen("http://127.0.0.1:${ports["python3"]}/")'
    cat ${marker} /proc/self/environ`;
    const names = ["a file of the shell", "a descriptor", "curl", "wget", "node", "python3"];
    const marker = join(machineFile(t), "marker");
    const browser = await openExtensionBrowser(t);
    const box = await openBox(await browser.openPanel(400));
    const boxed = await box.bash(ways(await openPorts(listeners, "boxed", names)));
    assert.equal(boxed.problem, null);
    assert.doesNotMatch(boxed.stdout, /on the machine|PATH=/);

    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
    const script = `(${ways(await openPorts(listeners, "machine", names))}) 2>/dev/null; true`;
    const { stdout: control } = await promisify(execFile)("/bin/bash", ["-c", script], { env, encoding: "utf8" });
    assert.match(control, /on the machine[^]*PATH=/, "the control: the machine's own Bash reads them");
    const reached = listeners.reached();
    for (const name of ["a file of the shell", "a descriptor", "node"])
      assert.ok(reached.includes(`machine: ${name}`), `the control: ${name}`);
    assert.deepEqual(
      reached.filter((name) => name.startsWith("boxed")),
      [],
    );
  },
);

function machineFile(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-marker-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, "marker"), "on the machine\n");
  return directory;
}
