// A real project is tested inside: a package in TypeScript and one in Python are written into a workspace in memory, their
// tests run, a file is edited, the tests run again. Only what changed comes back, and nothing is on the disk.

import assert from "node:assert/strict";
import { readdirSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import test, { after } from "node:test";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { openScriptGate } from "../fixtures/script-gate.ts";

const directories = makeTestDirectories();
const node = dirname(realpathSync(process.execPath));
const tools = openScriptGate(directories, {
  paths: [
    { path: "/usr", mode: "r" },
    { path: node, mode: "r" },
  ],
  limits: { memory_mb: 1024 },
});
after(() => {
  tools.close();
  directories.remove();
});

const files: Readonly<Record<string, string>> = {
  "shop/package.json": '{ "name": "shop", "version": "1.0.0", "type": "module", "private": true }\n',
  "shop/src/price.ts": `export interface Item {
  readonly name: string;
  readonly cents: number;
}

export function total(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum - item.cents, 0);
}
`,
  "shop/test/price.test.ts": `import assert from "node:assert/strict";
import test from "node:test";
import { total } from "../src/price.ts";

test("a total is a sum", () => {
  assert.equal(total([{ name: "a", cents: 150 }, { name: "b", cents: 250 }]), 400);
});

test("nothing costs nothing", () => {
  assert.equal(total([]), 0);
});
`,
  "words/words/__init__.py": 'def count(text):\n    return len(text.split(" "))\n',
  "words/tests/__init__.py": "",
  "words/tests/test_words.py": `import unittest

from words import count


class WordsTest(unittest.TestCase):
    def test_words(self):
        self.assertEqual(count("a b c"), 3)

    def test_blanks(self):
        self.assertEqual(count("  a   b "), 2)
`,
};

const testShop = { script: `cd shop && ${node}/node --test 2>&1 | tail -60; exit "\${PIPESTATUS[0]}"`, timeout_s: 60 };
const testWords = { script: "cd words && PYTHONDONTWRITEBYTECODE=1 python3 -m unittest 2>&1", timeout_s: 60 };

async function run({ script, ...more }: { script: string; timeout_s: number }) {
  const result = await tools.ranBash(script, more);
  return { exitCode: result.exit_code, said: result.stdout + result.stderr, artifacts: result.artifacts };
}

test("a package in TypeScript and one in Python are written, tested, mended and tested again", async (t) => {
  await t.test("the files are written one by one", async () => {
    for (const [path, content] of Object.entries(files))
      assert.equal((await tools.done("write_file", { path, content }))["operation"], "create");
  });

  await t.test("their tests find what is wrong, and change nothing", async () => {
    const shop = await run(testShop);
    assert.deepEqual([shop.exitCode, shop.artifacts], [1, []], shop.said);
    assert.match(shop.said, /a total is a sum[^]*-400 !== 400|fail 1/);
    const words = await run(testWords);
    assert.deepEqual([words.exitCode, words.artifacts], [1, []], words.said);
    assert.match(words.said, /FAILED \(failures=1\)/);
  });

  await t.test("a file of each is edited", async () => {
    await tools.done("edit_file", {
      path: "shop/src/price.ts",
      old_text: "sum - item.cents",
      new_text: "sum + item.cents",
    });
    await tools.done("edit_file", {
      path: "words/words/__init__.py",
      old_text: 'text.split(" ")',
      new_text: "text.split()",
    });
  });

  await t.test("now they pass, and a report is all that comes back", async () => {
    const shop = await run({ ...testShop, script: testShop.script.replace("tail -60", "tee ../report.txt") });
    assert.equal(shop.exitCode, 0, shop.said);
    assert.match(shop.said, /pass 2/);
    assert.deepEqual(
      shop.artifacts.map(({ path, operation }) => `${operation} ${path}`),
      ["create /workspace/report.txt"],
    );
    const words = await run(testWords);
    assert.deepEqual([words.exitCode, words.artifacts], [0, []], words.said);
    assert.match(await tools.text("report.txt"), /pass 2/);
  });

  await t.test("the workspace holds the files, and the disk holds nothing", async () => {
    const { files: listed } = (await tools.done("list_files")) as { files: { path: string }[] };
    assert.deepEqual(
      listed.map(({ path }) => path.slice("/workspace/".length)),
      [...Object.keys(files), "report.txt"].sort(),
    );
    assert.deepEqual([readdirSync(directories.project), readdirSync(directories.root)], [[], []]);
  });
});
