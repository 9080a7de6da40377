// Whole agents as npm brings them, on a terminal as a person has one, in a test's own internet: the person types the task, leaves the agent
// with its own command, and gets the terminal back as it was.

import assert from "node:assert/strict";
import test from "node:test";
import { answer, newAgentTask, openAgentWorld, task } from "../../fixtures/agent-task.ts";
import { noTmux, openTmux, PROMPT } from "../../fixtures/tmux.ts";

const world = await openAgentWorld();
const atPrompt = new RegExp(`^${PROMPT.replace("$", "\\$")}\\s*$`, "m");

for (const client of world.clients)
  test(
    `${client.title}, on a terminal: reads, edits, tests, asks for a host, commits; the project changes when it lands`,
    { skip: noTmux },
    async (t) => {
      const work = newAgentTask(t, client, world);
      const terminal = openTmux(t, work.person, work.env);
      await terminal.until(atPrompt);
      const before = terminal.modes();
      terminal.enter(["sallyport", "run", client.program, ...client.onTerminal].join(" "));
      await terminal.until(client.ready);
      await terminal.untilStill();
      assert.notEqual(terminal.modes(), before, "it has set modes of the terminal");
      terminal.type(task);
      await terminal.until(new RegExp(task));
      await terminal.untilStill();
      terminal.press("Enter");
      await work.answerHost();
      await terminal.until(new RegExp(answer));
      await terminal.untilStill();
      terminal.type(client.leave);
      await terminal.untilStill();
      terminal.press("Enter");
      await terminal.until(/has changed 1 file, in 1 commit/);
      await terminal.until(atPrompt);
      assert.equal(terminal.modes(), before, "the terminal is as it was");
      terminal.enter('stty -a | grep -oE " -?(icanon|echo|isig) "; echo "back: $?"');
      await terminal.until(/^ icanon$[^]*^ echo$[^]*^back: 0$/m);
      work.assertDone(client.asksOnTerminal);
      await work.assertLands();
    },
  );
