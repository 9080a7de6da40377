// Another spelling of a refused command is refused. Every refused string of the corpus is respelled many times, and each
// spelling is decided by a gate; nothing is started.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import test, { after } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { createRegistry, registerShellTool } from "../../src/index.ts";
import { loadCases } from "../corpus/cases.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { makeRepository } from "../fixtures/git.ts";
import {
  cluster,
  joinWords,
  quoteLetters,
  respellPaths,
  shortenFlags,
  shuffleFlags,
  splitWords,
} from "../fixtures/command-spellings.ts";
import { runs } from "../fixtures/runs.ts";

const directories = makeTestDirectories();
const repo = makeRepository(`${directories.root}/repo`);
mkdirSync(`${repo}/bin`);
for (const name of ["-delete", "payload.sh", "big.txt"]) writeFileSync(`${repo}/${name}`, "");

const registry = createRegistry();
registerShellTool(registry);
const gate = openGate(directories, { tools: ["Shell"] }, { registry });
after(() => {
  gate.close();
  directories.remove();
});

interface Refused {
  readonly id: string;
  readonly commands: readonly string[];
  readonly workDir: string;
}

const fill = (text: string): string =>
  text
    .replaceAll("@@REPO@@", repo)
    .replaceAll("@@ROOT@@", repo)
    .replaceAll("@@OUT@@", directories.outside)
    .replaceAll("@@MARKER@@", `${directories.outside}/marker`);

const refused: readonly Refused[] = loadCases(["shell"])
  .filter(({ id, expect }) => expect === "refuse" && id !== "shell-parse-very-long") // its length is what is refused
  .map(({ id, input }) => {
    const { command, work_dir = repo } = input as { command: string | string[]; work_dir?: string };
    return { id, commands: [command].flat().map(fill), workDir: fill(work_dir) };
  });

/** Whether it may start; whether it is a path that somebody would have to be asked about does not matter here. */
async function isAccepted({ commands, workDir }: Refused): Promise<boolean> {
  const planned = await gate.plan({ tool: "Shell", args: { command: commands, work_dir: workDir } });
  return planned.ok && planned.value.verdict.decision === "allow";
}

function holds(respell: (command: string, choose: Choose) => string, numRuns: number, cases = refused): Promise<void> {
  return fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...cases),
      fc.array(fc.nat(), { minLength: 8, maxLength: 24 }),
      async (one, numbers) => {
        const choose = chooser(numbers);
        const commands = one.commands.map((command) => respell(command, choose));
        assert.ok(!(await isAccepted({ ...one, commands })), `${one.id}: ${JSON.stringify(commands)} is accepted`);
      },
    ),
    { numRuns },
  );
}

type Choose = (count: number) => number;

/** The numbers one after another, from the first again after the last; each below the count asked for. */
function chooser(numbers: readonly number[]): Choose {
  let next = 0;
  return (count) => (numbers[next++ % numbers.length] as number) % count;
}

const words = (respell: (words: string[], choose: Choose) => string[]) => (command: string, choose: Choose) =>
  joinWords(respell(splitWords(command), choose));
const blanks = (command: string, choose: Choose): string =>
  joinWords(splitWords(command), () => [" ", "  ", "\t", " \t "][choose(4)] as string) + " ".repeat(choose(3));
const assign = (command: string, choose: Choose): string =>
  `${["A=1", "FOO='b c'", "LC_ALL=C", "A="][choose(4)]} ${command}`;
const RUNS = runs(3_000);

test("there are refused commands to respell, and each is refused as it is", async () => {
  assert.ok(refused.length > 160);
  for (const one of refused) assert.ok(!(await isAccepted(one)), one.id);
});

test("with more blanks", () => holds(blanks, RUNS));
test("with letters quoted", () => holds(words(quoteLetters), RUNS));
test("with ./ and // in paths", () => holds(words(respellPaths), RUNS));
test("with its flags in another order", () => holds(words(shuffleFlags), RUNS));
test("with long flags shortened", () => holds(words(shortenFlags), RUNS));
test("with short flags clustered and joined to their values", () => holds(words(cluster), RUNS));
test("with assignments before it", () => holds(assign, RUNS));

// `env` with nothing to start prints what the box has in its environment, and that is fine.
const notEmpty = refused.filter(({ commands }) => commands[0] !== "");
test("inside of env", () =>
  holds((command, choose) => `env ${choose(2) === 0 ? "" : "A=1 "}${command}`, RUNS, notEmpty));

test("with all of that at once", () => {
  const steps = [shuffleFlags, shortenFlags, cluster, respellPaths, quoteLetters];
  return holds(
    (command, choose) => {
      const respelled = steps.reduce((now, step) => (choose(2) === 0 ? now : step(now, choose)), splitWords(command));
      const wrapped = choose(3) === 0 ? `env ${joinWords(respelled)}` : joinWords(respelled);
      return blanks(choose(3) === 0 ? assign(wrapped, choose) : wrapped, choose);
    },
    4 * RUNS,
    notEmpty,
  );
});
