import assert from "node:assert/strict";
import test from "node:test";
import fc from "../../fixtures/fast-check.ts";
import { parseJsonArgument } from "../../../src/cli/call/json-argument.ts";
import { UsageError } from "../../../src/cli/usage-error.ts";

/** The place that the message names: `line:column expected`. */
function placeOf(text: string): string {
  try {
    parseJsonArgument(text);
  } catch (error) {
    assert.ok(error instanceof UsageError);
    const found = /line (\d+), column (\d+): expected ([^\n]*)\n/.exec(error.message);
    assert.ok(found !== null, error.message);
    return `${found[1]}:${found[2]} ${found[3]}`;
  }
  return "fine";
}

test("the place of an error is where the text stops being JSON", () => {
  const cases: [string, string][] = [
    ["", "1:1 a value"],
    ["{", "1:2 a name in double quotes, or }"],
    ["{a:1}", "1:2 a name in double quotes, or }"],
    ["{'a':1}", "1:2 a name in double quotes, or }"],
    ['{"a" 1}', "1:6 a colon"],
    ['{"a":}', "1:6 a value"],
    ['{"a":1,}', "1:8 a name in double quotes"],
    ['{"a":1\n "b":2}', "2:2 a comma, or the closing bracket"],
    ["[1,2,]", "1:6 a value"],
    ["[1 2]", "1:4 a comma, or the closing bracket"],
    ["[1}", "1:3 a comma, or the closing bracket"],
    ['["a\nb"]', "1:2 a value or ]"],
    ["{} x", "1:4 nothing more"],
    ["01", "1:1 a value"],
    ["truex", "1:1 a value"],
    ['["\\x"]', "1:2 a value or ]"],
  ];
  for (const [text, expected] of cases) assert.equal(placeOf(text), expected, JSON.stringify(text));
});

test("whatever JSON.parse takes is taken, and whatever it refuses is told", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom("", "}", "]", ",", '"', "x", "\\"), (json, at, extra) => {
      assert.deepEqual(parseJsonArgument(json), JSON.parse(json));
      const cut = json.slice(0, at % (json.length + 1)) + extra;
      let isJson = true;
      try {
        JSON.parse(cut);
      } catch {
        isJson = false;
      }
      assert.equal(placeOf(cut) === "fine", isJson, cut);
    }),
  );
});

test("the excerpt is inert, and a long text is not shown whole", () => {
  assert.throws(
    () => parseJsonArgument(`{"a":"${"x".repeat(100_000)}", \u001b[2J}`),
    (error: Error) =>
      error.message.length < 300 && !error.message.includes("\u001b") && error.message.includes("\\x1b"),
  );
});
