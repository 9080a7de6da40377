// After the answer: the page says that the call goes on only where a call has the answer, and what holds where not.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { runner } from "../fixtures/cli.ts";
import { bare } from "../fixtures/run.ts";
import { axeProblems, noBrowser, openPage, openQuestion, serve } from "./fixture.ts";

const skip = noBrowser;
const mkfifo = (path: string) => void bare(["/usr/bin/mkfifo", path]);

interface Reply {
  readonly ok: boolean;
  readonly error?: string;
}

test("a call waits: once approved, it goes on, and the page says so", { skip }, async (t) => {
  const served = await serve(t);
  const page = await openPage(t, served);
  const { done } = served.asker.begin(served.asker.call);
  await openQuestion(page);
  await page.getByRole("button", { name: "Approve once" }).click();
  await page.getByText("The call goes on.").waitFor();
  assert.equal((JSON.parse((await done).out) as Reply).ok, true);
});

test(
  "what came of it is said live: nothing while it runs, then its exit code, with a link to the log",
  { skip },
  async (t) => {
    const served = await serve(t);
    const page = await openPage(t, served);
    const { outside, exec } = served.asker;
    mkfifo(join(outside, "pipe"));
    const { done } = served.asker.begin([...exec.slice(0, -1), "pipe"]); // it runs until somebody writes
    await openQuestion(page);
    await page.getByRole("button", { name: "Approve once" }).click();
    await page.getByText("It has not ended yet.").waitFor();
    writeFileSync(join(outside, "pipe"), "from outside\n");
    await page.getByText(/^It ran: exit 0 after /).waitFor();
    assert.equal((await done).out.includes("from outside"), true);
    assert.deepEqual(await axeProblems(page), []);
    await page.getByRole("link", { name: "Back to the queue" }).click(); // before the next question comes, which the link would lead to
    const failing = served.asker.begin([...exec.slice(0, -1), "none-of-this"]);
    await openQuestion(page);
    await page.getByRole("button", { name: "Approve once" }).click();
    await page.getByText(/^It ran: exit 1 after /).waitFor();
    await failing.done;
    await page.getByRole("link", { name: "The call in the log" }).click();
    await page
      .locator("h1")
      .getByText(/none-of-this|Call|Exec/)
      .first()
      .waitFor();
  },
);

test(
  "the call has ended: the page says so and until when the answer holds; and that it goes on once the same call has come",
  { skip },
  async (t) => {
    const served = await serve(t, "approvals: { mode: ask, timeout_s: 1 }\n");
    const page = await openPage(t, served);
    const first = JSON.parse((await served.asker.begin(served.asker.call).done).out) as Reply;
    assert.equal(first.error, "approval_timeout");
    await openQuestion(page);
    await page.getByRole("button", { name: "Approve once" }).click();
    await page.getByRole("heading", { name: "Approved once" }).waitFor();
    await page.getByText(/^The call has ended, and nothing was done\. The same call .* until .*\d\d/).waitFor();
    assert.equal(await page.getByText("The call goes on.").count(), 0);
    assert.deepEqual(await axeProblems(page), []);
    const again = JSON.parse((await served.asker.begin(served.asker.call).done).out) as Reply;
    assert.equal(again.ok, true);
    await page.getByText("The call goes on.").waitFor();
    assert.equal(await page.getByText("The call has ended").count(), 0);
  },
);

test("the caller cancels while the question is open: it is withdrawn, and the page says why", { skip }, async (t) => {
  const served = await serve(t);
  const page = await openPage(t, served);
  const { asker } = served;
  const caller = asker.begin(asker.call);
  await page.locator("a.queue-row").click();
  await page.getByRole("heading", { name: "Your answer" }).waitFor();
  await page.locator(".question-head").getByText("a call waits").waitFor();
  process.kill(caller.pid, "SIGINT");
  await page.getByRole("heading", { name: "Withdrawn" }).waitFor();
  await page.getByText("The call that asked was cancelled: nothing could pick an answer up.").waitFor();
  assert.match((await caller.done).out, /cancelled before anybody answered/);
});

test("whoever asked is killed while the question is open: it is gone, and counted no more", { skip }, async (t) => {
  const served = await serve(t);
  const page = await openPage(t, served);
  const { asker } = served;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [runner, "mcp"],
    env: asker.env,
    cwd: asker.project,
  });
  const client = new Client({ name: "killed", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(transport);
  t.after(() => client.close());
  const args = JSON.parse(asker.call[2] ?? "") as Record<string, unknown>;
  void client.callTool({ name: "Exec", arguments: args }).catch(() => undefined);
  await page.locator("a.queue-row").click();
  await page.getByRole("heading", { name: "Your answer" }).waitFor();
  assert.match(await page.title(), /^\(1\) /);
  process.kill(transport.pid as number, "SIGKILL");
  await page.getByRole("heading", { name: "Withdrawn" }).waitFor();
  await page.getByText("The session that asked has ended: nothing could pick an answer up.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Approve once" }).count(), 0);
  while ((await page.title()).startsWith("(")) await page.waitForTimeout(50);
});
