// Shell calls that may run and must not get out. What every one is asked is in the test: no marker. Here is what each is
// asked besides, and which shell its string is for when it is run by hand in the box.

import { strict as assert } from "node:assert";
import { existsSync } from "node:fs";
import type { FailureSlug } from "../../src/index.ts";
import { type Bench, ran } from "./bench.ts";
import { canary } from "./contained-exec.ts";

/** Of a program that ran, through the gate or by hand. */
interface Printed {
  readonly exit_code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ShellContained {
  readonly look?: (printed: Printed, bench: Bench) => void;
  /** With these it may be refused: where there is no such program, there is nothing to contain. */
  readonly refusedWith?: FailureSlug;
  readonly shell?: "/bin/bash";
  /** Only decided, never started: it would fetch. */
  readonly isDecidedOnly?: true;
  readonly more?: (bench: Bench) => Promise<void>;
}

const tried = /No such file or directory|Read-only file system/i;

/** It ran, tried to make the marker, and could not. */
const stopped: ShellContained = {
  refusedWith: "tool_failed",
  look({ exit_code, stdout, stderr }) {
    assert.notEqual(exit_code, 0, stdout);
    assert.match(stdout + stderr, tried);
  },
};
const complained: ShellContained = { look: ({ stdout, stderr }) => assert.match(stdout + stderr, tried) };
const fetches: ShellContained = { refusedWith: "tool_failed", isDecidedOnly: true };
const perhapsMissing: ShellContained = { refusedWith: "tool_failed" };

export const shellContained: Readonly<Record<string, ShellContained>> = {
  "shell-parse-printf-v": { shell: "/bin/bash" },
  "shell-prog-jq-env": {
    look({ exit_code, stdout }) {
      assert.equal(exit_code, 0);
      assert.match(stdout, /"PATH":/);
      assert.ok(!stdout.includes(canary));
    },
  },
  "shell-prog-python-c": stopped,
  "shell-prog-node-e": stopped,
  "shell-prog-npx": fetches,
  "shell-prog-npm-run": perhapsMissing,
  "shell-prog-pip-install": fetches,
  "shell-prog-make": stopped,
  "shell-prog-make-n": complained,
  "shell-prog-make-eval": complained,
  "shell-prog-go-run": perhapsMissing,
  "shell-prog-go-exec": perhapsMissing,
  "shell-prog-java-agent": perhapsMissing,
  // Such a link is the file itself. What holds is that no agent makes one: the place outside is not in its box.
  "shell-path-hardlink": { more: makesNoLink },
};

async function makesNoLink({ world, run }: Bench): Promise<void> {
  const link = `${world.root}/another`;
  const { exit_code, stderr } = ran(await run({ argv: ["/bin/ln", `${world.out}/secret`, link] }));
  assert.notEqual(exit_code, 0);
  assert.match(stderr, tried);
  assert.equal(existsSync(link), false);
}
