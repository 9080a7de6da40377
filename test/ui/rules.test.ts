// The rules of ui/: what an agent wrote cannot become markup or code, and what comes along from src/ runs in a browser.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { importsOf, withoutComments } from "../structure/source-scan.ts";

const root = join(import.meta.dirname, "../..");
const files = readdirSync(join(root, "ui"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts") && name !== "vite.config.ts")
  .map((name) => ({ name, source: readFileSync(join(root, "ui", name), "utf8") }));

const markup = /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\s*\.\s*write|srcdoc/;
const code = /\beval\s*\(|new\s+Function\b|["'`]javascript:/;
const maxLines = 300;

test("no file of the page makes markup or code from text", () => {
  assert.ok(files.length > 20);
  for (const { name, source } of files) {
    assert.doesNotMatch(withoutComments(source), markup, name);
    assert.doesNotMatch(withoutComments(source), code, name);
  }
  assert.match("<p dangerouslySetInnerHTML={x} />", markup, "the control");
});

test("the page takes values of src/ only where node is not needed", () => {
  const seen = new Set<string>();
  const problems: string[] = [];
  const follow = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { from, typeOnly } of importsOf(readFileSync(path, "utf8"))) {
      if (typeOnly || from.endsWith(".css")) continue;
      if (from.startsWith("node:")) problems.push(`${path} imports ${from}`);
      else if (from.startsWith(".")) follow(join(path, "..", from));
    }
  };
  for (const { name } of files) follow(join(root, "ui", name));
  assert.deepEqual(problems, []);
  assert.ok(seen.has(join(root, "src/shared/display.ts")));
});

test("files are short, named in kebab-case, say first what they are for, and have no default export", () => {
  for (const { name, source } of files) {
    assert.match(name, /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*\.tsx?$/);
    assert.ok(source.split("\n").length <= maxLines, `${name} is too long`);
    assert.ok(source.startsWith("// "), `${name} does not say what it is for`);
    assert.doesNotMatch(source, /export\s+default/, name);
  }
});
