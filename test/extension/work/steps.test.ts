// From nothing to an open draft: each step of a person who has never been here, and what can go wrong at it.

import assert from "node:assert/strict";
import test from "node:test";
import { until } from "../../fixtures/run.ts";
import { noBrowser } from "../../ui/fixture.ts";
import { openPanelAt } from "./panel.ts";
import { firstState, openState } from "./work-server.ts";

const skip = noBrowser;

for (const [scheme, width] of [
  ["light", 320],
  ["dark", 400],
] as const)
  test(`a person sets it up, signs in, and opens a repository: ${scheme}, ${width} px`, { skip }, async (t) => {
    const { server, page, check } = await openPanelAt(t, {
      state: firstState,
      scheme,
      width,
      files: { "a.ts": "1\n" },
    });
    await page.getByRole("heading", { name: "Work on a repository here" }).waitFor();
    await check("nothing configured");
    const register = page.getByRole("link", { name: "Register one" });
    assert.equal(await register.getAttribute("href"), "https://github.com/settings/applications/new");
    await page.getByLabel("Address of GitHub").fill("javascript:alert(1)");
    await register.waitFor({ state: "detached" });
    await page.getByLabel("Address of GitHub").fill("https://github.com");
    await page.getByLabel("Client id").fill("Iv1.of-nobody");
    await page.getByLabel("Provider").selectOption("openai");
    await page.getByLabel("Model").fill("small");
    await page.getByLabel("Address", { exact: true }).fill("ftp://models.example");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("This is not the address of a model.").waitFor();
    await check("a wrong address");
    await page.getByLabel("Address", { exact: true }).fill("https://models.example/v1/");
    await page.getByLabel("Key").fill("sk-nobody");
    await page.evaluate("globalThis.mayReach = false");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The browser may not reach these addresses.").waitFor();
    assert.deepEqual(server.asked, [], "nothing is kept before the browser has agreed");
    await page.evaluate("globalThis.mayReach = true; globalThis.asked = []");
    await page.getByRole("button", { name: "Save" }).click();

    await page.getByRole("heading", { name: "Sign in to GitHub" }).waitFor();
    assert.deepEqual(await page.evaluate("globalThis.asked"), [
      "https://github.com/*",
      "https://api.github.com/*",
      "https://codeload.github.com/*",
      "https://models.example/*",
    ]);
    await until("the key is kept", () => Promise.resolve(server.work.settings.model?.hasKey === true));
    assert.deepEqual(server.work.settings.model, {
      provider: "openai",
      name: "small",
      baseUrl: "https://models.example/v1",
      hasKey: true,
    });
    await check("signed out");
    server.refusals.set("POST /api/work/sign-in", [502, "tool_failed", "GitHub does not answer.", "Try again later."]);
    await page.getByRole("button", { name: "Sign in to GitHub" }).click();
    await page.getByText("GitHub does not answer.").waitFor();
    server.refusals.clear();
    await page.getByRole("button", { name: "Sign in to GitHub" }).click();
    await page.getByText("WDJB-0001").waitFor();
    const link = page.getByRole("link", { name: "Open GitHub" });
    assert.equal(await link.getAttribute("href"), "https://github.com/login/device");
    assert.equal(await link.getAttribute("target"), "_blank");
    await check("waiting for the sign-in");
    server.change({
      signIn: { kind: "refused", message: "You said no on GitHub's page.", hint: "Ask for another code." },
    });
    await page.getByText("You said no on GitHub's page.").waitFor();
    await check("a refused sign-in");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("WDJB-0001").waitFor();
    server.change({ signIn: null, account: { login: "octo" } });

    await page.getByRole("heading", { name: "Choose a repository" }).waitFor();
    await page.getByRole("button", { name: /acme\/prices/ }).waitFor();
    await check("the repositories");
    await page.getByLabel("Search").fill("nothing-like-it");
    await page.getByText("None that you may push to has this in its name.").waitFor();
    await page.getByLabel("Search").fill("shop");
    await page.getByRole("button", { name: "octo/shop" }).click();
    await page.getByLabel("Branch").selectOption("next");
    await check("the branches");
    server.refusals.set("POST /api/work/open", [409, "conflict", "The branch moved.", "Open it again."]);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("The branch moved.").waitFor();
    server.refusals.clear();
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByRole("heading", { name: "octo/shop" }).waitFor();
    await page.getByRole("link", { name: "a.ts" }).waitFor();
    assert.equal(server.work.open?.branch, "next");
    await check("the files");
  });

test("an opening shows how far it is", { skip }, async (t) => {
  const { open: _, ...rest } = openState;
  const opening = { repository: "octo/shop", branch: "main", files: 40, total: 120 };
  const { server, page, check } = await openPanelAt(t, { state: { ...rest, open: null, opening } });
  await page.getByText("40 of 120 files").waitFor();
  assert.equal(await page.getByRole("progressbar").getAttribute("value"), "40");
  await check("an opening");
  server.change({ opening: { ...opening, files: 0, total: null } });
  await page.getByText("Asking GitHub…").waitFor();
  server.change({ opening: { ...opening, bytes: 3_210_000, files: 0, total: null } });
  await page.getByText("3.2 MB read").waitFor();
  await check("an archive that comes");
  assert.equal(await page.getByRole("progressbar").getAttribute("value"), null);
});

test("a page of a sign-in elsewhere is no link", { skip }, async (t) => {
  const until = new Date(Date.now() + 900_000).toISOString();
  const waiting = (verificationUrl: string) =>
    ({ kind: "waiting", userCode: "WDJB-0001", verificationUrl, until }) as const;
  const state = { ...openState, open: null, account: null, signIn: waiting("https://github.com/login/device") };
  const { server, page } = await openPanelAt(t, { state });
  const link = page.getByRole("link", { name: "Open GitHub" });
  await link.waitFor(); // the control: that of the GitHub of the settings is one
  for (const elsewhere of [
    "https://github.com.evil.example/login/device",
    "https://github.com@evil.example/login/device",
    "http://github.com/login/device",
    "javascript:alert(1)",
    "https://someone@github.com/login/device",
  ]) {
    server.change({ signIn: waiting(elsewhere) });
    await page.getByText("It is not at the GitHub of your settings").waitFor();
    assert.equal(await link.count(), 0, elsewhere);
    server.change({ signIn: waiting("https://github.com/login/device") });
    await link.waitFor();
  }
});

test("without GitHub, in another window, and with a full storage the panel says so", { skip }, async (t) => {
  const { server, page, check } = await openPanelAt(t, { state: { ...openState, open: null } });
  server.refusals.set("GET /api/work/repositories", [
    502,
    "unreachable",
    "GitHub does not answer.",
    "Is there a network?",
  ]);
  await page.reload();
  await page.getByText("GitHub does not answer.").waitFor();
  await check("no GitHub");
  server.refusals.clear();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "octo/shop" }).waitFor();
  server.refusals.set("GET /api/work", [503, "held", "Another window has the gate."]);
  server.refusals.set("GET /api/events", [503, "held", "Another window has the gate."]);
  await page.reload();
  await page.getByRole("heading", { name: "In another window" }).waitFor();
  await check("another window");
  server.refusals.clear();
  await page.getByRole("button", { name: "octo/shop" }).waitFor();
  server.change({ ...openState, storage: { usedBytes: 1_950_000_000, quotaBytes: 2_000_000_000, isPersisted: false } });
  await page.getByText("The storage is nearly full.").waitFor();
  await check("a full storage");
  server.change({ storage: { usedBytes: 10, quotaBytes: null, isPersisted: true } });
  await page.getByText("The browser keeps it until you discard it.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Keep it" }).count(), 0);
});
