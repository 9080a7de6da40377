// S5: one byte that is not text, UTF-16, or very many lines hid a whole program from the person who approves a push.
// Each file here runs outside, as it is: the control. In the review, what runs is on the screen, and said first.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { DiffFile } from "../../src/action/diff-file.ts";
import { unseenThatMatters } from "../../src/action/looked-at.ts";
import { allLines } from "../../src/cli/diff-view.ts";
import type { Look } from "../../src/cli/look.ts";
import { fileEntries, LookedAt } from "../../src/cli/review-files.ts";
import type { Question } from "../../src/index.ts";
import { git } from "../fixtures/git.ts";
import { makeWayOut, type Tools, type WayOut } from "../fixtures/way-out.ts";

const newPlace = (t: TestContext): string => {
  const place = mkdtempSync(join(tmpdir(), "sallyport-s5-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  return place;
};

/** Whether the bare program does what the file says. */
function runs(t: TestContext, name: string, bytes: Buffer, program: string): boolean {
  const place = newPlace(t);
  writeFileSync(join(place, name), bytes, { mode: 0o755 });
  spawnSync(program, [name], { cwd: place, timeout: 30_000 });
  return existsSync(join(place, "PWNED"));
}

async function pushed(tools: Tools, way: WayOut, files: Readonly<Record<string, Buffer>>): Promise<Question> {
  for (const [path, bytes] of Object.entries(files))
    await tools.done("write_file", { path, content: bytes.toString("base64"), encoding: "base64" });
  const { id } = await tools.stage(Object.keys(files), "Add a script");
  tools.person.says = () => ({ decision: "deny" });
  await tools.call("git_push", { commitId: id, target: { type: "local", path: way.repo, branch: "agent/x" } });
  return tools.person.asked.at(-1) as Question;
}

const look: Look = { width: 200, height: 50, isUnicode: true, paint: (text) => text };

/** All that a terminal shows of the files of a question. */
function shown({ action, diff }: Question, { gate }: Tools, question: Question): string {
  const entries = fileEntries(action.push?.files ?? [], diff, (file) => gate.desk.bytesAfter(question, file));
  return entries.flatMap((entry) => [...allLines(entry.rows(), look)]).join("\n");
}

function world(t: TestContext): { way: WayOut; tools: Tools } {
  const way = makeWayOut();
  t.after(() => way.close());
  return { way, tools: way.open() };
}

const shell = Buffer.from("#!/bin/sh\necho hi\n# \0\ntouch PWNED\n");
const script = Buffer.from("/*\0*/ require('fs').writeFileSync('PWNED','')\n");
const blank = Buffer.from(`${"\n".repeat(1_000_001)}touch PWNED\n`);
const swapped = Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a, 0]), Buffer.from("touch PWNED\n", "utf16le").swap16()]);
const quoted = Buffer.from("\ufeff\necho 'Ч; touch PWNED; echo Ч'\n", "utf16le").swap16();
const marked = Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from("touch PWNED\n")]);

for (const [name, bytes, program, warning, seen] of [
  ["run.sh", shell, "sh", /^run\.sh: it is a program and not text/, /\+│touch PWNED/],
  ["index.js", script, process.execPath, /^index\.js: it is a program and not text/, /\\x00\*\/ require\('fs'\)/],
  ["pad.sh", blank, "sh", /^pad\.sh: text stands after very many blank lines \(1,000,001 in/, /1000002 \+│touch PWNED/],
  // A shell skips the mark; taken for UTF-16, its letters would be some other script's.
  ["odd.sh", marked, "sh", /^odd\.sh: it is UTF-16/, /\+│touch PWNED/],
  // It skips NULs as well: the mark may be the other order's, and the half of a letter may be a quote.
  ["swap.sh", swapped, "sh", /^swap\.sh: it is UTF-16/, /t\\x00o\\x00u\\x00c\\x00h/],
  ["swap.bash", swapped, "bash", /^swap\.bash: it is UTF-16/, /t\\x00o\\x00u\\x00c\\x00h/],
  ["quote.sh", quoted, "sh", /^quote\.sh: it is UTF-16/, /\\x04'\\x00;/],
] as const)
  test(`${name}: what runs is shown, line by line, and said before all else`, async (t) => {
    assert.ok(runs(t, name, bytes, program), "the control: it runs");
    const { way, tools } = world(t);
    const question = await pushed(tools, way, { [name]: bytes, "report.md": Buffer.from("# Report\n") });
    assert.match(question.action.push?.warnings[0] ?? "", warning);
    assert.equal(question.severity, "high");
    const file = question.diff?.find(({ path }) => path === name) as DiffFile;
    assert.ok(file.added >= 1, "real counts");
    assert.match(shown(question, tools, question), seen);
  });

test("UTF-16 is decoded, with its mark and without, and named", async (t) => {
  const text = "New-Item PWNED\r\nWrite-Host 'Grüße'\r\n";
  const little = Buffer.from(`\ufeff${text}`, "utf16le");
  const { way, tools } = world(t);
  const question = await pushed(tools, way, {
    "a.ps1": little,
    "b.ps1": Buffer.from(little).swap16(),
    "c.ps1": little.subarray(2),
  });
  assert.match(question.action.push?.warnings[0] ?? "", /^3 files that are UTF-16.*a\.ps1 .*b\.ps1 .*c\.ps1/);
  const lines = shown(question, tools, question);
  assert.equal(lines.match(/\+│(?:\\u\{feff\})?New-Item PWNED/g)?.length, 3, lines);
  assert.equal(lines.match(/Write-Host 'Grüße'/g)?.length, 3);
  assert.equal(lines.match(/UTF-16, little endian: shown decoded/g)?.length, 2);
  assert.equal(lines.match(/UTF-16, big endian: shown decoded/g)?.length, 1);
});

test("what was text and is not any more: the old lines, the new ones, and the first warning", async (t) => {
  const { way, tools } = world(t);
  await tools.done("git_pull", { source: { type: "local", path: way.repo }, paths: ["analysis.json"] });
  const question = await pushed(tools, way, { "analysis.json": Buffer.from('{\n  "period": "\0"\n}\n') });
  assert.match(question.action.push?.warnings[0] ?? "", /^analysis\.json: it was text and is not any more/);
  assert.match(shown(question, tools, question), /-│ {2}"status": "draft"[^]*\+│ {2}"period": "\\x00"/);
  // What an agent gets is still what git takes.
  const { diff } = (await tools.done("git_diff")) as { diff: string };
  assert.match(diff, /^Binary files a\/analysis\.json and b\/analysis\.json differ$/m);
  assert.doesNotMatch(diff, /^@@/m);
});

test("very long lines and very many lines are said, and shown to their ends", async (t) => {
  const { way, tools } = world(t);
  const question = await pushed(tools, way, {
    "min.js": Buffer.from(`${"var a=1;".repeat(2_000)}evil()\n`),
    "data.csv": Buffer.from(Array.from({ length: 60_000 }, (_, at) => `${at}\n`).join("")),
  });
  const [first = "", second = ""] = question.action.push?.warnings ?? [];
  assert.match(first, /^min\.js: it has very long lines.*line 1 has 16,006 characters/);
  assert.match(second, /^data\.csv: it has very many lines.*60,000 lines/);
  assert.match(shown(question, tools, question).replaceAll(/\n *↪│/g, ""), /evil\(\)/);
});

test("what is not shown was not looked at: no bytes kept, or a part left out", async (t) => {
  const { way, tools } = world(t);
  const question = await pushed(tools, way, { "pad.sh": blank });
  const files = question.action.push?.files ?? [];
  const start = { row: 0, piece: 0 };
  const readAll = (entries: ReturnType<typeof fileEntries>): LookedAt => {
    const looked = new LookedAt(entries);
    for (const at of entries.keys()) looked.note(at, start, { row: looked.rows(at).count, piece: 0 }, 80);
    return looked;
  };
  const kept = fileEntries(files, question.diff, (file) => tools.gate.desk.bytesAfter(question, file));
  assert.ok(kept.length > 10, "in parts");
  assert.equal(readAll(kept).problem(), null, "all parts were on the screen");
  const looked = new LookedAt(kept);
  looked.note(0, start, { row: looked.rows(0).count, piece: 0 }, 80);
  assert.match(looked.problem() ?? "", /^15 of 16 files and parts of files not looked at, pad\.sh \(text stands after/);
  // Nobody keeps the bytes any more: every sentence was read, and nothing was seen.
  assert.match(readAll(fileEntries(files, question.diff)).problem() ?? "", /looked at in part, pad\.sh/);
  const [file] = question.diff as DiffFile[];
  assert.equal(unseenThatMatters([{ file: file as DiffFile, isSeen: false }]).length, 1);
  assert.equal(unseenThatMatters([{ file: file as DiffFile, isSeen: true }]).length, 0);
});

test("ordinary text says nothing of all that", async (t) => {
  const { way, tools } = world(t);
  const question = await pushed(tools, way, {
    "a.sh": Buffer.from("#!/bin/sh\necho hi\n"),
    "日本語.md": Buffer.from("# 見出し\n\nÜber\n"),
    "latin.txt": Buffer.from("Gr\xfc\xdfe\n", "latin1"),
    "отчет.txt": Buffer.from("отчет\n"),
  });
  assert.deepEqual(question.action.push?.warnings, []);
  assert.equal(question.severity, "medium");
  assert.ok(git(way.repo, ["branch"]).includes("main"));
});
