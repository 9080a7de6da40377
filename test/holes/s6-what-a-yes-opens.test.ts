// S6: a script asked for the network "for this call", and the first answer opened it for every later script.
// Now the first answer is about this call, each longer one says in its own words what it opens, and that is what is kept.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import test, { type TestContext } from "node:test";
import type { Offer, Question, Scope } from "../../src/index.ts";
import { describeOffer } from "../../src/approval/question.ts";
import { questionLines } from "../../src/cli/terminal/question-view.ts";
import { questionForm } from "../../src/mcp/form.ts";
import { renderRule } from "../../src/policy/render.ts";
import { questionView } from "../../src/web/question-view.ts";
import { type ScriptedApprover, scripted } from "../fixtures/approver.ts";
import { makeTestDirectories, type TestDirectories } from "../fixtures/gate.ts";
import { ran } from "../fixtures/run.ts";
import { openScriptGate, type ScriptGate } from "../fixtures/script-gate.ts";

interface Scene {
  readonly directories: TestDirectories;
  readonly approver: ScriptedApprover;
  readonly tools: ScriptGate;
}

function newScene(t: TestContext, scope: Scope): Scene {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const approver = scripted(() => ({ scope }));
  const tools = openScriptGate(directories, {}, { approvers: [approver], session: "s1" });
  t.after(() => tools.close());
  return { directories, approver, tools };
}

function offerFor({ offers }: Question, scope: Scope): Offer {
  return offers.find((offer) => offer.decision === "allow" && offer.scope === scope) as Offer;
}

const network = { needs: { network: true } };
/** Listens on this machine's loopback: a box without its network does not reach it. */
async function listening(t: TestContext): Promise<{ readonly reach: string; readonly met: () => number }> {
  let met = 0;
  const server = createServer((socket) => {
    met += 1;
    socket.on("error", () => undefined).destroy();
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return { reach: `exec 3<>/dev/tcp/127.0.0.1/${port}`, met: () => met };
}

test("the first answer to a script that needs the network or a path is once, and once it is", async (t) => {
  const { directories, approver, tools } = newScene(t, "once");
  const { reach, met } = await listening(t);
  ran(await tools.bash(reach, network));
  assert.equal(met(), 1, "control: with a yes it is reached");
  const needs = { read: { read: [directories.outside] }, write: { write: [directories.outside] } };
  await tools.bash("ls", { needs: needs.read });
  await tools.bash("ls", { needs: needs.write });
  await tools.python("pass", network);
  await tools.call("Exec", { argv: ["/bin/sh", "-c", "ls"], cwd: directories.outside });
  assert.equal(approver.asked.length, 5);
  for (const { offers } of approver.asked) assert.deepEqual([offers[0]?.decision, offers[0]?.scope], ["allow", "once"]);
  await tools.call("Exec", { argv: ["/bin/ls"], cwd: directories.outside });
  assert.equal(approver.asked[5]?.offers[0]?.scope, "session", "control: a plain program that only looks there");
  ran(await tools.bash(`${reach}; :`, network));
  assert.equal(approver.asked.length, 7, "another script is asked about");
  ran(await tools.bash(reach, network));
  assert.equal(approver.asked.length, 8, "and so is the same again");
});

test("a session's yes to the network opens what its own line says: every script, the whole network", async (t) => {
  const { directories, approver, tools } = newScene(t, "session");
  const { reach, met } = await listening(t);
  ran(await tools.bash("echo one", network));
  const [question] = approver.asked as [Question];
  const { meaning, rules } = offerFor(question, "session");
  assert.equal(
    meaning,
    "every script and program of this agent may use the whole network, in this session, for at most 12 hours",
  );
  assert.deepEqual(rules.map(renderRule), ['{ decide: allow, effect: network, host: "*" }']);
  // What follows in silence is what was said, and no more.
  ran(await tools.bash(reach, network));
  ran(await tools.python("import os", network));
  assert.deepEqual([met(), approver.asked.length], [1, 1]);
  await tools.bash("ls", { needs: { network: true, read: [directories.outside] } });
  assert.equal(approver.asked.length, 2, "a path was not said");
});

test("a session's yes to a script that writes says that others may delete and plant there", async (t) => {
  const { directories, approver, tools } = newScene(t, "session");
  const inside = `${directories.outside}/dir`;
  mkdirSync(inside);
  writeFileSync(`${inside}/theirs`, "");
  ran(await tools.bash(`touch ${inside}/w1`, { needs: { write: [inside] } }));
  const { meaning, rules } = offerFor(approver.asked[0] as Question, "session");
  assert.match(
    meaning,
    /^every script and program of this agent may change, add and delete files at the path below and in it, in this session/,
  );
  assert.deepEqual(rules.map(renderRule), [`{ decide: allow, effect: write, path: ${inside} }`]);
  ran(await tools.bash(`mv ${inside}/theirs ${inside}/planted`, { needs: { write: [inside] } }));
  assert.ok(existsSync(`${inside}/planted`), "as it says");
  assert.equal(approver.asked.length, 1);
  await tools.bash("ls", { needs: { write: [directories.outside] } });
  assert.equal(approver.asked.length, 2, "the directory above was not said");
});

test("the question says of no answer how far it goes; every screen says it beside the answer, in the same words", async (t) => {
  const { approver, tools } = newScene(t, "once");
  ran(await tools.bash("echo one", network));
  const [question] = approver.asked as [Question];
  assert.doesNotMatch(question.text, /this call|this session/);
  const look = { width: 400, height: 40, isUnicode: true, paint: (text: string) => text };
  const terminal = questionLines(question, look).join("\n");
  const page = questionView(
    { question, expiresAt: 0, answer: null, isAwaited: false, isTaken: false },
    { state: "awaited" },
  );
  const form = JSON.stringify(questionForm(question)?.requestedSchema);
  for (const offer of question.offers) {
    const isRepeated = offer.decision === "allow" && (offer.scope === "project" || offer.scope === "everywhere");
    const said = isRepeated
      ? offer.meaning.replace(/^.*(?=in (?:this|every) project)/, "as for this session, but ")
      : offer.meaning;
    assert.ok(terminal.includes(said), said);
    assert.ok(form.includes(JSON.stringify(describeOffer(offer).replaceAll("\n", " ")).slice(1, -1)), offer.scope);
    assert.equal(
      page.offers.find((one) => one.decision === offer.decision && one.scope === offer.scope)?.meaning,
      offer.meaning,
    );
    for (const rule of offer.rules)
      for (const shown of [terminal, page.offers.flatMap((one) => one.rules).join("\n")])
        assert.ok(shown.includes(renderRule(rule)));
  }
  assert.match(offerFor(question, "once").meaning, /^this call, now, with the whole network of this machine;/);
  const [answered] = [...tools.gate.journal.list({ event: "approval.answered" })];
  const { means } = (answered?.outcome ?? {}) as { means?: string };
  assert.equal(means, offerFor(question, "once").meaning);
});
