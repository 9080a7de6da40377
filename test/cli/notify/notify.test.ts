// Notices of the real commands: a call that is killed before its notice went, and many processes on one store.

import assert from "node:assert/strict";
import test from "node:test";
import { newAsker } from "../../fixtures/asking.ts";
import { startNoticeServer } from "../../fixtures/notice-server.ts";
import { until } from "../../fixtures/run.ts";
import { serveTo } from "../../ui/fixture.ts";

const ids = (body: string) => (JSON.parse(body) as { questions: { id: string }[] }).questions.map(({ id }) => id);

test("a call waits for a person who can be told, and says by what they were told when nobody came", async (t) => {
  const server = await startNoticeServer(t);
  const more = `approvals: { timeout_s: 3 }\nnotify:\n  - { ntfy: "${server.url}/topic", after_s: 0, name: my phone }\n`;
  const asker = newAsker(t, more);
  const { code, out } = await asker.begin(asker.call).done;
  const reply = JSON.parse(out) as { error: string; hint: string };
  assert.deepEqual([code, reply.error], [1, "approval_timeout"]);
  assert.match(reply.hint, /They were told by my phone\.$/);
  assert.equal(server.requests.length, 1);
  assert.equal(server.requests[0]?.body, "Answer with: sallyport review");
});

test("a call is killed before its notice went: the next process on the store sends it, once", async (t) => {
  const server = await startNoticeServer(t);
  const asker = newAsker(t, `notify:\n  - { ntfy: "${server.url}/topic", after_s: 2, every_s: 0, content: true }\n`);
  const call = asker.begin(asker.call);
  await until("it is asked", () => asker.waiting().length === 1);
  call.kill();
  await call.done;
  assert.equal(server.requests.length, 0, "the control: nobody has told it");
  const served = await serveTo(t, asker);
  const others = [await serveTo(t, asker), await serveTo(t, asker)];
  await until("somebody tells it", () => server.requests.length > 0);
  assert.match(server.requests[0]?.body ?? "", /asks, Exec: \/usr\/bin\/cat note\nAnswer at http:\/\/127\.0\.0\.1:/);
  const second = asker.begin([...asker.exec.slice(0, -1), "./note"]);
  await until("another one is told", () => server.requests.length > 1);
  second.kill();
  await second.done;
  for (const one of [served, ...others]) await one.stop();
  assert.equal(server.requests.length, 2, "three servers and a call, and one notice for each question");
});

test("a webhook of a real command has the ids of its questions, and a wrong configuration says where", async (t) => {
  const server = await startNoticeServer(t);
  const asker = newAsker(
    t,
    `approvals: { timeout_s: 2 }\nnotify:\n  - { webhook: "${server.url}/hook", secret_env: HOME, after_s: 0 }\n`,
  );
  await asker.begin(asker.call).done;
  assert.deepEqual(
    ids(server.requests[0]?.body ?? ""),
    asker.waiting().map(({ id }) => id),
  );
  const wrong = newAsker(t, "notify:\n  - { webhook: http://example.org/hook, secret_env: HOME }\n");
  const { code, err } = wrong.run(wrong.call);
  assert.equal(code, 2);
  assert.match(
    err,
    /config\.yaml:\d+:\d+: notify\[0\]\.webhook: http would show the notice to others\. Use https; http only for a server on this machine\./,
  );
});
