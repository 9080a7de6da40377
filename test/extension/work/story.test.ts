// A person with nothing installed mends a repository of GitHub: signs in, opens it, edits by hand and with an agent, reviews and pushes.
// All in the built extension, in real Chromium, by real clicks and keys, with its own gate, box and storage.

import assert from "node:assert/strict";
import test from "node:test";
import { goTo, untilArmed } from "../../ui/fixture.ts";
import { noExtension } from "../browser.ts";
import { openOwnGate, token } from "../gate/open-gate.ts";
import { runInPage } from "../in-page.ts";
import { checkPanel, clickByScript } from "../panel-checks.ts";
import { startChatServer } from "./chat-server.ts";
import { approveHere, commitAt, contentAt, openRepository, setUp, signInByCode, stageAll } from "./person.ts";

const key = "sk-of-nobody-0123456789";

test("a repository is mended from the side panel alone", { skip: noExtension }, async (t) => {
  const gate = await openOwnGate(t);
  if (gate === null) return;
  const { panel, front } = gate;
  const model = await startChatServer(t, [
    { tool: "write_file", input: { path: "dates.py", content: "def day(text):\n    return text[:10]\n" } },
    { tool: "Python", input: { code: "import dates\nprint(dates.day('2026-11-19T02:00'))" } },
    "I wrote dates.py, and tried it.",
  ]);
  const check = (what: string) => checkPanel(panel, what);
  await panel.setViewportSize({ width: 320, height: 800 });
  await setUp(panel, { clientId: "Iv1.of-the-test", githubUrl: front.url, modelUrl: model.url, key });
  await signInByCode(panel);
  await openRepository(panel, "octo/r0");
  await check("the files");

  await t.test("by hand", async () => {
    await panel.getByRole("link", { name: "README.md" }).click();
    const field = panel.getByRole("textbox", { name: "Content" });
    await field.press("Control+End");
    await panel.keyboard.type("Mended.\n");
    await panel.keyboard.press("Control+s");
    await panel.getByText("saved", { exact: true }).waitFor();
    await check("the editor");
  });

  await t.test("searched and run by hand, in the box", async () => {
    await goTo(panel, "#/files");
    await panel.getByRole("link", { name: "Search in files" }).click();
    await panel.getByLabel("Search for").fill("MENDED.");
    await panel.getByLabel("In files").fill("*.md");
    await panel.keyboard.press("Enter");
    await panel.getByText("1 line in 1 file.").waitFor();
    await check("what was found");
    await panel.locator(".found-line").click();
    await panel.getByRole("textbox", { name: "Content" }).waitFor();
    const line = await runInPage<string>(
      panel,
      "(({ value, selectionStart }) => value.slice(selectionStart))(document.activeElement)",
    );
    assert.equal(line, "Mended.\n", "the caret is in the line that was found");
    await goTo(panel, "#/run");
    const run = async (program: string) => {
      await panel.getByLabel("Program").fill(program);
      await panel.keyboard.press("Control+Enter");
      await panel.getByText(/^Exit code 0, after/).waitFor({ timeout: 120_000 });
    };
    await run("grep -c Mended README.md");
    assert.equal(await panel.getByRole("group", { name: "Output" }).innerText(), "1\n");
    await panel.getByLabel("Language").selectOption("Python");
    await run("open('made.txt', 'w').write('made')");
    await panel.getByRole("link", { name: "made.txt" }).waitFor();
    await check("what ran");
    await panel.getByLabel("Language").selectOption("Bash");
    await run("rm made.txt; echo gone");
    await panel.getByText("gone", { exact: true }).waitFor();
    // The gate judges what a person runs, too.
    await panel.getByLabel("Program").fill("curl https://example.com");
    await panel.getByRole("button", { name: "Run" }).click();
    await panel.getByText("programs in a browser's box have no network").first().waitFor();
    await check("a refused run");
  });

  await t.test("with an agent, whose programs run in the box", async () => {
    await panel.getByRole("link", { name: "Agent" }).click();
    await panel.getByLabel("Task").fill("Write a function for the day of a date");
    await panel.getByRole("button", { name: "Start" }).click();
    await panel.getByText("I wrote dates.py, and tried it.").waitFor({ timeout: 120_000 });
    await panel.getByText("Working…").waitFor({ state: "detached" });
    assert.equal(await panel.locator(".agent-line.is-call .agent-mark.is-bad").count(), 0);
    assert.deepEqual([...new Set(model.keys)], [`Bearer ${key}`]);
    assert.ok(model.tools.includes("git_push") && model.tools.includes("Python"), model.tools.join(" "));
    await check("the agent");
  });

  await t.test("out as a branch, under the commit that was reviewed", async () => {
    await goTo(panel, "#/draft");
    await panel.getByRole("heading", { name: "2 files" }).waitFor();
    await panel.locator(".diff").scrollIntoViewIfNeeded();
    await panel.getByText("+ ", { exact: false }).first().waitFor();
    await check("the diff");
    await stageAll(panel, "Not yet", "mend-dates");
    await check("the question");
    await untilArmed(panel);
    await panel.getByRole("button", { name: "Reject", exact: true }).click();
    await panel.getByText("You said no, so nothing was pushed.").waitFor();
    await check("a no");
    const branches = await fetch(`${gate.emulatorUrl}/repos/octo/r0/branches`);
    const names = ((await branches.json()) as { readonly name: string }[]).map(({ name }) => name);
    assert.deepEqual(names, ["main"], "after a no nothing has left");
    await panel.getByRole("button", { name: "Close" }).click();
    await stageAll(panel, "Mend the dates", "mend-dates");
    await untilArmed(panel);
    await clickByScript(panel);
    assert.equal(
      (await gate.ask<{ questions: unknown[] }>("GET", "/api/queue")).body.questions.length,
      1,
      "a script answers nothing",
    );
    await approveHere(panel);
    await panel.getByText("Pushed.").waitFor();
    await check("what came of it");
    const pushed = await commitAt(gate, "mend-dates");
    const links = await runInPage<string[]>(
      panel,
      "[...document.querySelectorAll('.push-end a')].map(({ href }) => href)",
    );
    assert.ok(links.includes(`${front.url}/octo/r0/commit/${pushed.sha}`), links.join(" "));
    assert.match(pushed.message, /^Mend the dates\n/);
    assert.match(await contentAt(gate, "mend-dates", "README.md"), /Mended\.\n$/);
    assert.match(await contentAt(gate, "mend-dates", "dates.py"), /text\[:10\]/);
  });

  await t.test("the panel is closed and opened again: the draft is there, and no secret on the disk", async () => {
    await panel.reload();
    await goTo(panel, "#/files");
    await panel.getByRole("heading", { name: "octo/r0" }).waitFor();
    await panel.getByRole("link", { name: "dates.py" }).waitFor();
    const local = await runInPage<string>(
      panel,
      "JSON.stringify([{ ...localStorage }, await chrome.storage.local.get(null)])",
    );
    for (const secret of [token, key]) assert.ok(!local.includes(secret));
    await panel.getByRole("link", { name: "Settings" }).click();
    await panel.getByText("Signed in as").waitFor();
    assert.equal(await panel.getByLabel("Another key").inputValue(), "", "a key comes in, and never out again");
    await check("the settings");
  });
});
