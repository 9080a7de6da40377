// Who watches the queue, and where: also in files of a version that did not know where.

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import type { SentNotice } from "../../src/approval/notices.ts";
import { waitingText, whereToAnswer } from "../../src/approval/queue.ts";
import { bareOwnCommand } from "../../src/shared/own-command.ts";
import { openApprovals } from "../../src/store/approvals.ts";
import { questionAbout } from "../fixtures/approver.ts";
import { makeTestDirectories, type TestDirectories } from "../fixtures/gate.ts";
import { startHelper } from "../fixtures/helper.ts";
import { until } from "../fixtures/run.ts";

function newPlace(t: TestContext): TestDirectories {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  return directories;
}

function open(t: TestContext, { state }: TestDirectories) {
  const approvals = openApprovals(state);
  t.after(() => approvals.close());
  return approvals;
}

test("the page that is there is named to every process, and no more once it has left", async (t) => {
  const directories = newPlace(t);
  const [server, agent] = [open(t, directories).queue, open(t, directories).queue];
  assert.deepEqual(await agent.pages(), []);
  const review = await server.watch("review");
  assert.deepEqual([await agent.pages(), await agent.isWatched()], [[], true]);
  const [one, other] = [
    await server.watch("serve", "http://127.0.0.1:7117"),
    await server.watch("serve", "http://127.0.0.1:8000"),
  ];
  assert.deepEqual(await agent.pages(), ["http://127.0.0.1:8000", "http://127.0.0.1:7117"], "the newest first");
  await other.leave();
  assert.deepEqual(await agent.pages(), ["http://127.0.0.1:7117"]);
  await one.leave();
  await review.leave();
  assert.deepEqual([await agent.pages(), await agent.isWatched()], [[], false]);
});

test("a page whose process was killed is not named", async (t) => {
  const directories = newPlace(t);
  const { queue } = open(t, directories);
  const source = `import { openApprovals } from ${JSON.stringify(join(import.meta.dirname, "../../src/store/approvals.ts"))};
    openApprovals(${JSON.stringify(directories.state)}).queue.watch("serve", "http://127.0.0.1:1"); console.log("here"); setInterval(() => undefined, 1000);`;
  const helper = await startHelper([process.execPath, "--input-type=module", "--eval", source]);
  t.after(() => helper.stop());
  assert.deepEqual(await queue.pages(), ["http://127.0.0.1:1"]);
  helper.stop();
  await until("it is gone", async () => (await queue.pages()).length === 0);
});

test("a file without columns that came later gets them, keeps what it holds, and its own version goes on writing", async (t) => {
  const directories = newPlace(t);
  const first = openApprovals(directories.state);
  const question = await first.queue.put(questionAbout([{ kind: "read", path: "/srv" }]));
  first.close();
  const old = new DatabaseSync(join(directories.state, "approvals.sqlite"));
  old.exec(
    "ALTER TABLE watchers DROP COLUMN url; ALTER TABLE questions DROP COLUMN diff; ALTER TABLE questions DROP COLUMN owner",
  );
  assert.throws(() => old.prepare("SELECT url FROM watchers"), "the fixture is an old file");
  const before = old.prepare(
    "INSERT INTO watchers (role, pid, started, namespace, boot) VALUES ('review', 1, '', '', '')",
  );
  const [one, other] = [open(t, directories).queue, open(t, directories).queue];
  assert.equal((await one.find(question.id))?.question.id, question.id);
  await one.watch("serve", "http://127.0.0.1:7117");
  assert.deepEqual(await other.pages(), ["http://127.0.0.1:7117"]);
  before.run();
  old.close();
});

test("its version is another one after each change, one's own or not", async (t) => {
  const directories = newPlace(t);
  const [one, other] = [open(t, directories).queue, open(t, directories).queue];
  const seen = [await one.version()];
  assert.equal(await one.version(), seen[0]);
  await one.put(questionAbout([{ kind: "read", path: "/a" }], { mark: "a" }));
  seen.push(await one.version());
  await other.put(questionAbout([{ kind: "read", path: "/b" }], { mark: "b" }));
  seen.push(await one.version());
  assert.equal(new Set(seen).size, 3);
});

const untold = { sentFor: async () => [] };
const told = (...sent: SentNotice[]) => ({ sentFor: async () => sent });

test("the hint says what told the person, and not what failed to", async () => {
  const queue = { command: bareOwnCommand, pages: async () => ["http://127.0.0.1:7117"] };
  const phone = { name: "my\u001bphone", at: 1, problem: null };
  const notices = told(phone, phone, { name: "ntfy", at: 2, problem: "it could not be reached" });
  assert.match(await whereToAnswer({ id: "q-1" }, { ...queue, notices }), /up\. They were told by my\\x1bphone\.$/);
  assert.equal(
    await waitingText({ id: "q-1" }, { ...queue, notices: untold }),
    "waiting for a person to answer question q-1 at http://127.0.0.1:7117/#/q/q-1, or with `sallyport review q-1`",
  );
  assert.equal(
    await waitingText({ id: "q-1" }, { ...queue, pages: async () => [], notices }),
    "waiting for a person to answer question q-1: `sallyport review q-1`. They were told by my\\x1bphone.",
  );
});

test("the hint names the page where there is one, and always the command", async () => {
  assert.equal(
    await whereToAnswer({ id: "q-1" }, { command: bareOwnCommand, notices: untold, pages: async () => [] }),
    "A person can answer within 24 hours: `sallyport review q-1`; the same call then picks the answer up.",
  );
  assert.equal(
    await whereToAnswer(
      { id: "q-1" },
      { command: bareOwnCommand, notices: untold, pages: async () => ["http://127.0.0.1:7117", "http://127.0.0.1:1"] },
    ),
    "A person can answer within 24 hours at http://127.0.0.1:7117/#/q/q-1, or with `sallyport review q-1`; the same call then picks the answer up.",
  );
  assert.equal(
    await whereToAnswer(
      { id: "q-1", endsWithGate: true },
      { command: bareOwnCommand, notices: untold, pages: async () => [] },
    ),
    "A person can answer while this connection lasts, within 24 hours: `sallyport review q-1`; the same call then picks the answer up.",
  );
});
