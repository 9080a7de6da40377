// Who must not answer through the side panel: a page of another site, another extension, a program that says it is the extension.
// Each attack has its control: the same request with what only the panel has.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { serve } from "../ui/fixture.ts";
import { type ExtensionBrowser, noExtension, openExtensionBrowser, otherExtension } from "./browser.ts";
import { fetchIn, runInPage } from "./in-page.ts";
import { newCode, pairPanel, typeCode } from "./paired.ts";

const otherName = "Another extension";
const isRefused = /^(?:401|403|TypeError: Failed to fetch)/;

interface Desk {
  readonly browser: ExtensionBrowser;
  readonly url: string;
  readonly page: Page;
  readonly panel: Page;
  readonly token: string;
  readonly asker: Awaited<ReturnType<typeof serve>>["asker"];
  /** An answer to the one question that waits. */
  readonly answer: { readonly url: string; readonly body: object };
}

async function openDesk(t: TestContext): Promise<Desk> {
  const { asker, url, link } = await serve(t);
  const browser = await openExtensionBrowser(t, [otherExtension(t, otherName)]);
  await browser.allow("http://127.0.0.1/*");
  const page = await browser.context.newPage();
  await page.goto(link);
  await page.locator("header.header").waitFor();
  const panel = await browser.openPanel(400);
  await typeCode(panel, url, "2222-2222");
  await panel.getByText("This code is wrong, was used, or is older than two minutes.").waitFor();
  await pairPanel(page, panel, url);
  const token = await runInPage<string>(panel, "chrome.storage.local.get('gate').then(({ gate }) => gate.token)");
  asker.begin(asker.call);
  await panel.locator("a.queue-row").waitFor();
  const [waiting] = asker.waiting();
  const at = `${url}/api/questions/${waiting?.id}`;
  const digest = await runInPage<string>(
    panel,
    `fetch("${at}", { headers: { Authorization: "Bearer ${token}" } }).then((response) => response.json()).then((body) => body.digest)`,
  );
  return {
    browser,
    url,
    page,
    panel,
    token,
    asker,
    answer: { url: `${at}/answer`, body: { decision: "allow", scope: "once", digest } },
  };
}

test("nobody but the panel answers for the person", { skip: noExtension }, async (t) => {
  const { browser, url, page, panel, token, asker, answer } = await openDesk(t);
  const other = await browser.other(otherName);
  const site = await openSite(t, browser);
  const post = { method: "POST", body: answer.body };

  await t.test("another extension: by itself, by the token of the panel, by our extension", async () => {
    assert.equal(await fetchIn(other, `${site.origin}/`), "200", "the control: it may reach this machine");
    assert.match(await fetchIn(other, `${url}/api/queue`), isRefused);
    assert.match(await fetchIn(other, answer.url, post), isRefused);
    assert.match(await fetchIn(other, answer.url, { ...post, token }), isRefused, "a token of another's");
    const reached = [
      `chrome.runtime.sendMessage("${browser.origin.slice(19)}", { answer: "allow" }).then(() => "heard", String)`,
      `fetch("${browser.origin}/panel.html").then(() => "read", String)`,
      `(async () => {
        const [tab] = (await chrome.tabs.query({})).filter(({ url }) => (url ?? "").startsWith("${browser.origin}"));
        return await chrome.scripting.executeScript({ target: { tabId: tab.id }, func: () => "ran" }).then(() => "ran", String);
      })()`,
      `chrome.storage.local.get("gate").then(({ gate }) => gate === undefined ? "nothing" : "read")`,
    ];
    const said = await Promise.all(reached.map((expression) => runInPage<string>(other, expression)));
    assert.match(said[0] ?? "", /Could not establish connection/);
    assert.match(said[1] ?? "", /Failed to fetch/);
    assert.match(said[2] ?? "", /Cannot access/);
    assert.equal(said[3], "nothing");
  });

  await t.test("a page of another site: the door, the token, the panel in a frame or a window", async () => {
    assert.equal(await fetchIn(site.page, `${site.origin}/`), "200", "the control: it can ask its own server");
    const claimed = { Origin: browser.origin };
    for (const options of [
      {},
      { token },
      { token, headers: claimed },
      { ...post, token },
      { ...post, token, headers: claimed },
    ])
      assert.match(await fetchIn(site.page, options === post ? answer.url : `${url}/api/queue`, options), isRefused);
    assert.match(await fetchIn(site.page, answer.url, { ...post, token }), isRefused);
    const code = await newCode(page);
    const pair = { method: "POST", body: { code, name: "x", kind: "extension" } };
    assert.match(await fetchIn(site.page, `${url}/api/pair`, { ...pair, headers: claimed }), isRefused);
    assert.equal(await runInPage(site.page, "typeof chrome === 'undefined' || chrome.runtime === undefined"), true);
    assert.match(await fetchIn(site.page, `${browser.origin}/panel.html`), /Failed to fetch/);
    assert.equal(await site.frames(`${browser.origin}/panel.html`), false, "the panel");
    assert.equal(await site.frames(`${site.origin}/framed`), true, "the control: another page is framed");
    assert.equal(await fetchIn(panel, `${url}/api/pair`, pair), "200", "the control: the code was good all the while");
  });

  await t.test("a program that writes the extension's origin", async () => {
    const headers = { origin: browser.origin, "content-type": "application/json" };
    const body = JSON.stringify(answer.body);
    const forged = await fetch(answer.url, { method: "POST", headers, body });
    assert.equal(forged.status, 403);
    const guessed = { ...headers, authorization: `Bearer ${"A".repeat(43)}` };
    assert.equal((await fetch(answer.url, { method: "POST", headers: guessed, body })).status, 403);
  });

  assert.equal(asker.events("approval.answered").length, 0, "nobody has answered");
  assert.equal(
    await fetchIn(panel, answer.url, { ...post, token }),
    "200",
    "the control: the panel's own request answers",
  );
  assert.equal(asker.events("approval.answered").length, 1);
});

/** A page of another site, in the same browser. */
async function openSite(t: TestContext, { context }: ExtensionBrowser) {
  const framed = new Set<string>();
  const server = createServer((request, response) => {
    if (request.url === "/framed" && request.headers["sec-fetch-dest"] === "iframe") framed.add(request.url);
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Another site</title><p>here</p>");
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const page = await context.newPage();
  await page.goto(`${origin}/`);
  return {
    origin,
    page,
    /** Whether what the address has is shown in a frame of the page. */
    async frames(address: string): Promise<boolean> {
      await runInPage(
        page,
        `new Promise((done) => {
          const frame = document.createElement("iframe");
          frame.onload = frame.onerror = () => done();
          frame.src = ${JSON.stringify(address)};
          document.body.append(frame);
        })`,
      );
      const texts = await Promise.all(
        page.frames().map((frame) => frame.evaluate("document.body?.innerText ?? ''").catch(() => "")),
      );
      return (
        texts.slice(1).some((text) => /here|Sallyport|Queue|Pair/.test(String(text))) ||
        framed.has(new URL(address).pathname)
      );
    },
  };
}
