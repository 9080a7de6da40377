// A mark `SECURITY(T07)` in the source and the row T07 of THREAT_MODEL.md need each other; a row names its source and its test.

import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { readDocument, root } from "./documents.ts";

interface Row {
  readonly id: string;
  readonly text: string;
}

function rowsOf(markdown: string): Row[] {
  return [...markdown.matchAll(/^\|\s*[`*]*(?<id>T\d{2,})[`*]*\s*\|.*$/gm)].map((match) => ({
    id: match.groups?.["id"] ?? "",
    text: match[0],
  }));
}

/** Every row a source is marked with: `SECURITY(T07)` or `SECURITY(T07, T08)`. */
function marksOf(source: string): string[] {
  return [...source.matchAll(/\bSECURITY\(([^)]*)\)/g)].flatMap((match) =>
    (match[1] ?? "").split(",").map((id) => id.trim()),
  );
}

function rowProblems(
  rows: readonly Row[],
  marks: ReadonlyMap<string, readonly string[]>,
  exists: (path: string) => boolean,
): string[] {
  const ids = rows.map(({ id }) => id);
  const marked = new Set([...marks.values()].flat());
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} has two rows`),
    ...[...marks].flatMap(([path, found]) =>
      found.filter((id) => !ids.includes(id)).map((id) => `${path}: ${id} has no row`),
    ),
    ...ids.filter((id) => !marked.has(id)).map((id) => `${id} is marked nowhere in the source`),
    ...rows.flatMap(({ id, text }) => {
      const paths = [...text.matchAll(/\b(?:src|ui|extension|test)\/[\w./-]*\w/g)].map(([path]) => path);
      return [
        ...paths.filter((path) => !exists(path)).map((path) => `${id} names ${path}, which is not there`),
        ...(paths.some((path) => /^(?:src|ui|extension)\/.*\.tsx?$/.test(path)) ? [] : [`${id} names no source file`]),
        ...(paths.some((path) => /^test\/.*\.(?:test|slow)\.ts$/.test(path)) ? [] : [`${id} names no test file`]),
      ];
    }),
  ];
}

test("rows of THREAT_MODEL.md and marks in the source agree", () => {
  const rows = rowsOf(readDocument("THREAT_MODEL.md"));
  const sources = globSync("{src,ui,extension}/**/*.{ts,tsx}", { cwd: root });
  const marks = new Map(sources.map((path) => [path, marksOf(readFileSync(join(root, path), "utf8"))]));
  assert.ok(rows.length > 0, "THREAT_MODEL.md has no rows that begin with | T01 |");
  assert.deepEqual(
    rowProblems(rows, marks, (path) => existsSync(join(root, path))),
    [],
  );
});

test("what does not agree is seen", () => {
  const rows = rowsOf(
    [
      "| row | defence |",
      "|---|---|",
      "| T01 | `src/here.ts`, `test/here.test.ts` |",
      "| **T02** | `src/gone.ts`, `test/here.test.ts` |",
      "| T03 | in words only |",
      "| T03 | `src/here.ts`, `test/here.test.ts` |",
    ].join("\n"),
  );
  const marks = new Map([["src/here.ts", marksOf("// SECURITY(T01, T03): x\n// SECURITY(T09)")]]);
  assert.deepEqual(
    rowProblems(rows, marks, (path) => path.includes("here")),
    [
      "T03 has two rows",
      "src/here.ts: T09 has no row",
      "T02 is marked nowhere in the source",
      "T02 names src/gone.ts, which is not there",
      "T03 names no source file",
      "T03 names no test file",
    ],
  );
});
