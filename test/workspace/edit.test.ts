import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { editText } from "../../src/workspace/edit.ts";
import { refusalOf, valueOf } from "../contracts/workspace.ts";

const hintOf = (text: string, oldText: string, newText = "new"): string => {
  const result = editText(text, oldText, newText);
  assert.ok(!result.ok);
  assert.equal(result.failure.error, "invalid_args");
  assert.doesNotMatch(result.failure.message + result.failure.hint, /[\n\r]/);
  return result.failure.hint ?? "";
};

test("the one place is replaced, and nothing else", () => {
  assert.deepEqual(valueOf(editText("a\nb\nc\n", "b", "$&$1")), { text: "a\n$&$1\nc\n", line: 2 });
  assert.deepEqual(valueOf(editText("a\nb\nc", "b\nc", "")), { text: "a\n", line: 2 });
  assert.deepEqual(valueOf(editText("\ufeffa\r\nb", "a\r\n", "x")), { text: "\ufeffxb", line: 1 });
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), fc.string(), (before, old, fresh, behind) => {
      const result = editText(before + old + behind, old, fresh);
      const count = (before + old + behind).split(old).length - 1;
      if (old === fresh) return assert.equal(result.ok, false);
      if (!result.ok)
        return assert.ok(
          count > 1 || (before + old + behind).indexOf(old) !== (before + old + behind).lastIndexOf(old),
        );
      assert.equal(count, 1);
      assert.equal(result.value.text, before + fresh + behind);
      assert.equal(result.value.line, before.split("\n").length);
    }),
  );
});

test("several places are counted and named", () => {
  assert.match(refusalOf(editText("x\ny\nx\n", "x", "z")), /old_text: is there 2 times, in line 1, 3\./);
  assert.match(refusalOf(editText("aaa", "aa", "b")), /is there 2 times, in line 1/);
  assert.match(refusalOf(editText("x\n".repeat(500), "x", "z")), /is there 500 times, in line 1, 2, .* 10 …/);
});

test("empty and equal texts are refused", () => {
  assert.match(refusalOf(editText("a", "", "b")), /old_text: is empty/);
  assert.match(refusalOf(editText("a", "a", "a")), /new_text: is the same/);
});

test("what is not there is answered with what is nearest", () => {
  const text = 'import a from "a";\n\nfunction hello(name) {\n\treturn `Hello ${name}`;\n}\n\nfunction other() {}\n';
  assert.match(hintOf(text, "function helo(name) {"), /nearest is in line 3: "function hello\(name\) \{"/);
  assert.match(
    hintOf(text, "function hello(name) {\n  return `Hello ${name}`;\n}"),
    /But for its spaces it is in lines 3 to 5: "function/,
  );
  assert.match(hintOf(text, "\n\n  return `Hello ${name}`;\n\n"), /But for its spaces it is in line 4/);
  assert.match(hintOf(text, "function hello(nam) {\n\treturn `Hi ${name}`;\n}"), /nearest is in lines 3 to 5/);
  assert.match(hintOf(text, "nothing like this at all 12345"), /Nothing in it is near/);
  assert.match(hintOf("", "x"), /Nothing in it is near/);
  assert.match(hintOf("a\r\nb\r\n", "a\nb"), /CR LF/);
  assert.match(hintOf("a\nb\r\nc", "b\nc"), /CR LF/);
});

test("a large file is answered too, and what is shown is short", () => {
  const lines = Array.from({ length: 200_000 }, (_, index) => `line number ${index} of many`);
  lines[50] = "the line that was meant, but for a word";
  assert.match(hintOf(lines.join("\n"), "the line that was meant but for one word"), /nearest is in line 51/);
  const long = `${"x".repeat(100_000)}y`;
  assert.ok(hintOf(long, `${"x".repeat(50_000)}z`).length < 1_000);
  assert.ok(hintOf(lines.join("\n"), Array(5_000).fill("line number 7 of many").join("\n")).length < 1_000);
});
