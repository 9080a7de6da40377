import assert from "node:assert/strict";
import test from "node:test";
import { type Asker, newAsker } from "../../fixtures/asking.ts";
import { runs } from "../../fixtures/runs.ts";
import { axeProblems, goTo, noBrowser, openPage, type Served, serveTo } from "../fixture.ts";
import { answerFromPage, waitingQuestion } from "../page-answer.ts";
import { fillRecord } from "./record.ts";

/** A record of days, one answer for the session and one for the project, and a refusal. */
async function busyRecord(asker: Asker, served: Served, t: test.TestContext): Promise<void> {
  const page = await openPage(t, served);
  for (const scope of ["session", "project"]) {
    const argv = ["/usr/bin/cat", "note", scope];
    const call = asker.begin(["call", "Exec", JSON.stringify({ argv, cwd: asker.outside }), "--session", scope]);
    await answerFromPage(page, await waitingQuestion(asker), { decision: "allow", scope });
    await call.done;
  }
  asker.run(["call", "Nope"]);
}

test(
  "every view is accessible and fits, light and dark, on a phone and on a wide screen",
  { skip: noBrowser },
  async (t) => {
    const asker = newAsker(t);
    fillRecord(asker, { entries: 600, from: Date.now() - 50 * 3_600_000, stepMs: 700_000 });
    const served = await serveTo(t, asker);
    await busyRecord(asker, served, t);
    const [denied] = JSON.parse(asker.run(["audit", "list", "--json", "--event", "denied", "--limit", "1"]).out) as {
      call_id: string;
    }[];
    const [answered] = JSON.parse(
      asker.run(["audit", "list", "--json", "--event", "answered", "--limit", "1"]).out,
    ) as {
      call_id: string;
    }[];
    const views = {
      "#/log": ".entry",
      "#/log?text=no-such-thing&since=24h": ".timeline .panel",
      [`#/call/${denied?.call_id}`]: ".chapter",
      [`#/call/${answered?.call_id}`]: ".chapter",
      "#/sessions": ".session",
      "#/machine": ".findings",
    };
    // Colours go by the scheme, places by the width: each of them once.
    for (const [scheme, width] of (
      [
        ["light", 360],
        ["dark", 1280],
        ["light", 2000],
      ] as const
    ).slice(0, runs(3, 2)))
      await t.test(`${scheme} at ${width}`, async () => {
        const page = await openPage(t, served, { width, scheme });
        for (const [hash, selector] of Object.entries(views)) {
          await goTo(page, hash);
          await page.locator(selector).first().waitFor();
          await page.locator("details").evaluateAll((all) => all.forEach((one) => one.setAttribute("open", "")));
          assert.deepEqual(await axeProblems(page), [], hash);
          assert.ok(
            Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0,
            `${hash} fits`,
          );
        }
        await goTo(page, "#/sessions");
        await page
          .getByRole("button", { name: /^Revoke/ })
          .first()
          .click();
        await page.getByRole("dialog").waitFor();
        assert.deepEqual(await axeProblems(page), [], "the dialog");
        await page.close();
      });
  },
);
