import assert from "node:assert/strict";
import { basename } from "node:path";
import test from "node:test";
import type { Question } from "../../src/approval/approver.ts";
import { pushQuestion, waitsIn } from "../fixtures/push-question.ts";
import { noBrowser, openPage, serve } from "./fixture.ts";
import { stageCommit } from "./waiting.ts";

const skip = noBrowser;

function otherQuestion(): Question {
  const question = pushQuestion([["b", null, "1\n"]], { branch: "side" });
  const action = { ...question.action, digest: "e".repeat(64) };
  return { ...question, id: "q-0000beef", askedAt: question.askedAt + 1, action };
}

test(
  "an empty queue says what will appear in it; a question appears by itself, is counted and announced",
  { skip },
  async (t) => {
    const served = await serve(t);
    const page = await openPage(t, served);
    await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
    assert.equal(await page.title(), "Queue · Sallyport");
    served.asker.begin(served.asker.call);
    const row = page.locator("a.queue-row");
    await row.waitFor();
    assert.match(await row.innerText(), /cat note[\s\S]*low risk[\s\S]*read .*outside[\s\S]*default[\s\S]*just now/);
    assert.equal(await page.title(), "(1) Queue · Sallyport");
    await page.locator("#announcer", { hasText: "A question waits." }).waitFor({ state: "attached" });
    assert.equal(await page.locator("#announcer").getAttribute("aria-live"), "polite");
  },
);

test(
  "a row says whose session asks and whether a call waits; when the caller is killed, an open page says so by itself",
  { skip },
  async (t) => {
    const served = await serve(t);
    const page = await openPage(t, served);
    const { asker } = served;
    const caller = asker.begin(asker.call);
    const row = page.locator("a.queue-row");
    await row.getByText("a call waits").waitFor();
    assert.match(await row.innerText(), new RegExp(`session default ${basename(asker.project)} [0-9a-f]{6}`));
    await row.click();
    await page.locator(".question-head").getByText("a call waits").waitFor();
    assert.match(await page.locator(".question-from").innerText(), / session default \S+ [0-9a-f]{6}$/);
    caller.kill();
    await page.locator(".question-head").getByText("no call waits").waitFor();
    await page.goBack();
    await row.getByText("no call waits").waitFor();
    // The control: another caller of the same waits for the same question.
    asker.begin(asker.call);
    await row.getByText("a call waits").waitFor();
  },
);

test(
  "a push shows its branch and what is grave about it; j, k and Enter move and open; Esc comes back to the same row",
  { skip },
  async (t) => {
    const served = await serve(t);
    await waitsIn(
      served.asker.state,
      pushQuestion([["a", null, "1\n"]], { branch: "main", isProtected: true, isNewBranch: true }),
    );
    await waitsIn(served.asker.state, otherQuestion());
    const page = await openPage(t, served);
    const rows = page.locator("a.queue-row");
    await rows.nth(1).waitFor();
    assert.match(
      await rows.first().innerText(),
      /branch main[\s\S]*high risk[\s\S]*protected branch[\s\S]*new branch[\s\S]*1 file/,
    );
    const focused = async () => (await page.evaluate("document.activeElement.getAttribute('href')")) as string | null;
    const moves: (string | null)[] = [];
    for (const key of ["j", "j", "j", "k", "ArrowDown"]) {
      await page.keyboard.press(key);
      moves.push(await focused());
    }
    const [first, second] = ["#/q/q-0000abcd", "#/q/q-0000beef"];
    assert.deepEqual(moves, [first, second, second, first, second]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "branch side" }).waitFor();
    await page.keyboard.press("Escape");
    await rows.nth(1).waitFor();
    assert.equal(await focused(), second);
  },
);

test("a staged commit that nobody has asked about stands below, and opens without answers", { skip }, async (t) => {
  const served = await serve(t);
  stageCommit(served.asker.state, "c-1", "A first draft\n\nMore of it.\n", "draft.md", "# Draft\n");
  const page = await openPage(t, served);
  await page.getByRole("link", { name: "A first draft" }).click();
  await page.getByRole("heading", { level: 1, name: "A first draft" }).waitFor();
  await page.getByText("More of it.").waitFor();
  await page.locator(".diff").getByText("# Draft").waitFor();
  assert.equal(await page.getByText("Your answer").count(), 0);
});

test("the help lists what each key does here, and closes with Esc", { skip }, async (t) => {
  const served = await serve(t);
  const page = await openPage(t, served);
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await help.waitFor();
  assert.match(await help.innerText(), /j\s+Next[\s\S]*Enter\s+Open[\s\S]*2\s+Changes\s+3\s+Log/);
  await page.keyboard.press("3");
  assert.match(page.url(), /#\/$/);
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("3");
  await page.waitForURL(/#\/log$/);
});
