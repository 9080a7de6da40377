// Every view of the place for working, as axe sees it, in both schemes and widths: nothing found, and nothing wider than the panel.
// What the views do is in the other tests.

import assert from "node:assert/strict";
import test from "node:test";
import type { Question } from "../../../src/approval/approver.ts";
import { pushQuestion } from "../../fixtures/push-question.ts";
import { goTo, noBrowser, untilArmed } from "../../ui/fixture.ts";
import { type OpenPanel, openPanelAt } from "./panel.ts";
import { firstState, openState } from "./work-server.ts";

const files = {
  "src/total.ts": "let sum = 0;\nreturn sum;\n",
  "b.ts": "1\n",
  "docs/a-rather-long-name-of-a-file-that-does-not-fit-into-one-line.md": "# A file\n",
  "mixed.txt": "a\r\nb\n",
  "picture.png": "\0",
};

for (const [scheme, width] of [
  ["light", 320],
  ["dark", 400],
] as const) {
  const views = `${scheme}, ${width} px`;

  test(`before there is a draft: ${views}`, { skip: noBrowser }, async (t) => {
    const { server, page, check } = await openPanelAt(t, { state: firstState, scheme, width, files });
    await page.getByRole("heading", { name: "Work on a repository here" }).waitFor();
    await check("nothing configured");
    await page.getByLabel("Provider").selectOption("anthropic");
    await page.getByLabel("Client id").fill("Iv1.of-nobody");
    await page.getByLabel("Model").fill("small");
    await page.getByLabel("Address", { exact: true }).fill("ftp://models.example");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("This is not the address of a model.").waitFor();
    await check("wrong settings");
    server.change({ ...openState, account: null, open: null });
    await page.getByRole("button", { name: "Sign in to GitHub" }).click();
    await page.getByText("WDJB-0001").waitFor();
    await check("the code");
    server.change({ signIn: { kind: "refused", message: "You said no on GitHub's page.", hint: "Ask again." } });
    await page.getByText("You said no on GitHub's page.").waitFor();
    await check("a refused sign-in");
    server.change({ signIn: null, account: { login: "octo" } });
    await page.getByRole("button", { name: /acme\/prices/ }).waitFor();
    await check("the repositories");
    await page.getByRole("button", { name: "octo/shop" }).click();
    await page.getByLabel("Branch").waitFor();
    await check("the branches");
    server.change({ opening: { repository: "octo/shop", branch: "main", files: 40, total: 120 } });
    server.ask({ ...pushQuestion([["b.ts", "1\n", "2\n"]]), id: "q-open" } as Question);
    await page.getByText("40 of 120 files").waitFor();
    await check("an opening");
    server.refusals.set("GET /api/work", [503, "held", "Another window has the gate."]);
    server.refusals.set("GET /api/events", [503, "held", "Another window has the gate."]);
    await page.reload();
    await page.getByRole("heading", { name: "In another window" }).waitFor();
    await check("another window");
  });

  test(`files and the editor: ${views}`, { skip: noBrowser }, async (t) => {
    const { server, page, check } = await openPanelAt(t, { scheme, width, files });
    server.write("notes.md", "# Notes\n");
    server.write("b.ts", null);
    server.change({ storage: { usedBytes: 1_950_000_000, quotaBytes: 2_000_000_000, isPersisted: false } });
    await page.getByRole("link", { name: "notes.md" }).waitFor();
    await page.getByRole("button", { name: "New file…" }).click();
    await check("the files, and a new one");
    await page.getByRole("button", { name: "Discard…" }).click();
    await page.getByRole("dialog").waitFor();
    await check("discarding");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "total.ts" }).click();
    const content = page.getByRole("textbox", { name: "Content" });
    await content.fill("let sum = \u202e0;\n");
    await check("hidden characters");
    server.write("src/total.ts", "let sum = 1;\n");
    await page.getByText("This file was changed").waitFor();
    await check("a file that was changed meanwhile");
    await page.getByRole("button", { name: "Take back" }).click();
    await page.getByRole("dialog").waitFor();
    await check("taking back");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("dialog").waitFor();
    await check("deleting");
    await page.keyboard.press("Escape");
    await goTo(page, "#/file/mixed.txt");
    await page.getByText("The lines of this file end in different ways").waitFor();
    await check("mixed line ends");
    await goTo(page, "#/file/picture.png");
    await page.getByText("This file is not text").waitFor();
    await check("a file that is not text");
  });

  test(`searching and running by hand: ${views}`, { skip: noBrowser }, async (t) => {
    const { server, page, check } = await openPanelAt(t, { scheme, width, files });
    await page.getByRole("link", { name: "Search in files" }).click();
    await page.getByLabel("Search for").fill("sum");
    await check("nothing searched");
    const found = [1, 2].map((line) => ({ path: "/workspace/src/total.ts", line, text: `  sum ${"+ 1 ".repeat(20)}` }));
    const long = { path: "/workspace/docs/a-rather-long-name-of-a-file-that-does-not-fit.md", line: 12, text: "sum" };
    server.results.set("search_files", { matches: [...found, long], more: true, stopped: "limit", ignored: 3 });
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("3 lines in 2 files.").waitFor();
    await check("what was found");
    server.refusals.set("POST /api/work/call", [400, "invalid_args", "pattern: a bracket is not closed."]);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("a bracket is not closed").waitFor();
    await check("a wrong pattern");
    server.refusals.clear();
    await goTo(page, "#/run");
    await page.getByLabel("Program").fill("make");
    await check("a program");
    server.results.set("Bash", {
      exit_code: 2,
      duration_s: 1.25,
      stdout: `${"one long line ".repeat(30)}\n\u001b[2J`,
      stderr: "make: not found\n",
      stdout_truncated: true,
      hint: "There is no make in a browser.",
      artifacts: [
        { path: "/workspace/b.ts", operation: "update", size: 2 },
        { path: "/workspace/mixed.txt", operation: "delete", size: 0 },
      ],
      not_kept: [{ path: "/workspace/pipe", reason: "it is no file" }],
    });
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("Exit code 2, after 1.25 s").waitFor();
    await check("what it printed");
    server.refusals.set("POST /api/work/call", [409, "fs_denied", "A rule forbids it.", "Ask a person."]);
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("A rule forbids it.").waitFor();
    await check("a refused run");
  });

  test(`changes and the push: ${views}`, { skip: noBrowser }, async (t) => {
    const panel = await openPanelAt(t, { scheme, width, files });
    const { server, page, check } = panel;
    await goTo(page, "#/draft");
    await page.getByText("Nothing differs from the commit").waitFor();
    await check("no changes");
    server.write("src/total.ts", "let sum = 0;\nsum += 1;\nreturn sum;\n");
    server.write("b.ts", null);
    await page.getByRole("heading", { name: "2 files" }).waitFor();
    await page.locator(".diff").scrollIntoViewIfNeeded();
    await page.locator(".diff-code").first().waitFor();
    await check("the diff");
    await page.getByRole("button", { name: "Push…" }).click();
    await page.locator("summary:not(.panel-title)", { hasText: "2 of 2 files" }).click();
    await check("the form");
    await stage(panel);
    await page.getByRole("heading", { name: "Your answer" }).waitFor();
    await check("the question");
    await untilArmed(page);
    await page.getByRole("button", { name: "Reject", exact: true }).click();
    await page.getByText("You said no, so nothing was pushed.").waitFor();
    await check("a no");
    await page.getByRole("button", { name: "Close" }).click();
    server.refusals.set("POST /api/work/call", [502, "unreachable", "GitHub does not answer.", "Is there a network?"]);
    await page.getByRole("button", { name: "Push…" }).click();
    await stage(panel);
    await page.getByText("It was not pushed.").waitFor();
    await check("a failure");
    server.refusals.clear();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Your answer" }).waitFor();
    await untilArmed(page);
    await page.getByRole("button", { name: /Approve once/ }).click();
    await page.getByText("Pushed.").waitFor();
    await check("what came of it");
  });

  test(`the agent, the settings and what the page has too: ${views}`, { skip: noBrowser }, async (t) => {
    const { server, page, check } = await openPanelAt(t, { scheme, width, files });
    await goTo(page, "#/agent");
    await page.getByLabel("Task").waitFor();
    await check("no task");
    const lines = [
      { kind: "task", text: "Fix the test" },
      { kind: "text", text: "I look at it first." },
      { kind: "call", tool: "Bash", summary: "grep -rn total src | sort | uniq -c | sort -rn | head", ok: true },
      { kind: "call", tool: "write_file", summary: "a.ts", ok: false },
      { kind: "call", tool: "git_push", summary: "c-1", ok: null },
    ] as const;
    server.change({ agent: { isRunning: true, problem: null, lines } });
    server.ask({ ...pushQuestion([["b.ts", "1\n", "2\n"]]), id: "q-agent" } as Question);
    await page.getByRole("heading", { name: "A question waits for you" }).waitFor();
    await check("at work, with a question");
    server.change({ agent: { isRunning: false, problem: "The model answered 401.", lines } });
    await page.getByText("The model answered 401.").waitFor();
    await check("stopped");
    server.change({ settings: { ...openState.settings, model: null } });
    await page.getByText("An agent needs a model.").waitFor();
    await check("without a model");
    await goTo(page, "#/settings");
    await page.getByRole("heading", { name: "Storage" }).waitFor();
    await check("the settings");
    await goTo(page, "#/");
    await page.locator("a.queue-row").waitFor();
    await check("the queue");
    await page.locator("a.queue-row").click();
    await page.getByRole("heading", { name: "Your answer" }).waitFor();
    await check("a question");
    await goTo(page, "#/log");
    await page.getByText("Nothing has happened yet.").waitFor();
    await check("the log");
    await goTo(page, "#/no-such-view");
    await page.getByRole("heading", { name: "There is nothing here" }).waitFor();
    await check("no view");
  });
}

async function stage({ page }: OpenPanel): Promise<void> {
  await page.getByLabel("Message").fill("Count one more");
  await page.getByRole("button", { name: "Stage and push" }).click();
}

test("axe sees what is wrong in a view of the panel", { skip: noBrowser }, async (t) => {
  const { page, check } = await openPanelAt(t, { files });
  await page.getByRole("link", { name: "b.ts" }).waitFor();
  await check("the control");
  await page.evaluate("document.querySelector('h1').style.color = '#ddd'");
  await assert.rejects(check("a colour that is too light"), /color-contrast/);
});
