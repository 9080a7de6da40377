import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { displayCommand, displayText, quoteArgument } from "../../src/shared/display.ts";
import { isFull, runs } from "../fixtures/runs.ts";

// Said again in other words than the code's own, so that a slip there shows here.
const forbidden: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0xa0],
  [0xad, 0xad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xe000, 0xf8ff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xe0000, 0xe0fff],
  [0xf0000, 0x10ffff],
];

function isForbidden(code: number): boolean {
  return forbidden.some(([low, high]) => low <= code && code <= high);
}

/** Emoji that Unicode lists may hold joiners, selectors and tags. */
function withoutEmoji(text: string): string {
  return text.replace(/\p{RGI_Emoji}/gv, "");
}

const hostile = fc.constantFrom(
  "\x1b[31m",
  "\x07",
  "\r",
  "\n",
  "\n\n\n",
  "\t",
  "\0",
  "\x7f",
  "\x9b",
  "\u202e",
  "\u2066",
  "\u200e",
  "\u061c",
  "\u200b",
  "\u200d",
  "\ufeff",
  "\u2028",
  "\u00ad",
  "\ufe0f",
  "\u{e0041}",
  "\u3164",
  "\u2800",
  "\ud800",
  "\udc00",
  "\u3000",
  "\u0301",
  "e\u0301",
  "👩‍💻",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "1️⃣",
  "'",
  "\\",
  "!",
  "$(id)",
  " ",
  "   ",
  "é",
);
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc
    .array(
      fc.oneof(
        hostile,
        fc.string({ unit: "binary", maxLength: 2 }),
        fc.nat(60).map((n) => " ".repeat(n)),
        fc.nat(20).map((n) => "\n".repeat(n)),
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join("")),
);

describe("displayText", () => {
  const table: readonly (readonly [string, string])[] = [
    ["plain text, as it is", "plain text, as it is"],
    ["a\nb\r\n\tc", "a\\nb\\r\\n\\tc"],
    ["\x1b]0;title\x07", "\\x1b]0;title\\x07"],
    ["\x00\x7f\x9b31m", "\\x00\\x7f\\x9b31m"],
    ["safe\u202egpj.exe", "safe\\u{202e}gpj.exe"],
    ["\u2066a\u2069\u200e\u200f\u061c", "\\u{2066}a\\u{2069}\\u{200e}\\u{200f}\\u{61c}"],
    ["pass\u200bword\u2060\ufeff", "pass\\u{200b}word\\u{2060}\\u{feff}"],
    ["a\u2028b\u2029c\u00add", "a\\u{2028}b\\u{2029}c\\xadd"],
    ["A\ufe0fB\u{e0101}", "A\\u{fe0f}B\\u{e0101}"],
    ["x\u{e0068}\u{e0069}", "x\\u{e0068}\\u{e0069}"],
    ["\ue000\u{10fffd}\u0378\uffff", "\\u{e000}\\u{10fffd}\\u{378}\\u{ffff}"],
    ["\u3164\u115f\uffa0\u2800", "\\u{3164}\\u{115f}\\u{ffa0}\\u{2800}"],
    ["\ud800x\udc00", "\\u{d800}x\\u{dc00}"],
    ["a\u00a0b\u3000c\u2003d", "a\\xa0b\\u{3000}c\\u{2003}d"],
    ["می\u200cخواهم", "می\\u{200c}خواهم"],
    [
      "Grüße, Ελλάδα, Привет, עברית, العربية, हिन्दी, ไทย, 日本語, 한국어, 𝒜",
      "Grüße, Ελλάδα, Привет, עברית, العربية, हिन्दी, ไทย, 日本語, 한국어, 𝒜",
    ],
    ["👍🏽 👩‍💻 🇩🇪 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👍🏽 👩‍💻 🇩🇪 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
    ["👩\u200d👩\u200dx", "👩\\u{200d}👩\\u{200d}x"],
    ["e\u0301\u0302\u0303\u0304\u0305\u0306", "e\u0301\u0302\u0303\u0304\\u{305}\\u{306}"],
    ["\u0301on what stands before", "\\u{301}on what stands before"],
    ["\x1b\u0301", "\\x1b\\u{301}"],
    [`a${" ".repeat(32)}b`, `a${" ".repeat(32)}b`],
    [`a${" ".repeat(33)}b`, "a␣×33b"],
    [`a${" ".repeat(1200)}b`, "a␣×1,200b"],
    ["", ""],
  ];
  for (const [input, expected] of table) {
    it(`shows ${JSON.stringify(input).slice(0, 40)}`, () => assert.equal(displayText(input), expected));
  }

  it("keeps line feeds where lines are asked for, and nothing else", () => {
    assert.equal(displayText("if x:\n\ty\r\n\n\u202ez", { multiline: true }), "if x:\n⇥y\\r\n\n\\u{202e}z");
    assert.equal(displayText("a\n\u0301b", { multiline: true }), "a\n\\u{301}b");
  });

  it("counts empty lines that would push the rest off the screen", () => {
    assert.equal(displayText(`a${"\n".repeat(8)}b`, { multiline: true }), `a${"\n".repeat(8)}b`);
    assert.equal(displayText(`a${"\n \n".repeat(100)}b`, { multiline: true }), "a\n⏎×200\nb");
  });

  it("says how much is left out, within the length", () => {
    const shown = displayText("x".repeat(1_334), { maxLength: 123 });
    assert.equal(shown, `${"x".repeat(100)}… 1,234 more characters`);
    assert.equal(displayText("x".repeat(124), { maxLength: 124 }), "x".repeat(124));
    assert.equal(displayText("😀".repeat(100), { maxLength: 60 }), `${"😀".repeat(19)}… 81 more characters`);
    assert.equal(displayText("x".repeat(20_000)).length, 10_000);
    assert.equal(displayText("x".repeat(100), { maxLength: 1 }), `${"x".repeat(19)}… 81 more characters`);
  });

  it("never lets a dangerous character through, never grows past its length, and leaves its own output alone", () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), fc.integer({ min: 0, max: 400 }), (text, multiline, maxLength) => {
        const options = { multiline, maxLength };
        const shown = displayText(text, options);
        for (const character of withoutEmoji(shown)) {
          const code = character.codePointAt(0) as number;
          assert.ok(
            !isForbidden(code) || (multiline && code === 0x0a),
            `U+${code.toString(16)} in ${JSON.stringify(shown)}`,
          );
        }
        assert.ok(shown.length <= Math.max(40, maxLength));
        assert.doesNotMatch(shown, / {33}|^\p{M}|\p{M}{5}/v);
        assert.equal(displayText(shown, options), shown);
      }),
      { numRuns: runs(3_000) },
    );
  });

  it("looks at every code point alone", () => {
    for (let code = 0; code <= 0x10ffff; code += 1) {
      if (!isFull && !isForbidden(code) && code % 16 !== 0) continue; // any text: it only must not fail
      const shown = displayText(`a${String.fromCodePoint(code)}`, { maxLength: 40 });
      if (isForbidden(code)) assert.match(shown, /^a\\[\x20-\x7e]+$/, `U+${code.toString(16)}`);
    }
  });

  it("takes long hostile text in its stride", () => {
    for (const unit of ["\n ", "\u0301", "👩\u200d", "1\ufe0f", " "]) {
      assert.ok(displayText(unit.repeat(500_000), { multiline: true, maxLength: 1_000_000 }).length > 0);
    }
  });
});

describe("quoteArgument", () => {
  const table: readonly (readonly [string, string])[] = [
    ["", "''"],
    ["/usr/bin/grep", "/usr/bin/grep"],
    ["--format=%H", "--format=%H"],
    ["a b", "'a b'"],
    ["it's", "'it'\\''s'"],
    ["$(id) `id` $HOME *", "'$(id) `id` $HOME *'"],
    ["~", "'~'"],
    ["a\nb", "$'a\\nb'"],
    ["\x1b[2J'\\", "$'\\x1b[2J\\x27\\\\'"],
    ["\u202egpj", "$'\\u202egpj'"],
    ["\u{e0041}", "$'\\U000e0041'"],
    ["größe", "'größe'"],
    [" ".repeat(33), `$'${"\\x20".repeat(33)}'`],
  ];
  for (const [word, expected] of table) {
    it(`quotes ${JSON.stringify(word).slice(0, 40)}`, () => assert.equal(quoteArgument(word), expected));
  }
});

/** What real bash makes of a command line that names no program: its words. */
function bashWords(line: string): string[] {
  const script = `command_not_found_handle() { printf '%s\\0' "$@"; }\n${line}\n`;
  const out = execFileSync("/bin/bash", ["--noprofile", "--norc", "-c", script], {
    env: { LC_ALL: "C.UTF-8", PATH: "/nowhere" },
    encoding: "utf8",
  });
  return out.split("\0").slice(0, -1);
}

describe("displayCommand", () => {
  it("quotes a first word that bash would not take for a program", () => {
    assert.equal(displayCommand(["A=b", "A=b"]), "'A=b' A=b");
    assert.equal(displayCommand(["if", "if"]), "'if' if");
    assert.equal(displayCommand(["/bin/echo", "", "a b"]), "/bin/echo '' 'a b'");
    const reserved = [
      "!",
      "[[",
      "]]",
      "case",
      "coproc",
      "do",
      "done",
      "elif",
      "else",
      "esac",
      "fi",
      "for",
      "function",
      "if",
      "in",
      "select",
      "then",
      "time",
      "until",
      "while",
      "{",
      "}",
      "A=b",
      "A+=b",
      "A[0]=b",
      "(",
      "-n",
    ];
    for (const word of reserved) assert.deepEqual(bashWords(displayCommand([word, "x"])), [word, "x"]);
  });

  it("reads back in real bash as the same words", () => {
    const real = anyText.map((text) => text.replaceAll("\0", "").toWellFormed());
    fc.assert(
      fc.property(fc.array(fc.array(real, { maxLength: 5 }), { minLength: 40, maxLength: 40 }), (commands) => {
        // Many commands to one bash: a start costs more than a line.
        const lines = commands.map((words) => displayCommand(["no-such-program", ...words]));
        const expected = commands.flatMap((words) => ["no-such-program", ...words]);
        assert.deepEqual(bashWords(lines.join("\n")), expected);
        for (const line of lines) assert.equal(displayText(line, { maxLength: 1e6 }), line);
      }),
      { numRuns: 40 },
    );
  });
});
