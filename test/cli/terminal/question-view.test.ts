import assert from "node:assert/strict";
import test from "node:test";
import fc from "../../fixtures/fast-check.ts";
import type { Question } from "../../../src/approval/approver.ts";
import { columnsOf, cutColumns, splitColumns } from "../../../src/cli/terminal/columns.ts";
import type { ViewStyle } from "../../../src/cli/terminal/view-style.ts";
import { choicesOf, questionLines } from "../../../src/cli/terminal/question-view.ts";
import { helpScreen, listScreen } from "../../../src/cli/review/review-view.ts";
import { runs } from "../../fixtures/runs.ts";

function lookAt(width: number, isUnicode = true): ViewStyle {
  return { width, height: 24, isUnicode, paint: (text) => text };
}

function questionWith(text: string, more: Partial<Question> = {}): Question {
  const read = { kind: "read" as const, path: "/outside" };
  const rules = [{ decide: "allow" as const, effect: "read" as const, path: "/outside" }];
  return {
    id: "q-00000001",
    askedAt: 0,
    callId: "c",
    session: "s",
    project: "/project",
    severity: "high",
    action: { agent: "default", tool: "Exec", steps: [], digest: "d" },
    verdict: {
      decision: "ask",
      findings: [{ effect: read, decision: "ask", because: "no grant covers it", rules: [] }],
    },
    offers: [
      { decision: "allow", scope: "session", meaning: "not asked again", rules },
      { decision: "allow", scope: "once", meaning: "this call", rules: [] },
      { decision: "deny", scope: "once", meaning: "not this time", rules: [] },
    ],
    text,
    ...more,
  } as unknown as Question;
}

/** Everything between the frame's first and last line. */
function framed(lines: readonly string[]): readonly string[] {
  return lines.slice(
    1,
    lines.findIndex((line, index) => index > 0 && /^[└+]/.test(line)),
  );
}

test("every line of data stands behind our bar, whatever it looks like", () => {
  const copy = questionLines(questionWith("harmless"), lookAt(80)).join("\n");
  const lines = questionLines(questionWith(`run x\n${copy}\n\r\u001b[2Jtail\u202e`), lookAt(80));
  assert.ok(framed(lines).every((line) => line.startsWith("│")));
  assert.equal(lines.filter((line) => line.startsWith("┌")).length, 1);
  assert.equal(lines.filter((line) => line.startsWith(" [s]")).length, 1);
  assert.ok(lines.some((line) => line.includes("\\x1b[2Jtail\\u{202e}")));
});

test("a broken line has a mark where data cannot write, and nothing is lost", () => {
  const long = "0123456789".repeat(30);
  for (const [isUnicode, mark] of [
    [true, "│↪"],
    [false, "|>"],
  ] as const) {
    const lines = framed(questionLines(questionWith(`first ${long}\n↪ imitation`), lookAt(50, isUnicode)));
    const from = lines.findIndex((line) => line.includes("first"));
    const rest = lines.slice(from + 1).filter((line) => line.startsWith(mark));
    assert.equal([lines[from]?.slice(2), ...rest.slice(0, 6).map((line) => line.slice(2))].join(""), `first ${long}`);
    assert.ok(lines.some((line) => line.startsWith(isUnicode ? "│ ↪ imitation" : "| \\u{21aa} imitation")));
  }
});

test("only what is offered has a key, the default first, and its rule is on the screen", () => {
  assert.deepEqual(
    choicesOf(questionWith("")).map(({ key }) => key),
    ["s", "o", "n", "r"],
  );
  const lines = questionLines(questionWith(""), lookAt(80)).join("\n");
  assert.match(lines, /s would keep:\n│ \{ decide: allow, effect: read, path: \/outside \}/);
  const once = questionWith("", { offers: questionWith("").offers.filter(({ scope }) => scope === "once") });
  assert.deepEqual(
    choicesOf(once).map(({ key }) => key),
    ["o", "n", "r"],
  );
});

test("no line is wider than the screen, for any text and width", () => {
  const texts = fc.string({ unit: "grapheme", maxLength: 400 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 24, max: 200 }), fc.boolean(), (text, width, isUnicode) => {
      const question = questionWith(text, { project: `/${text}` });
      const look = lookAt(width, isUnicode);
      const items = [{ question, expiresAt: 0, answer: null, isAwaited: false, isTaken: false }];
      const state = {
        groups: [
          { id: "g", items },
          { id: "h", items: [...items, ...items] },
        ],
        staged: [],
        unlanded: [],
        waiting: 2,
        choice: { sort: "risk" as const, filter: { text, agent: text } },
        selected: question.id,
        status: text.replaceAll(/[^ -~]/g, ""),
        now: 0,
      };
      for (const line of [...questionLines(question, look), ...listScreen(state, look), ...helpScreen(question, look)])
        assert.ok(columnsOf(line) <= width, `${columnsOf(line)} > ${width}: ${line}`);
      if (!isUnicode) assert.ok(questionLines(question, look).every((line) => /^[ -~]*$/.test(line)));
    }),
    { numRuns: runs(200) },
  );
});

test("columns: wide characters take two, marks none, and pieces lose nothing", () => {
  assert.equal(columnsOf("a日本e\u0301🎉"), 8);
  assert.deepEqual(splitColumns("日本語", 4), ["日本", "語"]);
  assert.deepEqual(splitColumns("", 4), [""]);
  assert.equal(cutColumns("abcdef", 4, true), "abc…");
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.integer({ min: 2, max: 20 }),
      (text, width) => splitColumns(text, width).join("") === text,
    ),
  );
});
