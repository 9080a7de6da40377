// Parts of a file: together they are the file, whatever its bytes; and what a content is shown as gives the same bytes back.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "../../fixtures/fast-check.ts";
import type { TextEncoding } from "../../../src/action/diff-file.ts";
import { fileParts, partHunk } from "../../../src/git/publish/file-parts.ts";
import { decodeText, isText, textEncoding } from "../../../src/git/publish/text-content.ts";

function bytesOf(text: string, encoding: TextEncoding): Buffer {
  if (encoding === "utf-16be") return Buffer.from(text, "utf16le").swap16();
  return Buffer.from(text, encoding === "utf-16le" ? "utf16le" : encoding === "latin1" ? "latin1" : "utf8");
}

const big = 64 * 1024;
const pieceGiven = fc.oneof(
  fc.constantFrom(
    "a",
    "\n",
    "\r\n",
    "\0",
    "é",
    "日",
    "😀",
    "x".repeat(70_000),
    "\n".repeat(70_000),
    "é".repeat(40_000),
  ),
  fc.nat({ max: 20_000 }).map((count) => "line of text\n".repeat(count)),
  fc.nat({ max: 20_000 }).map((count) => "😀".repeat(count)),
);
const contentGiven = fc.oneof(
  fc.array(pieceGiven, { maxLength: 8 }).map((pieces) => Buffer.from(pieces.join(""))),
  fc.array(pieceGiven, { maxLength: 6 }).map((pieces) => Buffer.from(pieces.join(""), "utf16le")),
  fc.uint8Array({ maxLength: 3 * big }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(fc.constantFrom("a\n", "ü", "\n"), { maxLength: 2_000 })
    .map((pieces) => Buffer.from(`\ufeff${pieces.join("")}`, "utf16le").swap16()),
);

test("the parts together are the file, byte for byte, with the numbers of its lines", () => {
  fc.assert(
    fc.property(contentGiven, (content) => {
      const parts = fileParts(content);
      assert.equal(parts.encoding, textEncoding(content));
      assert.deepEqual(bytesOf(decodeText(content, parts.encoding), parts.encoding), content);
      const count = parts.lines.length;
      let text = "";
      for (let part = 0; part < count; part += 1) {
        const hunk = partHunk(content, parts, part);
        assert.equal(hunk.lines.length, parts.lines[part]);
        assert.equal(hunk.newStart, text.split("\n").length, "the number of its first line");
        const isCut = parts.starts[part + 1] === content.length ? hunk.lines.at(-1)?.isUnterminated : undefined;
        const joined = hunk.lines.map((line) => line.text).join("\n");
        const whole = decodeText(content.subarray(parts.starts[part], parts.starts[part + 1]), parts.encoding);
        assert.equal(joined + (whole.endsWith("\n") ? "\n" : ""), whole);
        if (isCut !== undefined) assert.equal(isCut, !whole.endsWith("\n"));
        text += whole;
        assert.ok((parts.starts[part + 1] as number) - (parts.starts[part] as number) <= big + 8 * 1024);
      }
      assert.deepEqual(bytesOf(text, parts.encoding), content);
    }),
    { numRuns: 60 },
  );
});

test("what is shown decoded cannot be read otherwise: with an ASCII byte that is half of a character it is shown as bytes", () => {
  const little = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
  const cases: readonly (readonly [Buffer, TextEncoding, boolean])[] = [
    [Buffer.from("plain\n"), "utf-8", true],
    [Buffer.from(""), "utf-8", true],
    [Buffer.from("nul \0\n"), "utf-8", false],
    [Buffer.from("\ufeffbom\n"), "utf-8", true],
    [Buffer.from("caf\xe9\n", "latin1"), "latin1", false],
    [little("Write-Host 'Γειά, Grüße'\r\n"), "utf-16le", false],
    // The quotes are bytes of its letters: in a shell, what stands between them is a command.
    [little("echo 'Ч; touch PWNED; echo Ч'\n").swap16(), "latin1", false],
    [little("# Њtouch PWNED\n").swap16(), "latin1", false], // a line feed
    [
      Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a, 0]), little("touch PWNED\n").swap16().subarray(2)]),
      "latin1",
      false,
    ],
    [little("😀"), "latin1", false], // "="
    [little("𐀀𐂀"), "utf-16le", false],
    [Buffer.from([0xff, 0xfe, 0, 0, 0x74, 0, 0, 0]), "utf-16le", false], // UTF-32: its NULs are shown
    [Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x74]), "latin1", false],
    [little("ok\n").swap16(), "utf-16be", false],
    [Buffer.from("no mark\n", "utf16le"), "utf-16le", false],
    [Buffer.from("no mark\n", "utf16le").swap16(), "utf-16be", false],
    [little("琊"), "latin1", false], // "\nt"
    [Buffer.concat([little("a"), Buffer.from("\ntouch PWNED\n")]), "latin1", false],
    [Buffer.from("#\0!\0touch P\n\0", "latin1"), "utf-8", false],
    [Buffer.concat([little("odd"), Buffer.from("x")]), "latin1", false],
  ];
  for (const [content, encoding, isPlain] of cases) {
    assert.equal(textEncoding(content), encoding, content.toString("latin1"));
    assert.equal(isText(content), isPlain, content.toString("latin1"));
  }
});

test("what a shell reads, without the mark and the NULs, has the ASCII letters that are shown", () => {
  const unit = fc.constantFrom(
    0x74,
    0x7400,
    0x0a,
    0x0a00,
    0x0a04,
    0x040a,
    0x4e2d,
    0x3b04,
    0xfc,
    0x0393,
    0xd83d,
    0x0100,
    0,
  );
  const given = fc.tuple(fc.constantFrom(0xfeff, 0xfffe, 0x20), fc.array(fc.oneof(unit, fc.nat({ max: 0xffff }))));
  const ascii = (text: string) => text.replaceAll(/[^\t-\r -~]/g, "");
  let decoded = 0;
  fc.assert(
    fc.property(given, ([mark, units]) => {
      const content = Buffer.from(Uint16Array.from([mark, ...units]).buffer);
      const encoding = textEncoding(content);
      if (encoding.startsWith("utf-16")) decoded += 1;
      assert.equal(ascii(decodeText(content, encoding)), ascii(content.toString("latin1")));
    }),
    { numRuns: 2_000 },
  );
  assert.ok(decoded > 50, `${decoded} were decoded`);
});
