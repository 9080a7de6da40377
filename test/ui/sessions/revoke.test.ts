import assert from "node:assert/strict";
import test from "node:test";
import { newAsker } from "../../fixtures/asking.ts";
import { goTo, noBrowser, openPage, serveTo, untilArmed } from "../fixture.ts";
import { answerFromPage, waitingQuestion } from "../page-answer.ts";

for (const scope of ["session", "project", "everywhere"] as const)
  test(`an answer for ${scope}, once revoked, is asked about again`, { skip: noBrowser }, async (t) => {
    const asker = newAsker(t);
    const page = await openPage(t, await serveTo(t, asker));
    const first = asker.begin(asker.call);
    await answerFromPage(page, await waitingQuestion(asker), { decision: "allow", scope });
    assert.equal((await first.done).code, 0);
    assert.equal(asker.run(asker.call).code, 0, "the answer holds: the same call is not asked about");

    await goTo(page, "#/sessions");
    const list = page.getByRole("list", {
      name: scope === "session" ? "Granted in this session" : "Remembered beyond one session",
    });
    await list.getByText(asker.outside).waitFor();
    const revoke = list.getByRole("button", { name: /^Revoke/ });

    // By keyboard: changed one's mind first, then really.
    await revoke.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(asker.run(asker.call).code, 0, "nothing was taken back");
    await revoke.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await untilArmed(page);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Revoked. It counts from the next call on.").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Revoke/ }).count(), 0);

    const again = asker.begin(asker.call);
    const id = await waitingQuestion(asker);
    await answerFromPage(page, id, { decision: "deny", scope: "once" });
    assert.equal((await again.done).code, 1);
    assert.equal(asker.events("policy.changed").length, 2, "the record says that it was given and taken back");
  });

test("a session is shown with what it did, and leads to it in the log", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  asker.run(["call", "Exec", JSON.stringify({ argv: ["/bin/echo", "a"] }), "--session", "blue"]);
  asker.run(["call", "Nope", "--session", "blue"]);
  asker.run(["call", "Exec", JSON.stringify({ argv: ["/bin/echo", "b"] }), "--session", "green"]);
  const page = await openPage(t, await serveTo(t, asker), { at: "#/sessions" });
  const blue = page.locator(".session", { hasText: "blue" });
  assert.match((await blue.innerText()).replace(/\s+/g, " "), /blue agent default calls 2 refused 1 /);
  await blue.getByRole("link", { name: "1" }).click();
  await page.getByText("1 entry matches").waitFor();
  await page.getByText("tool_not_found").waitFor();
});
