import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { OutputDisplay } from "../../src/shared/display.ts";

function shown(...pieces: string[]): string {
  const display = new OutputDisplay();
  return pieces.map((piece) => display.push(piece)).join("") + display.end();
}

test("ordinary output comes out as it is, with its tabs, spaces and line feeds", () => {
  for (const text of [
    "",
    "a\n\n\n\n\n\n\n\n\n\n\nb",
    `a\t${" ".repeat(80)}b\n`,
    "Grüße, 漢字 👩‍👩‍👧 é\n",
    "x".repeat(100_000),
  ]) {
    assert.equal(shown(text), text);
  }
});

test("what acts on a screen is shown instead; CR LF is a line's end, also across two pieces", () => {
  assert.equal(shown("\u001b[2J\u0007\u009b\u202e\u200b\b"), String.raw`\x1b[2J\x07\x9b\u{202e}\u{200b}\x08`);
  assert.equal(shown("a\r\nb\r", "\nc\r", "d\r"), "a\nb\nc\\rd\\r");
});

test("whatever the pieces are, nothing comes out that moves the cursor anywhere but forward", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ unit: fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\r", "\n", "\u001b", "\t")) }),
      ),
      (pieces) => {
        assert.doesNotMatch(shown(...pieces), /[[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069]--[\n\t]]/v);
      },
    ),
  );
});
