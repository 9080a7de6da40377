// The page as an app on another device: what makes it installable, what is kept on the device, and the mark on its icon.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { chromium, type Page } from "playwright-core";
import { pictureType } from "../../../src/shared/picture-type.ts";
import { newAsker } from "../../fixtures/asking.ts";
import { newCertificate } from "../../fixtures/outer-page.ts";
import { until } from "../../fixtures/run.ts";
import { executablePath } from "../browser.ts";
import { noBrowser, openPage, type Served, serveTo, untilArmed } from "../fixture.ts";

const skip = noBrowser;
const built = join(import.meta.dirname, "../../../dist/ui");

interface Scene {
  readonly served: Served;
  readonly phone: Page;
}

/** A phone that is paired. Chromium starts a service worker only where it takes the certificate: for all connections of this browser. */
async function newScene(t: TestContext): Promise<Scene> {
  const { cert, key } = newCertificate(t);
  const flags = ["--host", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key];
  const served = await serveTo(t, newAsker(t), "0", flags);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--ignore-certificate-errors"] });
  t.after(() => browser.close());
  const phone = await (await browser.newContext({ viewport: { width: 380, height: 780 } })).newPage();
  await phone.addInitScript(
    "globalThis.marks = []; Navigator.prototype.setAppBadge = async (count) => void globalThis.marks.push(count);",
  );
  await phone.goto(served.devices[0] as string);
  const page = await openPage(t, served, { at: "#/machine" });
  await page.getByRole("button", { name: "Pair a device" }).click();
  await page.locator(".pairing-code").waitFor();
  await phone.getByLabel("Code").fill((await page.locator(".pairing-code").textContent()) ?? "");
  await phone.getByRole("button", { name: "Pair" }).click();
  await page.getByRole("alertdialog").waitFor();
  await untilArmed(page);
  await page.getByRole("button", { name: /let it in/ }).click();
  await phone.locator("header.header").waitFor();
  return { served, phone };
}

test("it opens without its server, and keeps the empty page and its files alone", { skip }, async (t) => {
  const { served, phone } = await newScene(t);
  await phone.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
  // From the next load on everything goes through the worker.
  await phone.reload();
  await phone.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  for (const view of ["log", "sessions", "machine"]) {
    await phone.evaluate(`location.hash = "#/${view}"`);
    await phone
      .locator("main h1")
      .filter({ hasText: new RegExp(view, "i") })
      .waitFor();
  }
  assert.equal(await phone.evaluate("navigator.serviceWorker.controller !== null"), true);
  const kept = (await phone.evaluate(
    "caches.keys().then((names) => Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)))).then((all) => all.flat())",
  )) as string[];
  assert.ok(kept.includes("/") && kept.some((path) => path.endsWith(".js")));
  assert.deepEqual(
    kept.filter((path) => path !== "/" && !path.startsWith("/assets/")),
    [],
  );
  await served.stop();
  await phone.reload();
  await phone.getByText("Not connected. Trying again…").waitFor();
});

test("the icon has the number of questions", { skip }, async (t) => {
  const { served, phone } = await newScene(t);
  const call = served.asker.begin(served.asker.call);
  await phone.locator("a.queue-row").waitFor();
  await until("it is marked", async () => ((await phone.evaluate("marks")) as number[]).at(-1) === 1);
  call.kill();
});

test("a browser reads the manifest without a complaint, and its icons are pictures", { skip }, async (t) => {
  const { phone } = await newScene(t);
  const browser = await phone.context().newCDPSession(phone);
  const { errors, data = "", url } = await browser.send("Page.getAppManifest");
  assert.deepEqual(errors, []);
  assert.match(url, /\/manifest\.webmanifest$/);
  const { icons, display } = JSON.parse(data) as { icons: { src: string }[]; display: string };
  assert.equal(display, "standalone");
  assert.equal(icons.length, 3);
  for (const { src } of [...icons, { src: "/apple-touch-icon.png" }])
    assert.equal(pictureType(readFileSync(join(built, src))), "image/png", src);
});

test("on its own machine the page has no service worker", { skip }, async (t) => {
  const page = await openPage(t, await serveTo(t, newAsker(t)));
  assert.equal(await page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)"), 0);
});
