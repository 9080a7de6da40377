// Who must not speak to the gate of this browser: another extension, a page of another site, the frame of the box.
// The control is the panel itself, with the same messages.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import type { Page, Worker } from "playwright-core";
import { isFromPage } from "../../../extension/browser-gate/messages.ts";
import { listenOn } from "../../fixtures/github-emulator.ts";
import type { QuestionView, QueueView } from "../../../src/web/api.ts";
import { later } from "../../ui/fixture.ts";
import { until } from "../../fixtures/run.ts";
import { noExtension, openExtensionBrowser, otherExtension } from "../browser.ts";
import { runInPage } from "../in-page.ts";
import { openOwnGate } from "./open-gate.ts";

/** Opens a port to the extension and asks for its state. */
const ask = (target: string) => `(async () => {
  try {
    const port = chrome.runtime.connect(${target} { name: "sallyport-gate" });
    return await new Promise((resolve) => {
      port.onMessage.addListener((answer) => resolve(answer.kind + " " + answer.status));
      port.onDisconnect.addListener(() => resolve("refused"));
      port.postMessage({ method: "GET", path: "/api/work", body: null });
    });
  } catch (error) {
    return "refused";
  }
})()`;

const send = (target: string, message: object) =>
  `(async () => { try { return String(await chrome.runtime.sendMessage(${target} ${JSON.stringify(message)})); } catch { return "refused"; } })()`;

test("only the panel speaks to the gate, and nobody reads a secret", { skip: noExtension }, async (t) => {
  const browser = await openExtensionBrowser(t, [otherExtension(t, "Another extension")]);
  const panel = await browser.openPanel(380);
  const other = await browser.other("Another extension");
  const id = `"${browser.origin.slice("chrome-extension://".length)}",`;
  const say = async (where: Page | Worker, text: string) => await runInPage<string>(where, text);

  assert.equal(await say(panel, send("", { kind: "open-gate" })), "true");
  assert.equal(await say(panel, ask("")), "head 200", "the control: the panel is answered");
  assert.equal(await say(other, ask(id)), "refused");
  assert.equal(await say(other, send(id, { kind: "open-gate" })), "refused");

  await runInPage(browser.worker, `chrome.storage.session.set({ "github-token": "secret" })`);
  for (const where of [panel, other]) {
    const target = where === panel ? "" : id;
    assert.doesNotMatch(await say(where, send(target, { kind: "secret", name: "github-token" })), /^secret/);
    await say(where, send(target, { kind: "waiting", ids: ["q-1"] }));
    assert.equal(await runInPage(browser.worker, "chrome.action.getBadgeText({})"), "", "nor makes the button call");
  }

  const server = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<!doctype html><title>A site</title>"),
  );
  const origin = `http://127.0.0.1:${await listenOn(server)}`;
  t.after(() => server.close().closeAllConnections());
  const site = await browser.context.newPage();
  await site.goto(origin);
  assert.equal(await runInPage(site, "typeof chrome?.runtime?.connect"), "undefined");
});

/** Sends one request over a port of the extension, as the panel does, and says what comes back. */
const forged = (path: string, body: object) => `(async () => {
  if (typeof chrome?.runtime?.connect !== "function") return "no interface";
  const port = chrome.runtime.connect({ name: "sallyport-gate" });
  return await new Promise((resolve) => {
    port.onMessage.addListener((answer) => { if (answer.kind === "head") resolve("head " + answer.status); });
    port.onDisconnect.addListener(() => resolve("refused"));
    port.postMessage({ method: "POST", path: ${JSON.stringify(path)}, body: ${JSON.stringify(JSON.stringify(body))} });
  });
})()`;

test(
  "T83, T90: another page of the extension and the frame of the box cannot answer a question of this gate",
  { skip: noExtension },
  async (t) => {
    const gate = await openOwnGate(t);
    if (gate === null) return;
    const { browser, panel, ask } = gate;
    await gate.signIn();
    const opening = ask("POST", "/api/work/open", { repository: "octo/r0", branch: "main" });
    const waiting = async () => (await ask<QueueView>("GET", "/api/queue")).body.questions;
    await until("the gate asks", async () => (await waiting()).length === 1);
    const [id = ""] = (await waiting()).map((question) => question.id);
    const { digest } = (await ask<QuestionView>("GET", `/api/questions/${id}`)).body;
    const path = `/api/questions/${id}/answer`;
    const yes = { decision: "allow", scope: "once", digest };

    const other = await browser.context.newPage();
    await other.goto(`${browser.origin}/manifest.json`);
    assert.equal(
      await runInPage(other, "chrome.runtime.id"),
      new URL(other.url()).host,
      "it is a page of the extension",
    );
    assert.equal(await runInPage(other, forged(path, yes)), "refused");

    await runInPage(
      panel,
      `new Promise((resolve) => {
      const frame = Object.assign(document.createElement("iframe"), { src: "box/page.html", onload: resolve });
      document.body.append(frame);
    })`,
    );
    const box = panel.frames().find((frame) => frame.url().endsWith("/box/page.html"));
    assert.ok(box !== undefined);
    const tried = async (text: string) => await box.evaluate(text);
    assert.equal(await tried(forged(path, yes)), "no interface");
    assert.match(
      String(
        await tried(
          `(() => { try { return typeof parent.chrome.runtime.connect; } catch (error) { return error.name; } })()`,
        ),
      ),
      /^SecurityError$/,
      "nor that of the page around it",
    );
    await tried(
      `parent.postMessage({ method: "POST", path: ${JSON.stringify(path)}, body: ${JSON.stringify(JSON.stringify(yes))} }, "*")`,
    );
    await later(panel, 700);
    assert.deepEqual(
      (await waiting()).map((question) => question.id),
      [id],
      "it waits as before",
    );

    assert.equal(await runInPage(panel, forged(path, yes)), "head 200", "the control: the panel's own message answers");
    assert.equal((await opening).status, 200);
  },
);

test("T92: a gate waits for the lock of another one, says so, and then opens", { skip: noExtension }, async (t) => {
  const browser = await openExtensionBrowser(t);
  const panel = await browser.openPanel(380);
  const lock = `new Promise((held) => void navigator.locks.request("sallyport-gate", () => new Promise((letGo) => { globalThis.letGo = letGo; held(); })))`;
  await runInPage(panel, lock);
  await runInPage(panel, `chrome.runtime.sendMessage({ kind: "open-gate" })`);
  const asked = ask("");
  assert.equal(await runInPage(panel, asked), "head 503");
  assert.equal(await runInPage(panel, asked), "head 503", "as long as the other one lives");
  const files =
    "navigator.storage.getDirectory().then(async (root) => { for await (const name of root.keys()) return name; return null; })";
  assert.equal(await runInPage(panel, files), null, "and it opens none of its files");
  await runInPage(panel, "letGo()");
  await until("the gate opens", async () => (await runInPage(panel, asked)) === "head 200");
  assert.equal(await runInPage(panel, files), "sallyport", "the control");
});

test("a sender is the panel if the browser says so: the extension, and the page", () => {
  const own = { id: "a".repeat(32), page: `chrome-extension://${"a".repeat(32)}/panel.html` };
  for (const url of [own.page, `${own.page}#/files`, `${own.page}?tab=1`])
    assert.ok(isFromPage({ id: own.id, url }, own), url);
  for (const sender of [
    undefined,
    {},
    { id: own.id },
    { url: own.page },
    { id: "b".repeat(32), url: own.page },
    { id: own.id, url: `chrome-extension://${"b".repeat(32)}/panel.html` },
    { id: own.id, url: `chrome-extension://${"a".repeat(32)}/box/page.html` },
    { id: own.id, url: `https://${"a".repeat(32)}/panel.html` },
    { id: own.id, url: `${own.page}/../box/page.html` },
    { id: own.id, url: "null" },
  ])
    assert.ok(!isFromPage(sender, own), JSON.stringify(sender));
});
