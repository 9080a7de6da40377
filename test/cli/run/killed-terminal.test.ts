// The gate is killed while a program of `sallyport run` draws on the person's terminal: the terminal is as it was, and the work is kept.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { newAgentPerson } from "../../fixtures/agent-person.ts";
import { noTerminal } from "../../fixtures/cli.ts";
import { openDialog } from "../../fixtures/dialog.ts";
import { until } from "../../fixtures/run.ts";

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
const nameOf = (pid: number) => readFileSync(`/proc/${pid}/comm`, "utf8").trim();

for (const isKept of [true, false])
  test(
    isKept
      ? "the terminal of a killed gate is given back, and its session goes on"
      : "control: if what waits for the end of the gate is killed first, the terminal stays as the program left it",
    { skip: noTerminal },
    async (t) => {
      const person = newAgentPerson(t, { "a.txt": "one\n" });
      const look = join(person.root, "look");
      const script = "printf '\\033[?1049h\\033[?1003h'; echo work > work.txt; echo dra''wn; exec sleep 1000";
      const shell = `"$0" "$@" run --session s -- bash -c "${script}"; echo "code $?"; until [ -e ${look} ]; do sleep 0.05; done; echo; stty -a | grep -o ' -*icanon\\| -*echo '`;
      const dialog = openDialog(t, person, [], { shell });
      await dialog.until("drawn");
      const [gate = 0] = childrenOf(dialog.pid);
      const [keeper = 0] = childrenOf(gate).filter((pid) => nameOf(pid) === "sh");
      assert.ok(keeper > 0, "nothing waits for the end of the gate");
      if (!isKept) process.kill(keeper, "SIGKILL");
      process.kill(gate, "SIGKILL");
      await dialog.until("code 137");
      const isReset = () => dialog.output().includes("\u001b[?1047l");
      if (isKept) await until("the modes are reset", isReset);
      writeFileSync(look, "");
      assert.equal(await dialog.ended, 0);
      const set = dialog.output().match(/^ -?(?:icanon|echo)/gm);
      const expected = isKept ? [" icanon", " echo"] : [" -icanon", " -echo"];
      assert.deepEqual([set?.toSorted(), isReset()], [expected.toSorted(), isKept], dialog.output());
      const next = person.runProcess(["run", "--session", "s", "--", "cat", "work.txt"]);
      assert.equal(next.out, "work\n", next.err);
    },
  );
