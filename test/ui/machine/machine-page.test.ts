import assert from "node:assert/strict";
import test from "node:test";
import { conclusion, heldWords, wordsOfFinding } from "../../../ui/machine/held-words.ts";
import { newAsker } from "../../fixtures/asking.ts";
import { noBrowser, openPage, serveTo } from "../fixture.ts";

interface Report {
  readonly machine: { readonly findings: readonly { name: string; held: "kernel" | "runtime" | "no"; how: string }[] };
  readonly configuration: {
    readonly project: string;
    readonly agents: readonly {
      name: string;
      tools: { name: string; granted: boolean }[];
      fs_grants: { path: string }[];
    }[];
  };
}

test("the page says what the doctor says", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  const report = JSON.parse(asker.run(["doctor", "--json"]).out) as Report;
  const page = await openPage(t, await serveTo(t, asker), { at: "#/machine" });
  const rows = page.locator(".findings > li");
  await rows.first().waitFor();
  const words = await rows.allInnerTexts();
  assert.equal(words.length, report.machine.findings.length);
  for (const [index, { name, held, how }] of report.machine.findings.entries())
    for (const part of [wordsOfFinding(name).label, heldWords[held].label, how])
      assert.ok(words[index]?.includes(part), `${name}: ${part}`);
  const main = await page.locator("main").innerText();
  assert.ok(main.includes(report.configuration.project));
  for (const { name, tools, fs_grants } of report.configuration.agents) {
    assert.ok(main.includes(`Agent ${name}`));
    for (const { path } of fs_grants) assert.ok(main.includes(path), path);
    const granted = await page.locator(".names:not(.is-quiet) li").allInnerTexts();
    assert.deepEqual(
      granted,
      tools.filter((tool) => tool.granted).map((tool) => tool.name),
    );
  }
});

test("how much is held is said as it is", () => {
  const held = (...all: ("kernel" | "runtime" | "no")[]) => conclusion(all.map((one) => ({ held: one })));
  assert.equal(held("kernel", "kernel"), "All 2 are held by the kernel.");
  assert.equal(held("kernel", "runtime"), "1 of 2 are held by the kernel.");
  assert.equal(held("kernel", "no", "no"), "1 of 3 are held by the kernel. 2 are not held at all.");
  assert.equal(held("runtime", "no"), "0 of 2 are held by the kernel. 1 is not held at all.");
  assert.deepEqual(wordsOfFinding("constructor"), { label: "constructor", about: "" });
});
