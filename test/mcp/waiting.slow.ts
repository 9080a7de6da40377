// How long a client waits: for a person, and for a program that prints nothing. With progress messages longer than a client's own
// limit, and longer than the 50 seconds of a call without them.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { openAnswerService } from "../../src/runtime/answer-service.ts";
import { LocalStore } from "../../src/runtime/local-store.ts";
import { clientsOver, connected, mcpUser } from "../fixtures/mcp.ts";
import { until } from "../fixtures/run.ts";

/** Asks: nothing outside the grants is read unasked. */
const asking = { script: "cat /etc/hostname", needs: { read: ["/etc/hostname"] } };
/** As of a client that gives up on a call that is silent for so long. */
const patient = { timeout: 30_000, resetTimeoutOnProgress: true };

suite("waiting", { concurrency: 6 }, () => {
  for (const [transport, kind] of clientsOver(true)) {
    test(`${kind} over ${transport}: a question is answered after the 50 seconds, and the call goes on`, async (t) => {
      const person = mcpUser(t, "mode: ask, timeout_s: 300");
      const configDirectory = `${person.home}/.config/sallyport`;
      const store = new LocalStore({ stateDirectory: person.state, configDirectory, home: person.home });
      t.after(() => store.close());
      const answerService = openAnswerService({ store, journal: () => store.journal });
      const { queue } = answerService;
      const watcher = await queue.watch("serve", "http://127.0.0.1:7117");
      t.after(() => watcher.leave());
      const client = await connected(t, person, transport, { kind });
      const heard: string[] = [];
      const begun = performance.now();
      const call = client.call("Bash", asking, { ...patient, onprogress: ({ message = "" }) => heard.push(message) });
      // The control: the same, unheard. The client itself would wait for longer.
      const unheard = client.call("Bash", { ...asking, script: "cat  /etc/hostname" }, { timeout: 90_000 });
      const { reply } = await unheard;
      assert.ok(!reply.ok);
      assert.equal(reply.error, "approval_timeout");
      assert.match(reply.message, /within 50 seconds/);
      await until("longer than that", () => performance.now() - begun > 60_000);
      const waiting = (await queue.waiting()).find(({ isAwaited }) => isAwaited);
      assert.ok(waiting !== undefined, "the other one waits on");
      const { id, action } = waiting.question;
      const where = `waiting for a person to answer question ${id} at http://127.0.0.1:7117/#/q/${id}, or with \``;
      assert.ok(
        heard.some((text) => text.startsWith(where) && text.includes(` review ${id} `)),
        heard.at(-1),
      );
      await answerService.answer(id, { decision: "allow", digest: action.digest, who: "ann", reason: null });
      const done = await call;
      assert.ok(done.reply.ok, done.text);
    });

    test(`${kind} over ${transport}: a program that prints nothing is not given up`, async (t) => {
      const client = await connected(t, mcpUser(t), transport, { kind });
      const silent = { script: "sleep 70; echo awake", timeout_s: 200 };
      const heard: string[] = [];
      const done = await client.call("Bash", silent, {
        ...patient,
        onprogress: ({ message = "" }) => heard.push(message),
      });
      assert.ok(done.reply.ok, done.text);
      assert.ok(
        heard.some((text) => /^Bash is at work \(\d+ s\)$/.test(text)),
        heard.join("; "),
      );
      // The control: unheard, the same client gives up.
      await assert.rejects(client.call("Bash", silent, patient), /timed out/i);
    });
  }
});
