import assert from "node:assert/strict";
import { test } from "node:test";
import highlighter from "highlight.js/lib/core";
import javascript from "highlight.js/lib/languages/javascript";
import xml from "highlight.js/lib/languages/xml";
import { languageOf, languages, openingOf } from "../../../ui/diff/language.ts";
import { prepareHighlighter, tokenLines, tokenNames } from "../../../ui/diff/token-ranges.ts";

highlighter.registerLanguage("javascript", javascript);
highlighter.registerLanguage("xml", xml);
prepareHighlighter(highlighter);

function named(language: string, text: string): string[][] {
  const lines = text.split("\n");
  return tokenLines(highlighter, language, text).map((ranges, at) =>
    Array.from({ length: ranges.length / 3 }, (_, range) => {
      const [from, to, kind] = ranges.slice(range * 3, range * 3 + 3) as [number, number, number];
      return `${tokenNames[kind]} ${(lines[at] as string).slice(from, to)}`;
    }),
  );
}

test("the ranges of each line name what stands there", () => {
  assert.deepEqual(named("javascript", "const a = 1; // one\n/* two\nthree */ 'x'"), [
    ["keyword const", "number 1", "comment // one"],
    ["comment /* two"],
    ["comment three */", "string 'x'"],
  ]);
});

test("a language inside another, and code inside a string, have their own", () => {
  assert.deepEqual(named("xml", "<script>let x</script>"), [["name script", "keyword let", "name script"]]);
  assert.deepEqual(named("javascript", "`a${null}b`"), [["string `a", "number null", "string b`"]]);
});

test("text is never made into markup", () => {
  const { value } = highlighter.highlight("<img src=x onerror=1>", { language: "xml" });
  assert.equal(value, "");
});

test("there are as many lines as there were", () => {
  for (const text of ["", "\n", "a\n\n\nb\n", "`\n\n`"])
    assert.equal(tokenLines(highlighter, "javascript", text).length, text.split("\n").length);
});

test("a name tells the language", () => {
  const names: readonly (readonly [string, string | null])[] = [
    ["src/a.ts", "typescript"],
    ["A.TSX", "typescript"],
    ["Dockerfile", "dockerfile"],
    ["docker/Dockerfile.dev", "dockerfile"],
    [".env.local", "bash"],
    ["Makefile", "makefile"],
    ["a/b.c/LICENSE", null],
    ["constructor", null],
    ["x.toString", null],
    ["x.hasOwnProperty", null],
  ];
  for (const [name, language] of names) assert.equal(languageOf(name), language, name);
});

test("the highlighter has every language that a name can tell", async () => {
  for (const language of languages)
    assert.equal(typeof (await import(`highlight.js/lib/languages/${language}`)).default, "function", language);
});

test("lines from the middle of a comment are read as a comment", () => {
  assert.equal(openingOf("javascript", " * of it\n */\nlet a;"), "/*");
  assert.equal(openingOf("javascript", "/* of it */\nlet a;"), "");
  assert.equal(openingOf("javascript", "let a;"), "");
  assert.equal(openingOf("python", " */"), "");
});
