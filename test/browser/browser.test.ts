// `sallyport/browser`, really bundled and really run where there is no node: in an empty context, and in a worker of
// Chromium. What it does there is what it does here, and what real git does.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { before } from "node:test";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import * as library from "../../src/browser.ts";
import { bareRepository, git } from "../git/publish/real-git.ts";
import { newPage, noBrowser } from "../ui/fixture.ts";
import { type BrowserBundle, bundleForBrowser } from "./bundle.ts";
import { type LibraryUse, useLibrary } from "./use-library.ts";

let bundle: BrowserBundle;
let here: LibraryUse;
before(async () => {
  [bundle, here] = await Promise.all([bundleForBrowser(), useLibrary(library)]);
});

/** What a browser and node have alike; timers as numbers, as a browser's are. */
const webGlobals = {
  TextEncoder,
  TextDecoder,
  URL,
  AbortController,
  AbortSignal,
  Blob,
  Response,
  CompressionStream,
  atob,
  btoa,
  performance,
  setTimeout: (work: () => void, ms: number) => Number(setTimeout(work, ms)),
  clearTimeout: (timer: number) => clearTimeout(timer),
};

/** Packs differ by who compressed them; what is in them must not. */
function withoutPack({ pack, ...rest }: LibraryUse): object {
  assert.ok(pack.length > 0);
  return rest;
}

function isWhatGitMakes({ tree, commit, pack }: LibraryUse): void {
  const repository = bareRepository("sha1");
  git(repository, ["index-pack", "--stdin", "--strict"], Buffer.from(pack, "base64"));
  assert.equal(git(repository, ["rev-parse", `${commit}^{tree}`]), tree);
  const work = mkdtempSync(join(tmpdir(), "sallyport-browser-"));
  try {
    const person = { NAME: "Ana", EMAIL: "ana@example.com", DATE: "1767312000 +0000" };
    const environment = Object.fromEntries(
      Object.entries(person).flatMap(([key, value]) => [
        [`GIT_AUTHOR_${key}`, value],
        [`GIT_COMMITTER_${key}`, value],
      ]),
    );
    writeFileSync(join(work, "main.ts"), "export const port = 8080;\n");
    writeFileSync(join(work, "notes.md"), "a line of some length\n".repeat(200));
    const blob = (name: string) => git(repository, ["hash-object", "-w", join(work, name)]);
    const index = ["src/main.ts", "release/notes.md"]
      .map((path) => `100644 ${blob(path.slice(path.indexOf("/") + 1))}\t${path}\n`)
      .join("");
    const own = { ...environment, GIT_INDEX_FILE: join(work, "index") };
    git(repository, ["update-index", "--add", "--index-info"], index, own);
    assert.equal(git(repository, ["write-tree"], "", own), tree);
    assert.equal(git(repository, ["commit-tree", tree, "-m", "From a page"], "", own), commit);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

test("one file without node, and without the machine's half of the gate", async (t) => {
  const machine = /^src\/(?:sandbox|config|install|mcp|web|cli|adapters)\//;
  assert.deepEqual(
    bundle.modules.filter((path) => machine.test(path)),
    [],
  );
  assert.ok(bundle.modules.includes("src/browser.ts"));
  const { code } = await bundleForBrowser(undefined, true);
  t.diagnostic(`${bundle.modules.length} modules, ${code.length} bytes, ${gzipSync(code).length} compressed`);
});

test("a bundle that needs node is an error", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-bundle-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const entry = join(directory, "entry.ts");
  writeFileSync(entry, 'export { readFileSync } from "node:fs";\n');
  await assert.rejects(bundleForBrowser(entry), /imports node:fs/);
});

test("tools, rules, questions and commits do here what they should", () => {
  const { replies, questions, scriptEffects } = here;
  const reply = (tool: string) => replies.filter((line) => line.startsWith(`${tool} `)).join("\n");
  assert.match(reply("write_file"), /"create".*\n.*"create".*\n.*"create".*\n.*"fs_denied"/);
  assert.match(reply("read_file"), /"AAECAw=="/);
  assert.match(reply("read_file"), /"invalid_args"/);
  assert.match(reply("search_files"), /port = 8080/);
  assert.match(reply("git_stage"), /"id":"c-1"/);
  assert.match(reply("git_diff"), /\+export const port = 8080;/);
  assert.match(reply("git_push"), /There are no targets here/);
  assert.match(reply("Bash"), /tool_not_found/);
  assert.deepEqual(questions, ["q-1: write_file /workspace/release/notes.md"]);
  assert.ok(scriptEffects.some((effect) => effect.includes("example.com")));
  isWhatGitMakes(here);
});

test("the bundle does the same in a context that has nothing of node", async () => {
  const context = createContext({ ...webGlobals });
  for (const name of ["process", "Buffer", "require", "setImmediate", "global", "fetch"])
    assert.equal(runInContext(`typeof ${name}`, context), "undefined", name);
  runInContext(`${bundle.code}; var useLibrary = ${useLibrary.toString()}`, context);
  const there = (await runInContext("useLibrary(sallyport).then(JSON.stringify)", context)) as string;
  const used = JSON.parse(there) as LibraryUse;
  assert.deepEqual(withoutPack(used), withoutPack(here));
  isWhatGitMakes(used);
});

test("the bundle does the same in a worker of Chromium", { skip: noBrowser }, async (t) => {
  const page = await newPage(t);
  const run = `useLibrary(sallyport).then((used) => postMessage({ used }), (error) => postMessage({ error: String(error?.stack ?? error) }));`;
  const script = `${bundle.code}\nconst useLibrary = ${useLibrary.toString()};\n${run}`;
  const { used, error } = await page.evaluate(
    (source) =>
      new Promise<{ used?: LibraryUse; error?: string }>((resolve) => {
        const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
        worker.addEventListener("message", ({ data }) => resolve(data as { used?: LibraryUse }));
        worker.addEventListener("error", ({ message }) => resolve({ error: message }));
      }),
    script,
  );
  assert.equal(error, undefined);
  assert.ok(used !== undefined);
  assert.deepEqual(withoutPack(used), withoutPack(here));
  isWhatGitMakes(used);
});
