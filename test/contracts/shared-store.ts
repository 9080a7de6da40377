// The contract of the shared store: what every database behind a team's questions must hold. Each test opens several
// members of one store; some are on another machine, whose processes cannot be seen from here.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import test, { type TestContext } from "node:test";
import type { Question, SettledAnswer } from "../../src/approval/approver.ts";
import { type Claim, QueueFull, type SharedStore } from "../../src/approval/shared-store.ts";
import type { EntryDraft } from "../../src/audit/entry.ts";
import { limits } from "../../src/shared/limits.ts";
import { answerTo, questionAbout } from "../fixtures/approver.ts";
import { sessionOfDefault } from "../fixtures/session-id.ts";

export interface StoreWorld {
  /** Another member of the same store. Closed after the test. */
  open(): SharedStore;
  /** The same, on another machine. Where there is one member at a time, both give that one. */
  openElsewhere(): SharedStore;
  /** Lets the store's clock go on. Nobody renews a lease meanwhile. */
  pass(ms: number): void;
  /** Writes into the record that the store reads. */
  append(entry: EntryDraft): void;
  /** Where rules of a project are kept. */
  readonly project: string;
}

const LEASE_MS = 30_000;

const about = (mark: string, more: Partial<Question> = {}): Question => ({
  ...questionAbout([{ kind: "read", path: "/srv" }], { mark }),
  ...more,
});

function settled(question: Question, more: Partial<SettledAnswer> = {}): SettledAnswer {
  const { decision, digest, who, reason } = answerTo(question);
  return { question: question.id, decision, digest, scope: "once", who, reason, note: null, ...more };
}

async function claimOf({ queue }: SharedStore, { id }: Question): Promise<Claim> {
  const claimed = await queue.claim(id);
  assert.ok(claimed.ok, claimed.ok ? "" : claimed.reason);
  return claimed.claim;
}

const session = sessionOfDefault("s1");

/** `members`: how many the store has at a time. With one, what a member learns of another is left out. */
export function sharedStoreContract(
  name: string,
  openWorld: (t: TestContext) => StoreWorld,
  members: "one" | "many" = "many",
): void {
  const contract = (title: string, run: (world: StoreWorld) => Promise<void>) =>
    void test(`${name}: ${title}`, (t) => run(openWorld(t)));
  const betweenMembers = members === "many" ? contract : () => undefined;

  contract("a question waits once for identical calls of a session, and its answer is taken once", async (world) => {
    const [asker, other] = [world.open(), world.open()];
    const question = await asker.queue.put(about("x"));
    assert.equal((await other.queue.put(about("x"))).id, question.id);
    assert.equal(await other.queue.waitingId(question.action.digest, session), question.id);
    assert.equal(await other.queue.waitingId(question.action.digest, sessionOfDefault("s2")), null);
    assert.equal(await other.queue.take(question.action.digest, session), null, "it has no answer yet");
    assert.equal(await other.queue.commit(await claimOf(other, question), settled(question)), true);
    assert.deepEqual(await asker.queue.waiting(), []);
    assert.equal((await asker.queue.find(question.id))?.isTaken, false);
    const taken = await Promise.all([asker, other].map(({ queue }) => queue.take(question.action.digest, session)));
    assert.deepEqual(
      taken.filter((one) => one !== null),
      [settled(question)],
    );
    assert.equal((await asker.queue.find(question.id))?.isTaken, true);
  });

  contract("a reviewer finds the diff with the question; lists leave it out", async (world) => {
    const diff: Question["diff"] = [];
    const question = about("x", { diff });
    await world.open().queue.put(question);
    const reviewer = world.openElsewhere();
    assert.deepEqual((await reviewer.queue.find(question.id))?.question.diff, diff);
    assert.deepEqual(
      (await reviewer.queue.waiting()).map(({ question: one }) => "diff" in one),
      [false],
    );
  });

  contract("who claims first answers; the others are told that somebody does, and then who did", async (world) => {
    const [one, other] = [world.open(), world.openElsewhere()];
    const question = await one.queue.put(about("x"));
    const claim = await claimOf(one, question);
    const refused = await other.queue.claim(question.id);
    assert.deepEqual([refused.ok, refused.ok || refused.isClaimed], [false, true]);
    assert.equal((await other.queue.waiting()).length, 1, "a claim is no answer");
    assert.equal(await one.queue.commit(claim, settled(question)), true);
    assert.equal(await one.queue.commit(claim, settled(question, { decision: "deny" })), false);
    assert.deepEqual(await other.queue.claim(question.id), {
      ok: false,
      reason: "it was answered already: allow, by ann",
      isClaimed: false,
    });
    assert.deepEqual(await other.queue.claim("q-none"), {
      ok: false,
      reason: "there is no such question",
      isClaimed: false,
    });
  });

  contract("a claim that was released leaves the question as it was", async (world) => {
    const store = world.open();
    const question = await store.queue.put(about("x"));
    const claim = await claimOf(store, question);
    await store.queue.release(claim);
    assert.equal(await store.queue.commit(claim, settled(question)), false);
    assert.equal((await claimOf(store, question)).isTakenOver, false);
  });

  contract("a claim that nobody finished can be taken over, and then the first one is over", async (world) => {
    const [one, other] = [world.openElsewhere(), world.open()];
    const question = await one.queue.put(about("x"));
    const claim = await claimOf(one, question);
    world.pass(LEASE_MS - 1);
    assert.equal((await other.queue.claim(question.id)).ok, false);
    assert.equal(await one.queue.renew(claim), true);
    world.pass(LEASE_MS - 1);
    assert.equal((await other.queue.claim(question.id)).ok, false, "it was renewed");
    world.pass(1);
    const second = await claimOf(other, question);
    assert.equal(second.isTakenOver, true);
    assert.equal(await one.queue.renew(claim), false);
    assert.equal(await one.queue.commit(claim, settled(question)), false);
    assert.equal(await other.queue.commit(second, settled(question, { decision: "deny" })), true);
    assert.equal((await one.queue.find(question.id))?.answer?.decision, "deny");
  });

  contract("of many who answer at once exactly one has", async (world) => {
    const members = [world.open(), world.open(), world.openElsewhere(), world.openElsewhere()];
    for (let round = 0; round < 25; round += 1) {
      const question = await (members[0] as SharedStore).queue.put(about(`race ${round}`));
      const won = await Promise.all(
        members.map(async ({ queue }, who) => {
          const claimed = await queue.claim(question.id);
          return claimed.ok && (await queue.commit(claimed.claim, settled(question, { who: `p${who}` })));
        }),
      );
      assert.equal(won.filter(Boolean).length, 1);
      const answer = (await (members[0] as SharedStore).queue.find(question.id))?.answer;
      assert.equal(answer?.who, `p${won.indexOf(true)}`);
    }
  });

  contract("an unused yes lasts 15 minutes, a question and an unused no 24 hours", async (world) => {
    const { queue } = world.open();
    const [yes, no, open] = [
      await queue.put(about("yes")),
      await queue.put(about("no")),
      await queue.put(about("open")),
    ];
    for (const [question, decision] of [
      [yes, "allow"],
      [no, "deny"],
    ] as const) {
      const claimed = await queue.claim(question.id);
      assert.ok(claimed.ok && (await queue.commit(claimed.claim, settled(question, { decision }))));
    }
    world.pass(limits.yesUnusedS * 1000);
    assert.equal(await queue.find(yes.id), undefined);
    world.pass((limits.questionOpenS - limits.yesUnusedS) * 1000 - 1);
    assert.equal((await queue.find(no.id))?.answer?.decision, "deny");
    assert.equal((await queue.find(open.id))?.answer, null);
    world.pass(1);
    assert.deepEqual(
      [await queue.find(no.id), await queue.find(open.id), await queue.waiting()],
      [undefined, undefined, []],
    );
    assert.deepEqual(await queue.claim(open.id), { ok: false, reason: "it has expired", isClaimed: false });
  });

  contract("no more questions of a session wait than it may have", async (world) => {
    const { queue } = world.open();
    for (let index = 0; index < limits.questionsWaiting; index += 1) await queue.put(about(String(index)));
    await assert.rejects(queue.put(about("one more")), QueueFull);
    assert.equal((await queue.put(about("0"))).action.digest, about("0").action.digest, "an identical one is no more");
  });

  contract(
    "a session that ended: its open questions are claimed once, an unused answer is gone, a used one stays",
    async (world) => {
      const [gate, other] = [world.open(), world.open()];
      const passing = { endsWithGate: true };
      const [open, unused, used] = [about("open", passing), about("unused", passing), about("used", passing)];
      for (const question of [open, unused, used]) await gate.queue.put(question);
      for (const question of [unused, used]) await gate.queue.commit(await claimOf(gate, question), settled(question));
      await gate.queue.take(used.action.digest, session);
      assert.deepEqual(await other.queue.claimEnded(null), [], "its member is there");
      const claims = await gate.queue.claimEnded(session);
      assert.deepEqual(
        claims.map(({ question }) => question.id),
        [open.id],
      );
      assert.deepEqual(await other.queue.claimEnded(session), [], "somebody has claimed it");
      assert.equal(await gate.queue.end(claims[0] as Claim), true);
      assert.deepEqual([await other.queue.find(open.id), await other.queue.find(unused.id)], [undefined, undefined]);
      assert.equal((await other.queue.find(used.id))?.isTaken, true);
      assert.deepEqual(await other.queue.claim(open.id), {
        ok: false,
        reason: "the session that asked has ended",
        isClaimed: false,
      });
    },
  );

  contract(
    "a session that ends while somebody answers: the answer is written, and nothing picks it up",
    async (world) => {
      const [gate, person] = [world.open(), world.open()];
      const question = await gate.queue.put(about("x", { endsWithGate: true }));
      const claim = await claimOf(person, question);
      assert.deepEqual(await gate.queue.claimEnded(session), []);
      assert.equal(await person.queue.commit(claim, settled(question)), true);
      assert.equal(await person.queue.find(question.id), undefined);
    },
  );

  betweenMembers(
    "a member of another machine: its questions stay while its lease lasts, and end with it",
    async (world) => {
      const [here, elsewhere] = [world.open(), world.openElsewhere()];
      const [passing, named] = [about("passing", { endsWithGate: true }), about("named")];
      for (const question of [passing, named]) await elsewhere.queue.put(question);
      world.pass(LEASE_MS - 1);
      assert.equal((await here.queue.waiting()).length, 2, "its processes cannot be seen from here");
      assert.deepEqual(await here.queue.claimEnded(null), []);
      world.pass(1);
      assert.deepEqual(
        (await here.queue.waiting()).map(({ question }) => question.id),
        [named.id],
      );
      assert.deepEqual(
        (await here.queue.claimEnded(null)).map(({ question }) => question.id),
        [passing.id],
      );
    },
  );

  betweenMembers("a member that closes is gone at once", async (world) => {
    const [here, elsewhere] = [world.open(), world.openElsewhere()];
    const question = await elsewhere.queue.put(about("x", { endsWithGate: true }));
    await elsewhere.queue.watch("serve", "http://127.0.0.1:1");
    await elsewhere.queue.waitFor(question.id);
    assert.deepEqual([await here.queue.isWatched(), await here.queue.isAwaited(question.id)], [true, true]);
    await elsewhere.close();
    assert.deepEqual([await here.queue.isWatched(), await here.queue.isAwaited(question.id)], [false, false]);
    assert.deepEqual([await here.queue.pages(), await here.queue.waiting()], [[], []]);
  });

  betweenMembers("who watches and who waits is known to all, until they leave or their lease ends", async (world) => {
    const [here, elsewhere] = [world.open(), world.openElsewhere()];
    const one = await elsewhere.queue.watch("serve", "http://127.0.0.1:1");
    await elsewhere.queue.watch("serve", "http://127.0.0.1:2");
    assert.deepEqual(await here.queue.pages(), ["http://127.0.0.1:2", "http://127.0.0.1:1"], "the newest first");
    await one.leave();
    assert.deepEqual(await here.queue.pages(), ["http://127.0.0.1:2"]);
    const waiting = await elsewhere.queue.waitFor("q-1");
    assert.deepEqual([await here.queue.isAwaited("q-1"), await here.queue.isAwaited("q-2")], [true, false]);
    await waiting.leave();
    assert.equal(await here.queue.isAwaited("q-1"), false);
    const [asked, other] = [await elsewhere.queue.put(about("asked")), await elsewhere.queue.put(about("other"))];
    await elsewhere.queue.waitFor(asked.id);
    const awaited = async () => (await here.queue.waiting()).filter(({ isAwaited }) => isAwaited);
    assert.deepEqual(
      (await awaited()).map(({ question }) => question.id),
      [asked.id],
    );
    assert.equal((await here.queue.find(asked.id))?.isAwaited, true);
    assert.equal((await here.queue.find(other.id))?.isAwaited, false);
    world.pass(LEASE_MS);
    assert.deepEqual([await here.queue.isWatched(), await here.queue.pages()], [false, []]);
    assert.deepEqual(await awaited(), []);
  });

  contract("one member sends on a channel at a time, and what it told is known to all", async (world) => {
    const [one, other, elsewhere] = [world.open(), world.open(), world.openElsewhere()];
    const claim = await one.queue.notices.claim("phone");
    assert.ok(claim !== null);
    assert.deepEqual([[...claim.told], claim.sentAt, claim.failures], [[], null, 0]);
    assert.equal(await other.queue.notices.claim("phone"), null, "somebody sends");
    assert.equal(await elsewhere.queue.notices.claim("phone"), null, "somebody sends");
    const mail = await other.queue.notices.claim("mail");
    assert.ok(mail !== null, "another channel");
    const end = { questions: ["q-1", "q-2"], name: "my phone", problem: null };
    assert.equal(await one.queue.notices.finish(claim, end), true);
    assert.equal(await one.queue.notices.finish(claim, end), false, "once");
    const state = await elsewhere.queue.notices.stateOf("phone");
    assert.deepEqual([...state.told].toSorted(), ["q-1", "q-2"]);
    assert.equal(typeof state.sentAt, "number");
    await other.queue.notices.finish(mail, { questions: ["q-2"], name: "mail", problem: "no such host" });
    const ofBoth = await elsewhere.queue.notices.sentFor("q-2");
    assert.deepEqual(
      ofBoth.map(({ name: by, problem }) => [by, problem]).toSorted((a, b) => String(a).localeCompare(String(b))),
      [
        ["mail", "no such host"],
        ["my phone", null],
      ],
    );
    assert.deepEqual(await elsewhere.queue.notices.sentFor("q-3"), []);
    assert.equal((await one.queue.notices.stateOf("mail")).sentAt, null, "nothing went");
  });

  betweenMembers("a member that is gone has sent nothing, and a failure is tried again by anybody", async (world) => {
    const [one, other] = [world.open(), world.open()];
    const before = await one.queue.notices.claim("phone");
    assert.ok(before !== null);
    await one.close();
    const after = await other.queue.notices.claim("phone");
    assert.ok(after !== null, "the claim ended with its member");
    const retryAt = 2_000_000_000;
    assert.equal(await other.queue.notices.retryAt(after, retryAt), true);
    const third = await other.queue.notices.claim("phone");
    assert.deepEqual([third?.notBefore, third?.failures, third?.told.size], [retryAt, 1, 0]);
    world.pass(LEASE_MS);
    const fourth = await world.open().queue.notices.claim("phone");
    assert.ok(fourth !== null, "it took too long");
    assert.ok(third !== null);
    assert.equal(
      await other.queue.notices.finish(third, { questions: ["q-1"], name: "phone", problem: null }),
      false,
      "somebody has taken over",
    );
    await other.queue.notices.release(fourth);
    assert.deepEqual(
      { ...(await other.queue.notices.stateOf("phone")), told: 0 },
      { told: 0, sentAt: null, notBefore: retryAt, failures: 1 },
    );
  });

  contract("the version is another after each change, and who waits for one is woken", async (world) => {
    const [one, other] = [world.open(), world.open()];
    const before = await one.queue.version();
    assert.equal(await one.queue.version(), before);
    const began = performance.now();
    const woken = one.queue.changed(before, new AbortController().signal);
    await sleep(20);
    await other.queue.put(about("x"));
    await woken;
    assert.ok(performance.now() - began < 1_000, "by the change, not by the clock");
    const after = await one.queue.version();
    assert.notEqual(after, before);
    await one.queue.changed(before, new AbortController().signal); // it is another already: nobody waits
    await one.queue.changed(after, AbortSignal.timeout(30));
    await one.rules.remember("session", [{ decide: "allow", effect: "read", path: "/srv" }], origin("q-1", world));
    assert.notEqual(await other.queue.version(), after, "an answer for a session counts, too");
  });

  contract("answers for a session, and rules for longer, are remembered, listed and taken back", async (world) => {
    const [one, other] = [world.open(), world.open()];
    const text = { decide: "allow", effect: "read", path: "/srv" } as const;
    const from = origin("q-1", world);
    const kept = await one.rules.remember("session", [text], from);
    assert.ok(kept.ok);
    assert.deepEqual(
      (await other.rules.sessionAnswers("s1")).map(({ id, rule }) => [id, rule]),
      [[kept.value[0], text]],
    );
    assert.equal((await other.rules.ofSession("s1", "default")).length, 1);
    assert.deepEqual(await other.rules.ofSession("s1", "coder"), [], "another agent's");
    const version = await other.rules.storedVersion(world.project);
    const longer = await one.rules.remember("project", [text], from);
    assert.ok(longer.ok);
    assert.notEqual(await other.rules.storedVersion(world.project), version);
    const { rules, problem } = await other.rules.stored(world.project);
    assert.equal(problem, null);
    assert.deepEqual(
      rules.map(({ text: one, isAnswer, question }) => [one, isAnswer, question]),
      [[text, true, "q-1"]],
    );
    assert.deepEqual(await other.rules.scopesOf(longer.value[0] ?? "", world.project), ["project"]);
    assert.equal(await other.rules.remove(longer.value[0] ?? "", "project", world.project), true);
    assert.equal(await other.rules.remove(longer.value[0] ?? "", "project", world.project), false);
    await one.rules.forget("session", kept.value, from);
    assert.deepEqual(await other.rules.sessionAnswers(null), []);
  });

  contract("what was remembered for a question can be forgotten by the question", async (world) => {
    const { rules } = world.open();
    const text = { decide: "allow", effect: "read", path: "/srv" } as const;
    for (const scope of ["session", "project", "everywhere"] as const) {
      await rules.remember(scope, [text], origin("q-1", world));
      await rules.remember(scope, [{ ...text, path: "/other" }], origin("q-2", world));
    }
    await rules.forgetQuestion(about("x", { id: "q-1", project: world.project }));
    assert.deepEqual(
      (await rules.sessionAnswers(null)).map((one) => one.origin.question),
      ["q-2"],
    );
    assert.deepEqual(
      (await rules.stored(world.project)).rules.map((one) => one.question),
      ["q-2", "q-2"],
    );
  });

  contract("the record is read in both orders, by call, and in numbers", async (world) => {
    const who = { session: "s1", agent: "default", tool: "Exec" };
    world.append({ ...who, call_id: "c-1", event: "tool.call.received", args: { argv: ["ls"] } });
    world.append({ ...who, call_id: "c-2", event: "tool.call.received", args: {} });
    world.append({ ...who, call_id: "c-1", event: "tool.call.finished", outcome: { duration_s: 1 } });
    const { record } = world.open();
    const seqs = async (order: "newest" | "oldest") => {
      const found: number[] = [];
      for await (const { seq } of record.list({ order })) found.push(seq);
      return found;
    };
    assert.deepEqual(
      [await seqs("newest"), await seqs("oldest")],
      [
        [3, 2, 1],
        [1, 2, 3],
      ],
    );
    assert.deepEqual(
      (await record.story("c-1")).map(({ event }) => event),
      ["tool.call.received", "tool.call.finished"],
    );
    assert.equal((await record.entry(2))?.call_id, "c-2");
    assert.deepEqual([await record.entry(4), await record.lastSeq()], [undefined, 3]);
    const { calls, calls_without_end } = await record.stats();
    assert.deepEqual([calls, calls_without_end.map(({ call_id }) => call_id)], [2, ["c-2"]]);
    assert.deepEqual(
      (await record.sessions()).map(({ name: one, calls: count }) => [one, count]),
      [["s1", 2]],
    );
    assert.equal((await record.verify()).ok, true);
  });
}

function origin(question: string, { project }: StoreWorld) {
  return { question, who: "ann", at: 1_000_000_000, agent: "default", session: "s1", project };
}
