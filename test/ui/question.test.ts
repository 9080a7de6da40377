import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { later, noBrowser, openPage, openQuestion, serve, type Served, untilArmed } from "./fixture.ts";
import { answerElsewhere } from "./waiting.ts";

const skip = noBrowser;

/** A real call that waits, and its question on the page. */
async function asked(t: TestContext): Promise<{ served: Served; page: Page; done: () => Promise<Reply> }> {
  const served = await serve(t);
  const page = await openPage(t, served);
  const { done } = served.asker.begin(served.asker.call);
  await openQuestion(page);
  return { served, page, done: async () => JSON.parse((await done).out) as Reply };
}

interface Reply {
  readonly ok: boolean;
  readonly error?: string;
  readonly message?: string;
  readonly result?: { readonly stdout: string };
}

test("the question is shown whole, and approved once: the call that waits goes on", { skip }, async (t) => {
  const { served, page, done } = await asked(t);
  const text = await page.locator("article.question").innerText();
  for (const part of ["low risk", "default asks", "no grant covers it", "/usr/bin/cat note", "network", "limits"])
    assert.ok(text.includes(part), part);
  assert.ok(
    text.includes(`{ decide: allow, effect: read, path: ${served.asker.outside} }`),
    "what a session remembers",
  );
  await page.getByRole("button", { name: "Approve once" }).click();
  assert.equal((await done()).result?.stdout, "from outside\n");
  await page.getByRole("heading", { name: "Approved once" }).waitFor();
  await page.waitForFunction("document.title === 'Question · Sallyport'"); // none waits any more
  const [answered] = served.asker.events("approval.answered");
  assert.match(String(answered?.outcome["who"]), /at the web page$/);
  await page.keyboard.press("Enter"); // the link back has the focus
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
});

test("rejected with a reason: the reply of the call carries it", { skip }, async (t) => {
  const { page, done } = await asked(t);
  await page.getByLabel("Or no, and why").fill("Use the copy in the project.");
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  const reply = await done();
  assert.deepEqual([reply.ok, reply.error], [false, "approval_denied"]);
  assert.match(reply.message ?? "", /Use the copy in the project\./);
  await page.getByRole("heading", { name: "Rejected" }).waitFor();
});

test("approved for the session: the same call is not asked about again", { skip }, async (t) => {
  const { served, page, done } = await asked(t);
  await page.getByRole("button", { name: "Approve for this session" }).click();
  assert.equal((await done()).ok, true);
  const again = await served.asker.begin(served.asker.call).done;
  assert.equal((JSON.parse(again.out) as Reply).ok, true);
  assert.equal(served.asker.events("approval.requested").length, 1);
});

test(
  "always: the rule is shown first, an edit that does not fit is refused below it, one that fits is kept",
  { skip },
  async (t) => {
    const { served, page, done } = await asked(t);
    const { outside, configFile } = served.asker;
    await page.getByRole("button", { name: "Always in this project…" }).click();
    const field = page.getByLabel("This rule is kept for agent default");
    assert.equal(await field.inputValue(), `{ decide: allow, effect: read, path: ${outside} }`);
    const keep = page.getByRole("button", { name: "Keep and approve" });
    await untilArmed(page);
    await field.fill("{ decide: allow, effect: read, path: /elsewhere }");
    await field.press("Control+Enter");
    await page.locator("#rules-problem", { hasText: "not about this call any more" }).waitFor();
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    const wider = `${dirname(outside)}/out*`;
    await field.fill(`{ decide: allow, effect: read, path: "${wider}" }`);
    await keep.click();
    assert.equal((await done()).ok, true);
    await page.getByRole("heading", { name: "Approved, always in this project" }).waitFor();
    const kept = readdirSync(dirname(configFile), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => readFileSync(join(dirname(configFile), name), "utf8"))
      .join("\n");
    assert.ok(kept.includes(wider), kept);
  },
);

test("Esc leaves the rule without an answer, and the keyboard alone is enough", { skip }, async (t) => {
  const served = await serve(t);
  const page = await openPage(t, served);
  const { done } = served.asker.begin(served.asker.call);
  await page.locator("a.queue-row").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Your answer" }).waitFor();
  await untilArmed(page);
  await page.keyboard.press("a");
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  await page.getByRole("heading", { name: "Always in this project" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "Your answer" }).waitFor();
  await untilArmed(page);
  await page.keyboard.press("r");
  await page.keyboard.type("not now");
  await page.keyboard.press("Enter");
  const reply = JSON.parse((await done).out) as Reply;
  assert.match(reply.message ?? "", /not now/);
});

test(
  "one key never says yes, and keys and clicks from before the question could be seen do not count",
  { skip },
  async (t) => {
    const served = await serve(t);
    const page = await openPage(t, served);
    const call = served.asker.begin(served.asker.call);
    await page.locator("a.queue-row").waitFor();
    // The moment the question is there, faster than anybody could read: the key, the click, Enter in the reason.
    await page.evaluate(`new MutationObserver((_, observer) => {
    const button = document.querySelector("[data-allow]");
    if (button === null) return;
    observer.disconnect();
    dispatchEvent(new KeyboardEvent("keydown", { key: "a" }));
    button.click();
    document.querySelector("#reason").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    document.documentElement.dataset.tried = "yes";
  }).observe(document, { childList: true, subtree: true })`);
    await page.locator("a.queue-row").click();
    await page.locator("[data-tried]").waitFor({ state: "attached" });
    await untilArmed(page);
    await page.keyboard.press("a");
    await later(page, 300);
    assert.equal(served.asker.events("approval.answered").length, 0);
    await page.keyboard.press("Enter"); // the control: on the button, and in time, it is an answer
    assert.equal((JSON.parse((await call.done).out) as Reply).ok, true);
    assert.equal(
      served.asker.events("approval.answered")[0]?.outcome["scope"],
      "session",
      "the first, as in the terminal",
    );
  },
);

test(
  "an answer's key is the terminal's: it brings the focus there; a word that is typed chooses nothing",
  { skip },
  async (t) => {
    const { served, page, done } = await asked(t);
    const focused = () => page.evaluate("document.activeElement?.dataset.answer ?? document.activeElement?.id ?? ''");
    for (const [key, answer] of [
      ["o", "allow-once"],
      ["s", "allow-session"],
      ["p", "allow-project"],
      ["e", "allow-everywhere"],
      ["a", "allow-session"], // the first that is offered here, as in the terminal
      ["n", "deny-once"],
      ["N", "deny-project"],
    ] as const) {
      await page.keyboard.press(key);
      assert.equal(await focused(), answer, key);
      await page.evaluate("document.activeElement.blur()");
    }
    for (const word of ["ls", "so", "cargo", "ps"]) {
      await page.keyboard.type(word, { delay: 30 });
      await page.getByText("is no answer").waitFor();
      await page.keyboard.press("Enter");
      await page.getByText("is no answer").waitFor({ state: "detached" });
    }
    await later(page, 300);
    assert.equal(served.asker.events("approval.answered").length, 0);
    await page.keyboard.press("o"); // the control
    await page.keyboard.press("Enter");
    assert.equal((await done()).ok, true);
    assert.equal(served.asker.events("approval.answered")[0]?.outcome["scope"], "once");
  },
);

test("answered elsewhere: the page says so and takes no answer any more", { skip }, async (t) => {
  const { served, page, done } = await asked(t);
  const id = served.asker.waiting()[0]?.id as string;
  await answerElsewhere(served.asker, id, { decision: "deny", reason: "I was quicker" });
  assert.equal((await done()).error, "approval_denied");
  await page.getByRole("heading", { name: /^(Answered elsewhere|Rejected)$/ }).waitFor();
  await page.getByText("This page has changed nothing.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Approve once" }).count(), 0);
  await page.reload();
  await page.getByText(/Answered elsewhere/).waitFor();
  assert.equal(served.asker.events("approval.answered").length, 1);
});

test(
  "a question that becomes another one says so, and the answer is for what is on the screen",
  { skip },
  async (t) => {
    const { served, page } = await asked(t);
    const id = served.asker.waiting()[0]?.id as string;
    await page.route(`**/api/questions/${id}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), digest: "another" } });
    });
    served.asker.begin([
      "call",
      "Exec",
      JSON.stringify({ argv: ["/usr/bin/head", "note"], cwd: served.asker.outside }),
    ]);
    await page.getByText("This question has changed").waitFor();
    await untilArmed(page);
    await page.getByRole("button", { name: "Approve once" }).click();
    await page.getByRole("alert").filter({ hasText: "for something else than this question" }).waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    assert.equal(served.asker.events("approval.answered").length, 0);
  },
);
