import assert from "node:assert/strict";
import { test } from "node:test";
import { parseGlob } from "../../src/shared/glob.ts";
import { createMemoryWorkspace } from "../../src/workspace/memory.ts";
import { type SearchOptions, searchFiles } from "../../src/workspace/search.ts";
import type { Change } from "../../src/workspace/workspace.ts";
import { link, pathOf, refusalOf, valueOf, write } from "../contracts/workspace.ts";

async function search(changes: readonly Change[], pattern: string, options?: SearchOptions) {
  const workspace = createMemoryWorkspace();
  valueOf(await workspace.apply(changes));
  return valueOf(await searchFiles(workspace, pattern, options));
}

const lines = ({ matches }: Awaited<ReturnType<typeof search>>) =>
  matches.map(({ path, line, text }) => `${path}:${line}:${text}`);

test("lines are found with their place, in the order of paths", async () => {
  const files = [
    write("b.ts", "one\ntwo\r\n\nthree two\n"),
    write("a/x.md", "two"),
    link("l", "b.ts"),
    write("n", "none"),
  ];
  assert.deepEqual(lines(await search(files, "two$")), ["a/x.md:1:two", "b.ts:2:two", "b.ts:4:three two"]);
  assert.deepEqual(lines(await search(files, "two", { under: pathOf("a") })), ["a/x.md:1:two"]);
  assert.deepEqual(lines(await search(files, "two", { under: pathOf("a/x.md") })), ["a/x.md:1:two"], "one file");
  const glob = valueOf(parseGlob("*.ts"));
  assert.deepEqual(lines(await search(files, "^", { glob })), [
    "b.ts:1:one",
    "b.ts:2:two",
    "b.ts:3:",
    "b.ts:4:three two",
  ]);
  assert.deepEqual(await search(files, "nothing"), { matches: [], more: false, stopped: null, ignored: 0 });
});

test("a pattern that is not one is refused", async () => {
  assert.match(refusalOf(await searchFiles(createMemoryWorkspace(), "(a")), /^invalid_args: pattern/);
});

test("files that are not text are left out; bytes that are not UTF-8 do no harm", async () => {
  const binary: Change = { operation: "write", path: pathOf("bin"), bytes: Buffer.from("x\0x"), executable: false };
  const latin: Change = {
    operation: "write",
    path: pathOf("latin"),
    bytes: Buffer.from("caf\xe9 x", "latin1"),
    executable: false,
  };
  assert.deepEqual(lines(await search([binary, latin], "x")), ["latin:1:caf\ufffd x"]);
});

test("there are as many matches as asked for, and it says whether there are more", async () => {
  const file = [write("a", "x\n".repeat(5)), write("b", "x\n".repeat(5))];
  const cut = await search(file, "x", { limit: 7 });
  assert.deepEqual([cut.matches.length, cut.more, cut.stopped], [7, true, "limit"]);
  const whole = await search(file, "x", { limit: 10 });
  assert.deepEqual([whole.matches.length, whole.more, whole.stopped], [10, false, null]);
  const most = await search([write("a", "x\n".repeat(5_000))], "x", { limit: 1_000_000 });
  assert.deepEqual([most.matches.length, most.stopped], [1_000, "limit"]);
});

test("a long line is shown around its match, and the whole is bounded", async () => {
  const [found] = (await search([write("a", `${"a".repeat(5_000)}needle${"b".repeat(5_000)}`)], "needle")).matches;
  assert.match(found?.text ?? "", /^…a+needleb+…$/);
  assert.ok((found?.text.length ?? 0) <= 402);
  const many = await search([write("a", `${"y".repeat(399)}x\n`.repeat(900))], "x");
  assert.deepEqual([many.more, many.stopped], [true, "size"]);
  assert.ok(many.matches.reduce((sum, { text }) => sum + text.length, 0) <= 128 * 1_024);
});

test("it ends when its time is up or when it is told to, with what it has", async () => {
  let seed = 7;
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  const text = Array.from({ length: 40_000 }, () => (random() < 0.5 ? "a" : "b")).join("");
  const files = Array.from({ length: 50 }, (_, index) => write(`f${index}`, `${text}\nx`));
  const late = await search(files, "a[ab]{13}c|x", { timeMs: 30 });
  assert.deepEqual([late.more, late.stopped], [true, "time"]);
  const control = new AbortController();
  control.abort();
  assert.equal((await search(files, "x", { signal: control.signal })).stopped, "time");
});

test("others have their turn while it looks", async () => {
  const files = Array.from({ length: 400 }, (_, index) => write(`f${index}`, "some text of a line\n".repeat(2_000)));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await search(files, "(?i)nothing[a-z]+like this");
  clearInterval(timer);
  assert.ok(turns > 0);
});
