// Writes the pictures of the side panel at work in docs/screens: the built extension in a real browser, before a server that is like
// GitHub, with a scripted model. Addresses of this machine are replaced by GitHub's before a picture is taken.
//
//   npm run build:extension && node scripts/capture-work.ts

import { setTimeout as pause } from "node:timers/promises";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { openOwnGate } from "../test/extension/gate/open-gate.ts";
import { startChatServer } from "../test/extension/work/chat-server.ts";
import { approveHere, openRepository, setUp, signInByCode, stageAll } from "../test/extension/work/person.ts";
import { landFiles } from "../test/fixtures/github-files.ts";
import { withFixtures } from "../test/fixtures/script-context.ts";
import { goTo, untilArmed } from "../test/ui/fixture.ts";

const name = "octo/shop";
const files = {
  "src/total.py": `def total(orders):
    sum = 0
    for order in orders:
        sum += order["price"]
    return sum
`,
  "src/dates.py": `def day(text):
    return text[:10]
`,
  "test/test_total.py": `import unittest
from src.total import total

class Total(unittest.TestCase):
    def test_counts(self):
        self.assertEqual(total([{"price": 500, "count": 2}]), 1000)
`,
  "docs/prices.md": "# Prices\n\nPrices are in cents.\n",
};
const mended = files["src/total.py"].replace('order["price"]', 'order["price"] * order["count"]');
const moves = [
  { tool: "read_file", input: { path: "src/total.py" } },
  { tool: "Python", input: { code: "import unittest; unittest.main('test.test_total', exit=False)" } },
  { tool: "write_file", input: { path: "src/total.py", content: mended } },
  { tool: "Python", input: { code: "import unittest; unittest.main('test.test_total', exit=False)" } },
  "An order of three was charged once. total() now counts what was ordered, and its test passes.",
];

await withFixtures(capture);

async function capture(context: TestContext): Promise<void> {
  const gate = await openOwnGate(context, { repositories: ["shop"] });
  if (gate === null) throw new Error("emulate is not installed");
  const { panel, front, emulatorUrl } = gate;
  await landFiles(emulatorUrl, name, files);
  const model = await startChatServer(context, moves);
  await panel.setViewportSize({ width: 380, height: 690 });
  const shoot = async (picture: string, scheme: "light" | "dark" = "light", top?: string): Promise<void> => {
    await panel.emulateMedia({ colorScheme: scheme });
    for (const shown of [
      [front.url, "https://github.com"],
      ["/127.0.0.1/", "/github.com/"],
      ["noreply.127.0.0.1", "noreply.github.com"],
    ] as const)
      await panel.evaluate(replaceText, shown);
    await panel.evaluate(top === undefined ? "scrollTo(0, 0)" : scrollText(top));
    await pause(700);
    await panel.screenshot({
      path: fileURLToPath(new URL(`../docs/screens/work-${picture}.png`, import.meta.url)),
    });
  };
  await setUp(panel, { clientId: "Iv1.of-the-test", githubUrl: front.url, modelUrl: model.url, key: "sk-of-nobody" });
  await panel.getByRole("button", { name: "Sign in to GitHub" }).click();
  await panel.locator(".user-code").waitFor();
  await shoot("code");
  await panel.getByRole("button", { name: "Cancel" }).click();
  await signInByCode(panel);
  await openRepository(panel, name);
  await writeByHand(panel);
  await shoot("file", "dark");
  await goTo(panel, "#/agent");
  await panel.getByLabel("Task").fill("An order of three is charged once. Find out why, and mend it.");
  await panel.getByRole("button", { name: "Start" }).click();
  await panel.getByText("its test passes.").waitFor({ timeout: 120_000 });
  await panel.getByText("Working…").waitFor({ state: "detached" });
  await shoot("agent", "dark");
  await goTo(panel, "#/files");
  await panel.getByRole("link", { name: "total.py", exact: false }).first().waitFor();
  await shoot("files");
  await push(panel);
  await shoot("push");
  await shoot("push-diff", "dark", ".diff");
  await untilArmed(panel);
  await approveHere(panel);
  await panel.getByText("Pushed.").waitFor(); // the pictures are of a push that landed
}

async function writeByHand(panel: Page): Promise<void> {
  await panel.getByRole("link", { name: "prices.md" }).click();
  const field = panel.getByRole("textbox", { name: "Content" });
  await field.press("Control+End");
  await panel.keyboard.type("They are for one piece.\n");
  await panel.keyboard.press("Control+s");
  await panel.getByText("saved", { exact: true }).waitFor();
}

/** Until the question about the commit itself is there. */
async function push(panel: Page): Promise<void> {
  await goTo(panel, "#/draft");
  await panel.getByRole("heading", { name: "2 files" }).waitFor();
  await stageAll(panel, "Count what was ordered\n\nAn order of three was charged once.", "fix-total");
  await panel.locator(".diff").scrollIntoViewIfNeeded();
  await panel.locator(".diff-code").first().waitFor();
}

interface TextNode {
  data: string;
}

/** Runs in the panel. */
function replaceText([from, to]: readonly [string, string]): void {
  const { document } = globalThis as unknown as {
    document: { body: unknown; createTreeWalker(root: unknown, kinds: number): { nextNode(): TextNode | null } };
  };
  const texts = document.createTreeWalker(document.body, 4);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
    if (text.data.includes(from)) text.data = text.data.replaceAll(from, to);
}

function scrollText(selector: string): string {
  return `scrollBy({ top: document.querySelector("${selector}").getBoundingClientRect().top - document.querySelector(".header").offsetHeight - 8, behavior: "instant" })`;
}
