import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../fixtures/fast-check.ts";
import { hitsOf, type LineSpan, lineSpans, shownLine } from "../../../ui/diff/line-spans.ts";
import { runs } from "../../fixtures/runs.ts";

const brief = (spans: readonly LineSpan[]) =>
  spans.map(({ text, kind, token, isChanged, isHit }) =>
    [text, kind === "text" ? "" : kind, token, isChanged ? "word" : "", isHit ? "hit" : ""].filter(Boolean).join("|"),
  );

// Everything that moves, hides, joins or reorders; the tab is drawn with an arrow.
// oxlint-disable-next-line no-control-regex
const acts = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u00ad]/u;

test("words, syntax and hits divide a line without changing it", () => {
  const line = "const alpha = beta;";
  const spans = lineSpans(line, {
    changed: [[6, 11]],
    tokens: [0, 5, 0, 8, 11, 1],
    tokenName: (token) => ["keyword", "title"][token] as string,
    query: "pha",
  });
  assert.deepEqual(brief(spans), ["const|keyword", " ", "al|word", "pha|title|word|hit", " = beta;"]);
});

test("what draws nothing is shown: tabs, blanks and a carriage return at the end, controls, long runs of blanks", () => {
  assert.deepEqual(brief(lineSpans("\ta\tb  \r")), ["\t|tab", "a", "\t|tab", "b", "  |blank", "\\r|sign"]);
  assert.deepEqual(brief(lineSpans("a\rb")), ["a", "\\r|sign", "b"]);
  assert.deepEqual(brief(lineSpans("x\u001b[31my")), ["x", "\\x1b|sign", "[31my"]);
  assert.deepEqual(brief(lineSpans("if (a\u202e)")), ["if (a", "\\u{202e}|sign", ")"]);
  assert.deepEqual(brief(lineSpans(`a${" ".repeat(50)}b`)), ["a", "␣×50|sign", "b"]);
  assert.deepEqual(brief(lineSpans(" ".repeat(40))), ["␣×40|sign"]);
});

test("a sign of ours that stands in the data is shown by its number", () => {
  assert.deepEqual(brief(lineSpans("a␣b")), ["a", "\\u{2423}|sign", "b"]);
});

test("nothing in any line acts on the page, and nothing of it is left out", () => {
  const character = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 3 }),
    fc.constantFrom(
      "\u202e",
      "\u2066",
      "\u200d",
      "\t",
      "\r",
      " ",
      " ".repeat(40),
      "é",
      "e\u0301",
      "👩‍👩‍👧",
      "<b>",
      "\u001b[",
    ),
  );
  const line = fc.array(character, { maxLength: 20 }).map((parts) => parts.join("").replaceAll("\n", ""));
  const range = fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 10 }));
  fc.assert(
    fc.property(line, range, fc.string({ maxLength: 2 }), (text, [from, length], query) => {
      const spans = lineSpans(text, {
        changed: [[from, from + length]],
        tokens: [from, from + 1, 0],
        tokenName: () => "keyword",
        query,
      });
      const shown = spans.map((span) => span.text).join("");
      assert.equal(shown, shownLine(text));
      assert.doesNotMatch(shown.replaceAll(/\p{RGI_Emoji}/gv, ""), acts);
      const plain = spans.filter(({ kind }) => kind !== "sign").map((span) => span.text);
      let at = 0;
      for (const piece of plain) {
        at = text.indexOf(piece, at);
        assert.ok(at >= 0, "a piece is not in the line, or out of its order");
      }
    }),
    { numRuns: runs(2_000) },
  );
});

test("small letters find both, others only themselves", () => {
  assert.deepEqual(hitsOf("Alpha alpha", "alpha"), [
    [0, 5],
    [6, 11],
  ]);
  assert.deepEqual(hitsOf("Alpha alpha", "Alpha"), [[0, 5]]);
  // İ becomes two in small letters: places would be wrong.
  assert.deepEqual(hitsOf("İx", "x"), [[1, 2]]);
});
