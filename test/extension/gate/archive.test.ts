// A repository with many files comes as an archive: through the extension's worker and policy, along GitHub's redirect, in one request.
// And the worker is ended while it comes, and while its files are stored.

import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import test from "node:test";
import { smallFiles } from "../../../bench/small-files.ts";
import type { FileList, OpenRepository, WorkState } from "../../../src/web/api-work.ts";
import { landFiles } from "../../fixtures/github-files.ts";
import { until } from "../../fixtures/run.ts";
import { noExtension } from "../browser.ts";
import { runInPage } from "../in-page.ts";
import { openOwnGate, type OwnGate, readText, token } from "./open-gate.ts";

const opening = (gate: OwnGate) =>
  gate.withYes(gate.ask<OpenRepository>("POST", "/api/work/open", { repository: "octo/r0", branch: "main" }));

/** What the panel reads of the gate's events, until one of them fits. It is text that runs in the panel. */
const readEvents = (fits: string) => `(async () => {
  const port = chrome.runtime.connect({ name: "sallyport-gate" });
  let text = "";
  return await new Promise((resolve) => {
    port.onMessage.addListener((answer) => {
      if (answer.kind === "piece") text += new TextDecoder().decode(Uint8Array.from(atob(answer.base64), (one) => one.charCodeAt(0)));
      const seen = [...text.matchAll(/^event: work\\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data));
      if (!seen.some((state) => ${fits})) return;
      port.disconnect();
      resolve(seen);
    });
    port.onDisconnect.addListener(() => resolve([]));
    port.postMessage({ method: "GET", path: "/api/events", body: null });
  });
})()`;

async function isWhole(gate: OwnGate, files: Readonly<Record<string, string>>): Promise<void> {
  const listed = (await gate.ask<FileList>("GET", "/api/work/files")).body;
  assert.deepEqual(listed.files.map(({ path }) => path).toSorted(), [...Object.keys(files), "README.md"].toSorted());
  assert.ok(
    listed.files.every(({ change }) => change === null) && listed.removed.length === 0,
    "nothing differs from the commit",
  );
  const [path = "", text] = Object.entries(files).at(-1) ?? [];
  assert.equal(await readText(gate, path), text);
  const { body } = await gate.ask("GET", "/api/verification");
  assert.equal(body["ok"], true, JSON.stringify(body));
}

test(
  "many files come as one archive, without the token, and the panel sees how many",
  { skip: noExtension },
  async (t) => {
    const gate = await openOwnGate(t);
    if (gate === null) return;
    const files = smallFiles(60);
    await landFiles(gate.emulatorUrl, "octo/r0", files);
    await gate.signIn();
    const seeing = runInPage<WorkState[]>(gate.panel, readEvents("state.open !== null"));
    const { status, body } = (await opening(gate)).value;
    assert.equal(status, 200, JSON.stringify(body));
    const seen = await seeing;
    assert.ok(
      seen.some((state) => state.opening?.repository === "octo/r0"),
      "it was being opened",
    );
    assert.deepEqual(
      gate.front.archivesAsked.map(({ line, authorization }) => [line.replace(/\w{40}/, "ID"), authorization]),
      [["GET /octo/r0/legacy.tar.gz/ID?token=ABC", undefined]],
      "one archive, from another origin, without the token",
    );
    const redirected = gate.front.asked.filter(({ line }) => line.includes("/tarball/"));
    assert.deepEqual(
      [...new Set(redirected.map(({ authorization }) => authorization))],
      [`Bearer ${token}`],
      "the control",
    );
    assert.deepEqual(
      gate.front.asked.filter(({ line }) => line.includes("/git/blobs/")),
      [],
      "no file was asked for by itself",
    );
    await isWhole(gate, files);
  },
);

/** The first archive stops in its middle, and never ends. */
function cutArchive(front: () => OwnGate["front"]) {
  let isOpen = true;
  let isHeld = false;
  return {
    get isHeld() {
      return isHeld;
    },
    letGo: () => void (isOpen = false),
    playArchive({ url = "" }: IncomingMessage, response: ServerResponse): boolean {
      if (!isOpen) return false;
      const commit = /legacy\.tar\.gz\/(\w+)/.exec(url)?.[1] ?? "";
      void front()
        .archive("octo/r0", commit)
        .then((bytes) => {
          response.writeHead(200, { "content-type": "application/x-gzip", "content-length": bytes.length });
          response.write(bytes.subarray(0, bytes.length / 2), () => (isHeld = true));
        });
      return true;
    },
  };
}

const withoutEnd = async (gate: OwnGate): Promise<readonly string[]> =>
  (await gate.ask<{ calls_without_end: { tool: string }[] }>("GET", "/api/stats")).body.calls_without_end.map(
    ({ tool }) => tool,
  );

test(
  "ended in the middle of an archive: nothing counts as open, and it can be opened anew",
  { skip: noExtension },
  async (t) => {
    let gate: OwnGate | null = null;
    const cut = cutArchive(() => (gate as OwnGate).front);
    gate = await openOwnGate(t, { playArchive: (request, response) => cut.playArchive(request, response) });
    if (gate === null) return;
    const files = smallFiles(400);
    await landFiles(gate.emulatorUrl, "octo/r0", files);
    await gate.signIn();
    const cutOff = opening(gate);
    await until("half of the archive is there", async () => cut.isHeld);
    const held = gate;
    const state = () => held.state();
    await until("it says how much has come", async () => ((await state()).opening?.bytes ?? 0) > 0);
    assert.equal((await state()).opening?.repository, "octo/r0");
    await gate.kill();
    assert.equal((await cutOff).value.status, 0, "the panel hears that it ended");
    cut.letGo();
    const { open, storage } = await gate.state();
    assert.deepEqual([open, storage.damage ?? null], [null, null], "nothing of it counts, and nothing was lost");
    assert.deepEqual(await withoutEnd(gate), ["git_pull"], "the record says what has no end");
    await gate.open();
    await isWhole(gate, files);
  },
);

/** `hasGrown` resolves when the pack of the next draft has so many bytes. It is text that runs in the panel. */
const growth = (more: number) => `(async () => {
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("sallyport");
  const packs = await Promise.all(["draft-a.pack", "draft-b.pack"].map((name) => root.getFileHandle(name, { create: true })));
  const size = async () => (await Promise.all(packs.map((file) => file.getFile()))).reduce((sum, file) => sum + file.size, 0);
  globalThis.hasGrown = async () => {
    while ((await size()) >= ${more}); // what the last try has left is taken away first
    while ((await size()) < ${more});
  };
})()`;

test(
  "ended while a thousand files are stored: all of it or nothing counts as open",
  { skip: noExtension },
  async (t) => {
    const gate = await openOwnGate(t);
    if (gate === null) return;
    const files = smallFiles(1_000);
    await landFiles(gate.emulatorUrl, "octo/r0", files);
    await gate.signIn();
    await gate.state();
    for (const [what, more] of [
      ["the pack", 64 * 1_024],
      ["SQLite, after the pack", 1_000 * 2_048],
    ] as const) {
      const before = (await withoutEnd(gate)).length;
      let isCut = false;
      for (let tries = 0; tries < 10 && !isCut; tries += 1) {
        await runInPage(gate.panel, growth(more));
        const cut = opening(gate).catch(() => undefined); // the panel ends with the worker
        await gate.crash(runInPage(gate.panel, "hasGrown()"));
        await cut;
        const { open, storage } = await gate.state();
        assert.equal(storage.damage ?? null, null, `${what}: nothing was lost`);
        // If it was quick, the worker has stored all of it before it was ended.
        isCut = (await withoutEnd(gate)).length > before;
        if (isCut) assert.equal(open, null, `${what}: a part counts for nothing`);
        if (open !== null) await isWhole(gate, files);
        assert.equal((await gate.ask("DELETE", "/api/work/open")).status, 204);
        await gate.signIn();
      }
      assert.ok(isCut, `it was ended while ${what} was written, and the record says what has no end`);
    }
    await gate.open();
    await isWhole(gate, files);
  },
);
