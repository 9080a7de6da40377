// The page on another device, in a browser: pairing by a code, what a limited device is shown, and the end by revoking.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { newAsker } from "../../fixtures/asking.ts";
import { newCertificate } from "../../fixtures/outer-page.ts";
import { pushQuestion, waitsIn } from "../../fixtures/push-question.ts";
import { until } from "../../fixtures/run.ts";
import { axeProblems, goTo, newPage, noBrowser, openPage, type Served, serveTo, untilArmed } from "../fixture.ts";

const skip = noBrowser;

interface Scene {
  readonly served: Served;
  /** The first device. */
  readonly page: Page;
  readonly phone: Page;
  readonly pair: (may?: RegExp) => Promise<void>;
}

async function newScene(t: TestContext, scheme: "light" | "dark" = "light"): Promise<Scene> {
  const { cert, key } = newCertificate(t);
  const flags = ["--host", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key];
  const served = await serveTo(t, newAsker(t), "0", flags);
  const page = await openPage(t, served, { scheme, at: "#/machine" });
  // This browser does not trust the certificate, so it starts no service worker; app.test.ts has one that does.
  const expect = /error occurred when fetching the script\./;
  const phone = await newPage(t, { scheme, width: 380, height: 780, isOtherBrowser: true, expect });
  await phone.goto(served.devices[0] as string);
  await phone.getByRole("heading", { name: "Pair this device" }).waitFor();
  return {
    served,
    page,
    phone,
    async pair(may = /answers everything/) {
      await page.getByRole("button", { name: "Pair a device" }).click();
      await page.getByText(served.devices[0] as string).waitFor();
      await phone.getByLabel("Code").fill((await page.locator(".pairing-code").textContent()) ?? "");
      await phone.getByRole("button", { name: "Pair" }).click();
      const check = (await phone.locator(".pair-check").textContent()) ?? "";
      const dialog = page.getByRole("alertdialog");
      await dialog.getByText(check.trim(), { exact: true }).waitFor();
      await dialog.getByRole("radio", { name: may }).check();
      await untilArmed(page);
      await dialog.getByRole("button", { name: /let it in/ }).click();
      await phone.locator("header.header").waitFor();
    },
  };
}

test("a phone is paired by code and number, answers, and is out once it is revoked", { skip }, async (t) => {
  const { served, page, phone, pair } = await newScene(t);
  const { asker } = served;
  await pair();
  await page.getByText("browser: answers everything").waitFor();
  await page.getByText("from 127.0.0.1").waitFor();
  const call = asker.begin(asker.call);
  await phone.locator("a.queue-row").click();
  await phone.getByRole("heading", { name: "Your answer" }).waitFor();
  await untilArmed(phone);
  await phone.getByRole("button", { name: "Approve once" }).click();
  assert.equal((await call.done).code, 0);
  assert.match(
    String(asker.events("approval.answered")[0]?.outcome["who"]),
    /at the paired device \w+ \(d-[0-9a-f]{8}\)$/,
  );

  await phone.reload();
  await phone.locator("header.header").waitFor();
  await goTo(phone, "#/machine");
  await phone.getByText("this one").waitFor();
  assert.equal(await phone.getByRole("button", { name: "Pair a device" }).count(), 0, "it lets nobody in");
  await page.getByRole("button", { name: /^Revoke/ }).click();
  await untilArmed(page);
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await phone.getByRole("heading", { name: "Pair this device" }).waitFor();
  assert.equal(await phone.evaluate("localStorage.length"), 0);
});

test("a wrong code is said, and the next one is right", { skip }, async (t) => {
  const { phone, pair } = await newScene(t);
  await phone.getByLabel("Code").fill("2222-2222");
  await phone.getByRole("button", { name: "Pair" }).click();
  await phone.getByText("This code is wrong, was used, or is older than two minutes.").waitFor();
  await pair();
});

test("a link that is opened on another device pairs nothing", { skip }, async (t) => {
  const { served, phone } = await newScene(t);
  await phone.goto(`${served.devices[0]}/#enter=${"A".repeat(43)}`);
  await phone.reload();
  await phone.getByRole("heading", { name: "Pair this device" }).waitFor();
  assert.equal(await phone.evaluate("location.hash"), "#/", "its token is gone from the address");
});

for (const [may, canAnswer] of [
  [/only looks/, false],
  [/low risk/, true],
] as const)
  test(`a device that ${may.source}: buttons are absent, with the reason`, { skip }, async (t) => {
    const { served, phone, pair } = await newScene(t);
    const { asker } = served;
    await waitsIn(asker.state, pushQuestion([["a.ts", "1\n", "2\n"]], { branch: "main", isProtected: true }));
    const call = asker.begin(asker.call);
    await until("both wait", () => asker.waiting().length === 2);
    await pair(may);
    await phone.locator("a.queue-row", { hasText: "cat note" }).click();
    const reason = phone.getByText(canAnswer ? "may answer questions of low risk" : "may look, and answers nothing");
    if (canAnswer) {
      await phone.getByRole("heading", { name: "Your answer" }).waitFor();
      assert.equal(await phone.getByRole("button", { name: /Always|session/ }).count(), 0);
      assert.equal(await phone.getByRole("button", { name: "Approve once" }).count(), 1);
    } else await reason.waitFor();
    await goTo(phone, "#/q/q-0000abcd");
    await reason.waitFor();
    assert.equal(await phone.getByRole("button", { name: /Approve|Reject/ }).count(), 0);
    assert.deepEqual(await axeProblems(phone), []);
    call.kill();
  });

for (const scheme of ["light", "dark"] as const)
  test(`axe finds nothing on the phone, and nothing is wider than it, ${scheme}`, { skip }, async (t) => {
    const { page, phone, pair } = await newScene(t, scheme);
    const check = async (what: string, at: Page) => {
      assert.deepEqual(await axeProblems(at), [], what);
      assert.equal(await at.evaluate("document.documentElement.scrollWidth <= innerWidth"), true, what);
    };
    await check("pair this device", phone);
    await page.setViewportSize({ width: 380, height: 780 });
    await page.getByRole("button", { name: "Pair a device" }).click();
    await page.locator(".pairing-code").waitFor();
    await check("the code", page);
    const code = (await page.locator(".pairing-code").textContent()) ?? "";
    await phone.getByLabel("Code").fill(code);
    await phone.getByRole("button", { name: "Pair" }).click();
    await phone.locator(".pair-check").waitFor();
    await check("the number", phone);
    await page.getByRole("alertdialog").waitFor();
    await page.getByRole("alertdialog").scrollIntoViewIfNeeded();
    await check("the device asks", page);
    await page.getByRole("button", { name: "Refuse it" }).waitFor();
    await untilArmed(page);
    await page.getByRole("button", { name: "Refuse it" }).click();
    await phone.getByText("This device was not let in.").waitFor();
    await check("not let in", phone);
    await pair(/only looks/);
    await goTo(phone, "#/machine");
    await phone.getByText("this one").waitFor();
    await check("the devices", phone);
  });
