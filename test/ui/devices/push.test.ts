// Notices to a paired device whose page may be closed, in a real browser: the switch, and what the service worker does with a notice.
// No push service can be reached here, so `PushManager.subscribe` is tested up to the call: the page's own call is noted, and answered
// with keys of the test. What the gate then sends is read with these keys, and handed to the service worker by the browser itself
// (`ServiceWorker.deliverPushMessage`).

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { chromium, type CDPSession, type Page } from "playwright-core";
import type { PushedNotice } from "../../../src/notify/push-notice.ts";
import { newAsker } from "../../fixtures/asking.ts";
import { newCertificate } from "../../fixtures/outer-page.ts";
import {
  newPushReceiver,
  type PushReceiver,
  type PushService,
  readPush,
  startPushService,
  subscribeBody,
} from "../../fixtures/push-service.ts";
import { until } from "../../fixtures/run.ts";
import { noBrowser, openPage, type Served, serveTo, untilArmed } from "../fixture.ts";

/** The shell without windows, in which the other tests of the page run, has no notifications in a service worker. */
const wholeChromium = "/usr/bin/chromium";
const skip = noBrowser || (existsSync(wholeChromium) ? false : `${wholeChromium} is missing: apt-get install chromium`);

interface Scene {
  readonly served: Served;
  readonly service: PushService;
  readonly receiver: PushReceiver;
  readonly phone: Page;
  readonly origin: string;
  readonly cdp: CDPSession;
}

async function newScene(t: TestContext, may: RegExp): Promise<Scene> {
  const service = await startPushService(t);
  const { cert, key } = newCertificate(t);
  const asker = newAsker(t, `notify: [{ devices: true, after_s: 0, push_services: ["${service.host}"] }]`);
  const flags = ["--host", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key];
  const served = await serveTo(t, { ...asker, env: { ...asker.env, NODE_EXTRA_CA_CERTS: service.ca } }, "0", flags);
  // Chromium starts a service worker only where it takes the certificate: for all connections of this browser.
  const origin = new URL(served.devices[0] as string).origin;
  const profile = mkdtempSync(join(tmpdir(), "sallyport-profile-"));
  t.after(() => rmSync(profile, { recursive: true, force: true }));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: wholeChromium,
    headless: false,
    args: ["--headless=new", "--no-sandbox", "--ignore-certificate-errors"],
    viewport: { width: 380, height: 780 },
  });
  t.after(() => context.close());
  await context.grantPermissions(["notifications"], { origin });
  const receiver = newPushReceiver(`https://${service.host}/phone`);
  const phone = await context.newPage();
  await phone.addInitScript(
    `globalThis.asked = []; PushManager.prototype.subscribe = async function (options) {
       globalThis.asked.push(options);
       return { toJSON: () => (${JSON.stringify(subscribeBody(receiver.subscriber))}), unsubscribe: async () => true };
     };`,
  );
  await phone.goto(origin);
  const page = await openPage(t, served, { at: "#/machine" });
  await page.getByRole("button", { name: "Pair a device" }).click();
  await page.locator(".pairing-code").waitFor();
  await phone.getByLabel("Code").fill((await page.locator(".pairing-code").textContent()) ?? "");
  await phone.getByRole("button", { name: "Pair" }).click();
  await page.getByRole("alertdialog").waitFor();
  await page.getByLabel(may).check();
  await untilArmed(page);
  await page.getByRole("button", { name: /let it in/ }).click();
  await phone.locator("header.header").waitFor();
  await phone.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
  await phone.reload();
  await phone.evaluate(`location.hash = "#/machine"`);
  return { served, service, receiver, phone, origin, cdp: await context.newCDPSession(phone) };
}

test("a person switches notices on, and a notice opens the question", { skip }, async (t) => {
  const { served, service, receiver, phone, origin, cdp } = await newScene(t, /It only looks/);
  const on = phone.getByRole("button", { name: "Notify me on this device" });
  await on.waitFor();
  assert.deepEqual(await phone.evaluate("asked"), [], "nothing is asked before the click");
  await on.click();
  await phone.getByRole("button", { name: "End notices on this device" }).waitFor();
  const [options] = (await phone.evaluate("asked")) as { userVisibleOnly: boolean; applicationServerKey: string }[];
  assert.equal(options?.userVisibleOnly, true);

  const call = served.asker.begin(served.asker.call);
  t.after(() => call.kill());
  await until("the push service has the notice", async () => service.arrived.length === 1);
  const [arrived] = service.arrived;
  assert.ok(arrived);
  const signed = / k=([\w-]+)$/.exec(arrived.headers.authorization ?? "")?.[1];
  assert.equal(signed, options.applicationServerKey, "the browser's push service takes no other server's");
  const data = readPush(arrived.body, receiver.keys);
  const { title, question } = JSON.parse(data) as PushedNotice;
  assert.equal(title, "A question waits");

  const [worker] = phone.context().serviceWorkers();
  assert.ok(worker);
  await worker.evaluate(
    "globalThis.marks = 0; Navigator = Object.getPrototypeOf(navigator); Navigator.setAppBadge = async () => void (globalThis.marks += 1);",
  );
  const registered = Promise.withResolvers<string>();
  cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    const own = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`);
    if (own !== undefined) registered.resolve(own.registrationId);
  });
  await cdp.send("ServiceWorker.enable");
  const registrationId = await registered.promise;
  const shown = async () =>
    (await worker.evaluate(
      "registration.getNotifications().then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))",
    )) as unknown[];
  for (const pushed of [data, JSON.stringify({ title: "2 questions wait", text: "high risk", question: null }), data]) {
    await cdp.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: pushed });
    const { title: wanted, text: body } = JSON.parse(pushed) as PushedNotice;
    const expected = JSON.stringify([{ title: wanted, body, tag: "sallyport" }]);
    await until("it is shown, alone", async () => JSON.stringify(await shown()) === expected);
  }
  await until("the icon is marked", async () => (await worker.evaluate("marks")) === 3);

  // A click that no person makes may focus no window: that part is the browser's.
  await worker.evaluate(
    `registration.getNotifications().then(([notification]) => self.dispatchEvent(new NotificationEvent("notificationclick", { notification })))`,
  );
  await phone.waitForURL(`${origin}/#/q/${question ?? ""}`);
  await until("the notice is gone", async () => (await shown()).length === 0);
});

test("a person ends notices, and the device is not called any more", { skip }, async (t) => {
  const { served, service, phone } = await newScene(t, /It answers everything/);
  await phone.getByRole("button", { name: "Notify me on this device" }).click();
  await phone.getByRole("button", { name: "End notices on this device" }).click();
  await phone.getByRole("button", { name: "Notify me on this device" }).waitFor();
  const call = served.asker.begin(served.asker.call);
  t.after(() => call.kill());
  await phone.evaluate(`location.hash = "#/"`);
  await phone.locator("a.queue-row").waitFor();
  // Switched on again, it is told of what waits: so the notifier was there before, and told nobody.
  assert.equal(service.arrived.length, 0);
  await phone.evaluate(`location.hash = "#/machine"`);
  await phone.getByRole("button", { name: "Notify me on this device" }).click();
  await until("it is told", async () => service.arrived.length === 1);
});
