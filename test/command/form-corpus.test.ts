// The corpus' Shell cases as far as programs and forms decide them: what must go through passes here, and of what must
// not, this part refuses the programs and the forms. (Syntax, paths, variables and git's forms are judged elsewhere.)

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { expandBraces } from "../../src/command/words/braces.ts";
import { createProgramTable, judgeForm } from "../../src/command/form.ts";
import type { Form } from "../../src/command/rules/shell-rule.ts";
import { textOf } from "../../src/command/words/shell-word.ts";
import { scanCommand } from "../../src/command/words/scan.ts";
import type { Result } from "../../src/shared/result.ts";

interface Case {
  readonly id: string;
  readonly input: { readonly command: string | readonly string[] };
  readonly expect: "allow" | "refuse" | "contain";
}

const cases = readFileSync(new URL("../corpus/cases.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case)
  .filter(({ id }) => id.startsWith("shell-"));
const table = createProgramTable();

/** null: not one simple command. */
function judgeText(command: string): Result<Form> | null {
  const scanned = scanCommand(command.replaceAll(/@@(\w+)@@/g, "/$1"));
  if (!scanned.ok) return null;
  return judgeForm(scanned.value.words.flatMap((word) => expandBraces(word, 100) ?? []).map(textOf), table);
}

// Refused because of where a path leads.
const byPath: Readonly<Record<string, string>> = {
  "shell-prog-xargs-arg-file": "/OUT/list",
  "shell-prog-file-m-outside": "/etc/hostname",
  "shell-prog-file-f-outside": "/etc/hostname",
  "shell-prog-date-f": "/etc/hostname",
  "shell-prog-wc-files0": "/etc/hostname",
  "shell-prog-du-files0": "/etc/hostname",
  "shell-prog-diff-outside": "/etc/hostname",
  "shell-prog-jq-rawfile": "/etc/hostname",
  "shell-prog-jq-fromfile": "/OUT/p.jq",
  "shell-path-double-slash": "//etc/passwd",
  "shell-path-flag-joined": "/etc/shadow",
};

test("the corpus has Shell cases", () => assert.ok(cases.length > 150));

for (const { id, input, expect } of cases) {
  const [command = ""] = typeof input.command === "string" ? [input.command] : input.command;
  if (expect !== "refuse") test(`${id} passes`, () => assert.ok(judgeText(command)?.ok, command));
  else if (byPath[id] !== undefined) {
    test(`${id} names its path`, () => {
      const form = judgeText(command);
      assert.ok(form?.ok === true && form.value.kind === "program");
      assert.ok(form.value.paths.some(({ path }) => path === byPath[id]));
    });
  } else if (id.startsWith("shell-prog-"))
    test(`${id} is refused`, () => assert.equal(judgeText(command)?.ok, false, command));
}

test("git's flags before the subcommand are refused here", () => {
  for (const id of ["dash-c", "exec-path", "work-tree", "paginate", "C-twice"]) {
    const found = cases.find((entry) => entry.id === `shell-git-${id}`);
    if (found === undefined) continue;
    assert.equal(judgeText(found.input.command as string)?.ok, false, id);
  }
});
