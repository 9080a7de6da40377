// S5: one byte that is not text, UTF-16, or very many lines hid a whole program from the person who approves a push.
// Each file here runs outside, as it is: the control. In the review, what runs is on the screen, and said first.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { DiffFile } from "../../src/action/diff-file.ts";
import { unseenThatMatters } from "../../src/action/review-duty.ts";
import { allLines } from "../../src/cli/terminal/diff-view.ts";
import type { ViewStyle } from "../../src/cli/terminal/view-style.ts";
import { fileEntries, FilesSeen } from "../../src/cli/review/review-files.ts";
import { diffFiles, type FilePair, type FileSide } from "../../src/git/publish/diff.ts";
import type { Question } from "../../src/index.ts";
import { disguisesOf } from "../../src/git/publish/warnings/disguise-warnings.ts";
import { git } from "../fixtures/git.ts";
import { makeGitGates, type Tools, type GitGates } from "../fixtures/git-gates.ts";

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

async function pushed(tools: Tools, way: GitGates, files: Readonly<Record<string, Buffer>>): Promise<Question> {
  for (const [path, bytes] of Object.entries(files))
    await tools.done("write_file", { path, content: bytes.toString("base64"), encoding: "base64" });
  const { id } = await tools.stage(Object.keys(files), "Add a script");
  tools.person.says = () => ({ decision: "deny" });
  await tools.call("git_push", { commitId: id, target: { type: "local", path: way.repo, branch: "agent/x" } });
  return tools.person.asked.at(-1) as Question;
}

const look: ViewStyle = { width: 200, height: 50, isUnicode: true, paint: (text) => text };

/** All that a terminal shows of the files of a question. */
function shown({ action, diff }: Question, { gate }: Tools, question: Question): string {
  const entries = fileEntries(action.push?.files ?? [], diff, (file) => gate.answerService.bytesAfter(question, file));
  return entries.flatMap((entry) => [...allLines(entry.rows(), look)]).join("\n");
}

function world(t: TestContext): { way: GitGates; tools: Tools } {
  const way = makeGitGates();
  t.after(() => way.close());
  return { way, tools: way.open() };
}

const side = (content: Buffer): FileSide => ({
  mode: "100755",
  id: createHash("sha1").update(content).digest("hex") as FileSide["id"],
  content,
});

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

test("one byte of Latin-1 takes no warning about lines away", async (t) => {
  const before = Buffer.from("#!/bin/sh\n# caf\xe9\n", "latin1");
  const bytes = Buffer.concat([before, Buffer.from(`${"\n".repeat(60_000)}touch PWNED\necho ${"x".repeat(6_000)}\n`)]);
  assert.ok(runs(t, "setup.sh", bytes, "sh"), "the control: it runs");
  const { way, tools } = world(t);
  const question = await pushed(tools, way, { "settings.yml": bytes.subarray(10), "notes.txt": bytes.subarray(10) });
  const [blanks = "", long = "", many = ""] = question.action.push?.warnings ?? [];
  assert.match(blanks, /^2 files with text after very many blank lines: .*60,000 in a row/);
  assert.match(long, /^2 files with very long lines/);
  assert.match(many, /^2 files with very many lines/);
  const pair: FilePair = { path: "setup.sh", before: side(before), after: side(bytes) };
  const kinds = disguisesOf(pair, diffFiles([pair])[0]).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["blank", "long", "many"], "a program that is only changed, too");
});

test("what is not text and no known data is said, whatever its name; ordinary data is not", async (t) => {
  const hidden = Buffer.from("echo hi\n# \0\ntouch PWNED\n");
  assert.ok(runs(t, "configure", hidden, "sh"), "the control: it runs");
  const begun = Buffer.concat([Buffer.from("PK\x03\x04\n"), hidden]);
  assert.ok(runs(t, "autogen", begun, "sh"), "and as something that begins as an archive");
  const { way, tools } = world(t);
  const data = (start: string): Buffer =>
    Buffer.concat([Buffer.from(start, "latin1"), Buffer.alloc(600, "\0\xfe\x01\n", "latin1")]);
  const question = await pushed(tools, way, {
    configure: hidden,
    autogen: begun,
    "ci.yml": hidden,
    "x.pth": hidden,
    "logo.png": data("\x89PNG\r\n\x1a\n"),
    "icon.ico": data("\0\0\x01\0"),
    "lib.zip": data("PK\x03\x04"),
    "lib.tar.gz": data("\x1f\x8b\x08"),
    "font.woff2": data("wOF2"),
    "font.ttf": data("\0\x01\0\0"),
    "paper.pdf": data("%PDF-1.7"),
    "film.mp4": data("\0\0\0\x18ftypmp42"),
    "weights.pth": data("PK\x03\x04"),
    "app.sqlite": data("SQLite format 3\0"),
    "model.onnx": data("\x08\x07"),
    ".DS_Store": data("\0\0\0\x01Bud1"),
  });
  const [line = "", ...rest] = question.action.push?.warnings ?? [];
  assert.match(
    line,
    /^4 files that are not text, and begin as no known kind of data: .*: autogen, ci\.yml, configure, x\.pth$/,
  );
  assert.deepEqual(rest, []);
  assert.equal(question.severity, "high");
});

test("a coding line that makes Python read something else is said; ordinary ones are not", async (t) => {
  const seven = Buffer.from("# coding: utf7\n# a note +AAo-open(+ACI-PWNED+ACI-,+ACI-w+ACI-)\nprint(1)\n");
  const escaped = Buffer.from(
    '#!/usr/bin/python3\n# vim: set fileencoding=unicode_escape :\n# \\u000aopen("PWNED","w")\n',
  );
  assert.ok(runs(t, "a.py", seven, "python3"), "the control: the comment runs");
  assert.ok(runs(t, "b.txt", escaped, "python3"));
  const { way, tools } = world(t);
  const question = await pushed(tools, way, {
    "a.py": seven,
    "b.txt": escaped,
    "c.py": Buffer.from("#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nprint(1)\n"),
    "d.py": Buffer.from("# coding: Latin_1\nprint(1)\n"),
    "e.py": Buffer.from("#\n#\n# coding: utf7\n"),
    "f.py": Buffer.from("'coding: utf7'\n"),
    "g.el": Buffer.from(";; # -*- coding: utf-7 -*-\n"),
  });
  assert.deepEqual(question.action.push?.warnings, [
    "2 files with coding lines that make Python read other text than what is shown: a.py (utf7), b.txt (unicode_escape)",
  ]);
});

test("what is not shown was not looked at: no bytes kept, or a part left out", async (t) => {
  const { way, tools } = world(t);
  const question = await pushed(tools, way, { "pad.sh": blank });
  const files = question.action.push?.files ?? [];
  const start = { row: 0, piece: 0 };
  const readAll = (entries: ReturnType<typeof fileEntries>): FilesSeen => {
    const looked = new FilesSeen(entries);
    for (const at of entries.keys()) looked.note(at, start, { row: looked.rows(at).count, piece: 0 }, 80);
    return looked;
  };
  const kept = fileEntries(files, question.diff, (file) => tools.gate.answerService.bytesAfter(question, file));
  assert.ok(kept.length > 10, "in parts");
  assert.equal(readAll(kept).problem(), null, "all parts were on the screen");
  const looked = new FilesSeen(kept);
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
