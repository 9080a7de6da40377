// The words of an answer: what is shown is what is kept, and what is kept is no wider than what is shown.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import fc from "../fixtures/fast-check.ts";
import type { Effect } from "../../src/action/effect.ts";
import { meaningOf, opensOf } from "../../src/approval/answer-meaning.ts";
import { rememberedYes } from "../../src/approval/memory.ts";
import { askedFindings, type Offer } from "../../src/approval/offer.ts";
import { keptLines } from "../../src/approval/question.ts";
import { settle } from "../../src/approval/settle.ts";
import type { Question } from "../../src/index.ts";
import { editableRule, renderRule } from "../../src/policy/render.ts";
import { compileRule, type RuleText } from "../../src/policy/rule.ts";
import { RuleIndex } from "../../src/policy/rule-index.ts";
import { questionLines } from "../../src/cli/terminal/question-view.ts";
import { readRuleArgument } from "../../src/config/rule-argument.ts";
import { loadRuleFiles } from "../../src/config/rule-files.ts";
import { LocalStore } from "../../src/runtime/local-store.ts";
import { displayText } from "../../src/shared/display.ts";
import { questionView } from "../../src/web/question-view.ts";
import { questionAbout } from "../fixtures/approver.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { runs } from "../fixtures/runs.ts";

const name = fc.stringMatching(/^[a-z*?[\]\\ .\u202e-]{1,6}$/).filter((text) => text !== "." && text !== "..");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join("/")}`);
const host = fc.constantFrom("*", "example.com", "example.com:443", "a.example.com", "127.0.0.1:80");
const argv = fc.array(fc.oneof(name, fc.constantFrom("**", "-x", "a b")), { minLength: 1, maxLength: 4 });
const effect: fc.Arbitrary<Effect> = fc.oneof(
  path.map((at): Effect => ({ kind: "read", path: at })),
  path.map((at): Effect => ({ kind: "write", path: at })),
  host.map((to): Effect => ({ kind: "network", host: to })),
  fc.tuple(path, argv).map(([at, words]): Effect => ({ kind: "run", program: at, argv: words, at: "start" })),
  path.map((at): Effect => ({ kind: "pull", source: at })),
);

const ask = (["read", "write", "network", "run", "pull"] as const).map(
  (kind) => ({ decide: "ask", effect: kind }) as const,
);

/** As it is kept in a store, read back from there. */
function openMemory(t: TestContext) {
  const directories = makeTestDirectories();
  const store = new LocalStore({
    stateDirectory: directories.state,
    configDirectory: directories.base,
    home: directories.base,
  });
  t.after(async () => {
    await store.close();
    directories.remove();
  });
  const { rules: memory } = store;
  let serial = 0;
  return async (question: Question, offer: Offer) => {
    serial += 1;
    const session = `s-${serial}`;
    const { digest } = question.action;
    const recorded: (readonly RuleText[])[] = [];
    const answer = { decision: offer.decision, scope: offer.scope, digest, who: "ann", reason: null };
    const context = {
      rules: memory,
      now: () => Date.now(),
      record: (_: unknown, __: unknown, rules: readonly RuleText[]) => void recorded.push(rules),
    };
    const settled = await settle({ ...question, session }, answer, context);
    const kept = (await memory.sessionAnswers(session)).map(({ rule }) => rule);
    const index = new RuleIndex(await memory.ofSession(session, question.action.agent));
    return { settled, kept, recorded: recorded[0] ?? [], index };
  };
}

test("what is stored is what was shown, rule for rule, and it covers what was asked", async (t) => {
  const answering = openMemory(t);
  await fc.assert(
    fc.asyncProperty(fc.array(effect, { minLength: 1, maxLength: 3 }), async (effects) => {
      const question = questionAbout(effects, { rules: ask });
      const look = { width: 10_000, height: 40, isUnicode: true, paint: (text: string) => text };
      const screen = questionLines(question, look).join("\n");
      const view = questionView(
        { question, expiresAt: 0, answer: null, isAwaited: false, isTaken: false },
        { state: "awaited" },
      );
      for (const offer of question.offers.filter(({ scope }) => scope === "session")) {
        const { settled, kept, recorded, index } = await answering(question, offer);
        assert.equal(settled.scope, offer.scope, settled.reason ?? "");
        const words = (rules: readonly RuleText[]) => rules.map(renderRule).toSorted();
        assert.deepEqual(words(kept), words(offer.rules));
        assert.deepEqual(recorded, offer.rules);
        for (const rule of kept)
          assert.ok(screen.includes(displayText(renderRule(rule), { maxLength: 100_000 })), renderRule(rule));
        for (const line of opensOf(kept)) assert.ok(screen.includes(line), line);
        assert.deepEqual(view.offers.find(({ scope }) => scope === offer.scope)?.rules, offer.rules.map(editableRule));
        for (const { effect: one } of askedFindings(question.verdict)) assert.notEqual(rememberedYes(index, one), null);
        assert.equal(offer.meaning, meaningOf(offer.decision, offer.scope, kept.length === 0 ? [] : offer.rules, []));
      }
    }),
    { numRuns: runs(150) },
  );
});

test("the same for a project and for everywhere, a no too: the files hold the rules that were shown", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  await fc.assert(
    fc.asyncProperty(effect, fc.nat(), async (asked, serial) => {
      const places = {
        configDirectory: join(directories.base, `config-${serial}`),
        project: directories.project,
        home: directories.base,
      };
      mkdirSync(places.configDirectory, { recursive: true, mode: 0o700 });
      const { rules: memory } = new LocalStore({ ...places, stateDirectory: directories.state });
      const question = { ...questionAbout([asked], { rules: ask }), project: directories.project };
      const { digest } = question.action;
      for (const { decision, scope, rules } of question.offers.filter(
        ({ scope: one }) => one === "project" || one === "everywhere",
      )) {
        const answer = { decision, scope, digest, who: "ann", reason: null };
        const settled = await settle(question, answer, {
          rules: memory,
          now: () => 0,
          record: (_, __, kept) => assert.deepEqual(kept, rules),
        });
        assert.equal(settled.scope, scope, settled.note ?? "");
        const stored = loadRuleFiles(places).stored.map(({ rule }) => renderRule(rule.text));
        for (const rule of rules)
          assert.ok(stored.includes(renderRule(rule)), `${renderRule(rule)}\n${stored.join("\n")}`);
      }
    }),
    { numRuns: 25 },
  );
});

test("nothing wider than was shown is answered by it: another path, host, word or kind is asked about", async (t) => {
  const answering = openMemory(t);
  const isBelow = (at: string, top: string) => at === top || at.startsWith(`${top}/`);
  await fc.assert(
    fc.asyncProperty(effect, effect, async (asked, other) => {
      const question = questionAbout([asked], { rules: ask });
      const offer = question.offers.find(({ decision, scope }) => decision === "allow" && scope === "session");
      if (offer === undefined) return;
      const { index } = await answering(question, offer);
      if (rememberedYes(index, other) === null) return;
      assert.equal(other.kind, asked.kind);
      const [line = ""] = opensOf(offer.rules);
      if ((other.kind === "read" || other.kind === "write") && other.kind === asked.kind)
        assert.ok(isBelow(other.path, asked.path));
      if (other.kind === "run" && asked.kind === "run")
        assert.deepEqual([other.program, other.argv.slice(1)], [asked.program, asked.argv.slice(1)]);
      if (other.kind === "pull" && asked.kind === "pull") assert.equal(other.source, asked.source);
      if (other.kind === "network" && line !== "use the whole network, every host and port")
        assert.equal(
          line,
          line.endsWith("any port") ? `reach ${other.host.replace(/:\d+$/, "")}, at any port` : `reach ${other.host}`,
        );
    }),
    { numRuns: runs(400) },
  );
});

test("sentences hold no data, and lines about data nothing that acts on a screen", () => {
  fc.assert(
    fc.property(fc.array(effect, { minLength: 1, maxLength: 3 }), (effects) => {
      for (const { meaning, rules } of questionAbout(effects, { rules: ask }).offers) {
        assert.match(meaning, /^[a-z0-9 ,;]+$/);
        for (const line of keptLines(rules)) assert.doesNotMatch(line, /\p{Cc}|\u202e/u);
      }
    }),
    { numRuns: 100 },
  );
});

test("a rule that a person edited is told in its own words", () => {
  const read = readRuleArgument('{ decide: allow, effect: read, path: "/srv/out*" }', { project: "/p", home: "/h" });
  assert.ok(read.ok);
  assert.deepEqual(opensOf([read.rule.text]), ["read /srv/out* and all in it"]);
  const compiled = compileRule({ decide: "allow", effect: "network" }, "r", "test");
  assert.ok(compiled.ok);
  assert.match(meaningOf("allow", "project", [compiled.value.text], []), /may use the whole network, in this project/);
});
