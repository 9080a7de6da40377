// What a session that runs has reached, and what it waits for, on the page and in `sallyport changes list`.

import assert from "node:assert/strict";
import test from "node:test";
import { newAgentPerson } from "../../fixtures/agent-person.ts";
import { until } from "../../fixtures/run.ts";
import { noBrowser, openPage, serveTo } from "../fixture.ts";

test("hosts and questions of a running session appear while it runs", { skip: noBrowser }, async (t) => {
  const person = newAgentPerson(t, { "a.txt": "one\n" });
  const served = await serveTo(t, person);
  const page = await openPage(t, served, { at: "#/changes" });
  // The host is not found by reading the script, which would ask before the program starts.
  const script = "echo two > a.txt; name=nowhere; while :; do curl -s http://$name.example/; sleep 0.1; done";
  const child = person.start(["run", "--session", "live", "--", "bash", "-c", script]);
  t.after(() => child.kill("SIGTERM"));
  await page.getByRole("link", { name: /^live/ }).click();
  await page.getByRole("heading", { level: 1, name: "live" }).waitFor();
  await page.locator(".question-body").getByRole("heading", { name: "1 question waits" }).waitFor();
  const host = page.locator(".question-body li", { hasText: "nowhere.example:80" });
  await host.getByText("not let through: nobody answered in time").waitFor();
  let listed = "";
  await until("the list names both", () => {
    listed = person.run(["changes", "list"]).out;
    return listed.includes("live waits for an answer");
  });
  assert.match(listed, /^live was not let through to: nowhere\.example:80$/m);
  const { sessions } = JSON.parse(person.run(["changes", "list", "--json"]).out) as {
    sessions: { session: string; hosts: unknown }[];
  };
  assert.deepEqual(
    sessions.map(({ session, hosts }) => [session, hosts]),
    [["live", [{ host: "nowhere.example:80", decision: "ask" }]]],
  );

  await page.locator(".question-body a.queue-row").first().click();
  await page.getByRole("button", { name: /^Reject/ }).waitFor();
});
