// Who must not speak to the gate of this browser: another extension, a page of another site, the frame of the box.
// The control is the panel itself, with the same messages.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import type { Page, Worker } from "playwright-core";
import { isFromPage } from "../../../extension/browser-gate/messages.ts";
import { listenOn } from "../../fixtures/github-emulator.ts";
import { noExtension, openExtensionBrowser, otherExtension } from "../browser.ts";
import { runInPage } from "../in-page.ts";

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
  }

  const server = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<!doctype html><title>A site</title>"),
  );
  const origin = `http://127.0.0.1:${await listenOn(server)}`;
  t.after(() => server.close().closeAllConnections());
  const site = await browser.context.newPage();
  await site.goto(origin);
  assert.equal(await runInPage(site, "typeof chrome?.runtime?.connect"), "undefined");
  // Another page of the extension is not the panel either.
  const offscreen = await browser.context.newPage();
  await offscreen.goto(`${browser.origin}/box/page.html`);
  assert.equal(
    await runInPage(offscreen, "typeof chrome?.runtime?.connect"),
    "undefined",
    "the box has no such interface",
  );
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
