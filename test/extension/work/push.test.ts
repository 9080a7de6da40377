// The way out: the draft's diff, a commit of it, the question, and what came of it. And the agent beside it.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Question } from "../../../src/approval/approver.ts";
import { pushQuestion } from "../../fixtures/push-question.ts";
import { goTo, noBrowser, untilArmed } from "../../ui/fixture.ts";
import { clickByScript } from "../panel-checks.ts";
import { type OpenPanel, openPanelAt, type PanelOptions } from "./panel.ts";
import { openState } from "./work-server.ts";

const skip = noBrowser;
const commit = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d";

async function openChanged(t: TestContext, options: PanelOptions = {}): Promise<OpenPanel> {
  const opened = await openPanelAt(t, {
    files: { "src/total.ts": "let sum = 0;\nreturn sum;\n", "b.ts": "1\n" },
    ...options,
  });
  opened.server.write("src/total.ts", "let sum = 0;\nsum += 1;\nreturn sum;\n");
  opened.server.write("notes.md", "# Notes\n");
  await opened.page.getByRole("link", { name: /^Changes/ }).click();
  await opened.page.getByRole("heading", { name: "2 files" }).waitFor();
  return opened;
}

async function begin({ page }: OpenPanel, message: string, branch?: string): Promise<void> {
  await page.getByRole("button", { name: "Push…" }).click();
  await page.getByLabel("Message").fill(message);
  if (branch !== undefined) await page.getByLabel("Branch").fill(branch);
  await page.getByRole("button", { name: "Stage and push" }).click();
  await page.getByRole("heading", { name: "Your answer" }).waitFor();
}

/** Below the header, and not below the screen. */
const isOnScreen = (selector: string): boolean => {
  const { document, innerHeight } = globalThis as unknown as {
    innerHeight: number;
    document: { querySelector(text: string): { getBoundingClientRect(): { top: number; bottom: number } } };
  };
  const { top } = document.querySelector(selector).getBoundingClientRect();
  return top >= document.querySelector("header").getBoundingClientRect().bottom && top < innerHeight;
};

for (const [scheme, width] of [
  ["light", 320],
  ["dark", 400],
] as const)
  test(`a draft is read, staged, asked about and pushed: ${scheme}, ${width} px`, { skip }, async (t) => {
    const opened = await openChanged(t, { scheme, width });
    const { server, page, check } = opened;
    await page.locator(".diff").scrollIntoViewIfNeeded();
    await page.locator(".diff-code").first().waitFor();
    await check("the diff of a draft");
    await page.getByRole("button", { name: "Push…" }).click();
    await page.locator("summary:not(.panel-title)", { hasText: "2 of 2 files" }).click();
    await page.getByRole("checkbox", { name: "notes.md" }).uncheck();
    await page.locator("summary:not(.panel-title)", { hasText: "1 of 2 files" }).waitFor();
    await check("the form");
    await page.getByRole("button", { name: "Cancel" }).click();

    await begin(opened, "Count one more", "fix-total");
    assert.deepEqual(server.asked, [
      'POST /api/work/call git_stage {"files":["notes.md","src/total.ts"],"message":"Count one more"}',
      'POST /api/work/call git_push {"commitId":"c-1","target":{"type":"github","repo":"octo/shop","branch":"fix-total"}}',
    ]);
    await page.locator(".diff").scrollIntoViewIfNeeded();
    await page.locator(".diff-code").first().waitFor();
    await check("the question");
    await untilArmed(page);
    await clickByScript(page);
    assert.equal(server.asked.length, 2, "a script's click answers nothing");
    // It goes on while the person looks at other views.
    await goTo(page, "#/files");
    await page.getByRole("link", { name: "total.ts" }).waitFor();
    await goTo(page, "#/draft");
    await page.getByRole("heading", { name: "Your answer" }).waitFor();
    await untilArmed(page);
    await page.getByRole("button", { name: /Approve once/ }).click();
    await page.getByText("Pushed.").waitFor();
    await check("what came of it");
    assert.deepEqual(await page.evaluate("[...document.querySelectorAll('.push-end a')].map(({ href }) => href)"), [
      "https://github.com/octo/shop/tree/fix-total",
      `https://github.com/octo/shop/commit/${commit}`,
      "https://github.com/octo/shop/tree/fix-total",
    ]);
  });

test("a no pushes nothing; what failed can be tried again or given up", { skip }, async (t) => {
  const opened = await openChanged(t, { height: 600 });
  const { server, page, check } = opened;
  await begin(opened, "No");
  await untilArmed(page);
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await page.getByText("You said no, so nothing was pushed.").waitFor();
  assert.ok(await page.evaluate(isOnScreen, ".push-end"), "what came of it is on the screen");
  assert.match(server.asked.at(-1) ?? "", /git_discard \{"commitId":"c-1"\}/, "and nothing stays staged");
  await check("a no");
  await page.getByRole("button", { name: "Close" }).click();
  server.refusals.set("POST /api/work/call", [502, "unreachable", "GitHub does not answer.", "Is there a network?"]);
  await page.getByRole("button", { name: "Push…" }).click();
  await page.getByLabel("Message").fill("Again");
  await page.getByRole("button", { name: "Stage and push" }).click();
  await page.getByText("It was not pushed.").waitFor();
  await check("a failure");
  server.refusals.clear();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Your answer" }).waitFor();
  await untilArmed(page);
  await page.getByRole("button", { name: /Approve once/ }).click();
  await page.getByText("Pushed.").waitFor();
});

test("nothing pushed: a draft without changes", { skip }, async (t) => {
  const { page, check } = await openPanelAt(t, { files: { "a.ts": "1\n" } });
  await goTo(page, "#/draft");
  await page.getByText("Nothing differs from the commit that you opened.").waitFor();
  await check("no changes");
});

test("the agent gets a task, shows what it does, asks, and is stopped", { skip }, async (t) => {
  const { server, page, check } = await openPanelAt(t, { files: { "a.ts": "1\n" }, width: 400 });
  await page.getByRole("link", { name: "Agent" }).click();
  await page.getByLabel("Task").fill("Fix the test");
  await check("no task");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByText("Working…").waitFor();
  const hostile = "done\u202e\u001b[2J<img src=x onerror=alert(1)>";
  server.change({
    agent: {
      isRunning: true,
      problem: null,
      lines: [
        { kind: "task", text: "Fix the test" },
        { kind: "text", text: hostile },
        { kind: "call", tool: "Bash", summary: `ls ${hostile}`, ok: true },
        { kind: "call", tool: "write_file", summary: "a.ts", ok: false },
        { kind: "call", tool: "git_push", summary: "c-1 to octo/shop", ok: null },
      ],
    },
  });
  server.ask({ ...pushQuestion([["a.ts", "1\n", "2\n"]]), id: "q-agent" } as Question);
  await page.getByRole("heading", { name: "A question waits for you" }).waitFor();
  const text = await page.locator(".agent-lines").innerText();
  assert.match(text, /done\\u\{202e\}\\x1b\[2J<img src=x/);
  assert.equal(await page.locator("main img").count(), 0);
  await check("at work");
  await page.locator("a.queue-row").click();
  await page.getByRole("heading", { name: "Your answer" }).waitFor();
  await goTo(page, "#/agent");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Working…").waitFor({ state: "detached" });
  server.change({ agent: { isRunning: false, problem: "The model answered 401: is the key right?", lines: [] } });
  await page.getByText("The model answered 401").waitFor();
  await check("stopped");
  server.change({ settings: { ...openState.settings, model: null } });
  await page.getByText("An agent needs a model.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Start" }).isDisabled(), true);
  await check("without a model");
});
