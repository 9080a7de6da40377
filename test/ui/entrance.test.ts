import assert from "node:assert/strict";
import test from "node:test";
import { axeProblems, newPage, noBrowser, openPage, serve, serveTo } from "./fixture.ts";

const skip = noBrowser;

test(
  "a link opens one browser, once, and is nowhere in its history; without it the page shows nothing",
  { skip },
  async (t) => {
    const served = await serve(t);
    const page = await openPage(t, served);
    assert.equal(page.url(), `${served.url}/#/`);
    await page.goBack().catch(() => null);
    assert.doesNotMatch(page.url(), /enter/);
    const other = await newPage(t, { isOtherBrowser: true });
    await other.goto(served.link);
    await other.getByRole("heading", { name: "Open a new link" }).waitFor();
    assert.match(await other.getByRole("alert").innerText(), /^This link was used before\. If it was not you/);
    assert.doesNotMatch(other.url(), /enter/);
    await other.goto(`${served.url}/#/log`);
    await other.getByRole("heading", { name: "Open a new link" }).waitFor();
  },
);

test("a reload stays in; the link again does no harm, and is said to have been used", { skip }, async (t) => {
  const served = await serve(t);
  const page = await openPage(t, served);
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Queue" }).waitFor();
  assert.equal(await page.getByText("This link was used before.").count(), 0);
  await page.goto(served.link);
  await page.getByText("This link was used before.").waitFor();
  await page.getByRole("heading", { level: 1, name: "Queue" }).waitFor();
  assert.deepEqual(await axeProblems(page), []);
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.getByText("This link was used before.").waitFor({ state: "detached" });
  await page.goto(`${served.url}/#enter=of-another-server`);
  await page.getByText("This link is not of the server that runs here now.").waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Queue" }).waitFor();
});

test("a server that is gone is said; when another one answers, the page asks for its link", { skip }, async (t) => {
  const served = await serve(t);
  const page = await openPage(t, served);
  await page.getByText("Live", { exact: true }).waitFor();
  await served.stop();
  await page.getByText("Not connected. Trying again…").waitFor();
  const again = await serveTo(t, served.asker, new URL(served.url).port);
  assert.equal(again.url, served.url);
  await page.getByRole("heading", { name: "Open a new link" }).waitFor();
  await page.goto(again.link);
  await page.getByRole("heading", { level: 1, name: "Queue" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Queue" }).waitFor();
});
