// The blocks of docs/library.md are checked against the sources and the libraries' own types, each as a program of its own.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { readDocument, root } from "./documents.ts";

/** What a block takes for granted. */
const given = `
import type Anthropic from "@anthropic-ai/sdk";
import type { LanguageModel } from "ai";
import type OpenAI from "openai";
import type { Gate } from "sallyport";
declare global {
  const gate: Gate;
  const model: LanguageModel;
  const prompt: string;
  const anthropic: Anthropic;
  const openai: OpenAI;
  const request: { model: string; max_tokens: number };
  const messages: Anthropic.MessageParam[];
}
`;

function problemsOf(blocks: readonly string[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-library-"));
  try {
    symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
    const compilerOptions = { noUnusedLocals: false, types: ["node"], typeRoots: [join(root, "node_modules/@types")] };
    const config = { extends: join(root, "tsconfig.json"), compilerOptions, include: ["*.ts"], exclude: [] };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(config));
    writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
    writeFileSync(join(directory, "given.ts"), given);
    for (const [index, block] of blocks.entries()) writeFileSync(join(directory, `block-${index}.ts`), block);
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const done = spawnSync(process.execPath, [compiler, "-p", "."], { cwd: directory, encoding: "utf8" });
    return done.stdout.split("\n").filter((line) => /^(?:block-|given|error)/.test(line));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test("every block of docs/library.md is right about its library", () => {
  const blocks = [...readDocument("docs/library.md").matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
    ([, body]) => body ?? "",
  );
  assert.ok(blocks.length >= 6);
  const wrong = 'import { gateTools } from "sallyport/ai-sdk";\nconst tools: number = gateTools(gate);\n';
  const [control, ...problems] = problemsOf([...blocks, wrong]).toReversed();
  assert.match(control ?? "", new RegExp(`^block-${blocks.length}\\.ts\\(2,7\\): error TS2322`), "a wrong one is seen");
  assert.deepEqual(problems, []);
});
