// Counts what can be counted about the source: sizes, long functions, casts, comments, names that are declared twice, and how
// many files the three usual calls pass through. The parts that need no run are exported, so that a test can hold them.
//
//   node scripts/source-figures.ts [--json] [--walks]

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseSync } from "vite";

const root = join(import.meta.dirname, "..");

interface Figures {
  readonly files: number;
  readonly lines: number;
  readonly medianLines: number;
  readonly p90Lines: number;
  readonly maxLines: number;
  readonly filesOver300: number;
  readonly functionsOver50: number;
  readonly longestFunction: number;
  readonly omitAndPick: number;
  readonly exportedTwice: number;
  readonly castsPerThousandLines: number;
  readonly commentPercent: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

function visit(node: Node, seen: (node: Node) => void): void {
  seen(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, seen);
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(root, folder, name))
    .toSorted();
}

function lineCounter(text: string): (start: number, end: number) => number {
  return (start, end) => text.slice(start, end).split("\n").length;
}

const functionTypes = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
const declared = /^export (?:declare )?(?:abstract )?(?:async )?(?:function|class|interface|type|const) (\w+)/gm;

/** The figures of one folder, by parsing alone. */
export function sourceFigures(folder: string): Figures {
  const sizes: number[] = [];
  const functions: number[] = [];
  const names = new Map<string, number>();
  let omitAndPick = 0;
  let casts = 0;
  let commentLines = 0;
  for (const file of sourceFiles(folder)) {
    const text = readFileSync(file, "utf8");
    const linesOf = lineCounter(text);
    sizes.push(text.split("\n").length - 1);
    omitAndPick += text.match(/\b(?:Omit|Pick)</g)?.length ?? 0;
    for (const [, name] of text.matchAll(declared)) if (name !== undefined) names.set(name, (names.get(name) ?? 0) + 1);
    const { program, comments } = parseSync(file, text);
    for (const { start, end } of comments) commentLines += linesOf(start, end);
    visit(program as unknown as Node, (node) => {
      if (functionTypes.has(node.type)) functions.push(linesOf(node.start, node.end));
      if (node.type === "TSAsExpression" && !/\bas const$/.test(text.slice(node.start, node.end))) casts += 1;
    });
  }
  sizes.sort((a, b) => a - b);
  const lines = sizes.reduce((sum, size) => sum + size, 0);
  const at = (share: number) => sizes[Math.floor((sizes.length - 1) * share)] ?? 0;
  return {
    files: sizes.length,
    lines,
    medianLines: at(0.5),
    p90Lines: at(0.9),
    maxLines: at(1),
    filesOver300: sizes.filter((size) => size > 300).length,
    functionsOver50: functions.filter((size) => size > 50).length,
    longestFunction: Math.max(0, ...functions),
    omitAndPick,
    exportedTwice: [...names.values()].filter((count) => count > 1).length,
    castsPerThousandLines: rounded((casts / lines) * 1000),
    commentPercent: rounded((commentLines / lines) * 100),
  };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

async function main(words: readonly string[]): Promise<void> {
  const folders = ["src", "ui", "test"];
  const figures = Object.fromEntries(folders.map((folder) => [folder, sourceFigures(folder)]));
  const walks = words.includes("--walks") ? await (await import("./walk-figures.ts")).walkFigures() : null;
  if (words.includes("--json")) {
    console.log(JSON.stringify({ ...figures, ...(walks === null ? {} : { walks }) }));
    return;
  }
  console.table(figures);
  if (walks !== null) console.table(walks);
}

if (process.argv[1] !== undefined && relative(process.argv[1], import.meta.filename) === "")
  await main(process.argv.slice(2));
