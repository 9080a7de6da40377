// The README's blocks marked `<!-- run -->` are run, in order, in one project directory: shell with bash, TypeScript
// with node against the built package, as a user would have it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import test from "node:test";
import { type Block, markedBlocks, readDocument, root } from "./documents.ts";

interface Reader {
  readonly directory: string;
  run(block: Block): { readonly code: number | null; readonly output: string };
}

/** A person with an empty home, a project, and the package installed. */
function newReader(): Reader {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-readme-"));
  const [home, project, bin] = ["home", "project", "bin"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, bin, join(project, "node_modules")]) mkdirSync(path, { recursive: true });
  symlinkSync(join(root, "bin/sallyport.js"), join(bin, "sallyport"));
  symlinkSync(root, join(project, "node_modules/sallyport"));
  writeFileSync(join(project, "package.json"), '{ "type": "module", "private": true }\n');
  const env = {
    PATH: [bin, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    LANG: "C.UTF-8",
    NO_COLOR: "1",
  };
  const start = (command: string, args: string[]): ReturnType<Reader["run"]> => {
    const done = spawnSync(command, args, {
      cwd: project,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 60_000,
    });
    return { code: done.status, output: `${done.stdout}${done.stderr}` };
  };
  return {
    directory,
    run(block) {
      if (block.language === "sh") return start("bash", ["-euo", "pipefail", "-c", block.body]);
      const file = join(project, `block-${block.line}.ts`);
      writeFileSync(file, block.body);
      return start(process.execPath, [file]);
    },
  };
}

test("the README's marked blocks run", async (t) => {
  assert.ok(existsSync(join(root, "dist/bundle/main.cjs")), "dist/ is missing; run: npm run build");
  const blocks = markedBlocks(readDocument("README.md"));
  assert.ok(blocks.length > 0, "README.md has no block marked <!-- run -->");
  const reader = newReader();
  t.after(() => rmSync(reader.directory, { recursive: true, force: true }));
  for (const block of blocks) {
    await t.test(`line ${block.line}: ${block.body.split("\n", 1)[0]}`, () => {
      assert.match(block.language, /^(?:sh|ts)$/, "only sh and ts blocks can be run");
      const { code, output } = reader.run(block);
      assert.equal(code, 0, output);
    });
  }
});

test("a block that fails is seen, and so is the mark", (t) => {
  const reader = newReader();
  t.after(() => rmSync(reader.directory, { recursive: true, force: true }));
  const markdown =
    "<!-- run -->\n```sh\ntrue\nfalse\n```\n\n```sh\nexit 7\n```\n<!-- run -->\n```ts\nprocess.exit(3 as number);\n```\n";
  const blocks = markedBlocks(markdown);
  assert.deepEqual(
    blocks.map(({ language, line }) => [language, line]),
    [
      ["sh", 2],
      ["ts", 11],
    ],
  );
  assert.deepEqual(
    blocks.map((block) => reader.run(block).code),
    [1, 3],
  );
});
