// The question: complete, inert, and in plain words.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import test from "node:test";
import type { Effect } from "../../src/action/effect.ts";
import { describeOffer } from "../../src/approval/question.ts";
import { limits } from "../../src/shared/limits.ts";
import { questionAbout, scripted } from "../fixtures/approver.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { exec, refused } from "../fixtures/run.ts";

test("it shows the whole action: words, program, place, environment, input, what it may see and change, and why", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const approver = scripted(() => ({ decision: "deny" }));
  const gate = openGate(directories, {}, { approvers: [approver] });
  t.after(() => gate.close());
  writeFileSync(`${directories.root}/x.sh`, "echo hi\n");
  await exec(gate, ["/bin/sh", `${directories.root}/x.sh`, "two words", ""], {
    cwd: directories.outside,
    env: { COLOUR: "red" },
    stdin: "hello",
    timeout_s: 7,
  });
  const [question] = approver.asked;
  const text = question?.text ?? "";
  for (const part of [
    "Asked because (medium risk):",
    `read ${directories.outside}: no grant covers it`,
    `Exec for default: /bin/sh ${directories.root}/x.sh 'two words' ''\n`,
    `in         ${directories.outside}`,
    "stdin      hello",
    "COLOUR=red",
    "at most    7 s",
    `may change ${directories.root}`,
    `may see    ${directories.outside}, which is NEW`,
    "network    none",
    "sha256",
    "a yes is for their present content, once",
  ])
    assert.ok(text.includes(part), `${part}\n${text}`);
  assert.equal(text.split(", which is NEW").length, 2, "what is granted already is not");
  assert.deepEqual(
    [question?.session, question?.project, question?.severity],
    [gate.session, directories.project, "medium"],
  );
});

test("the command stands in the question once: in the title, or whole below it if the title cuts it", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const approver = scripted(() => ({ decision: "deny" }));
  const gate = openGate(directories, {}, { approvers: [approver] });
  t.after(() => gate.close());
  const textOf = async (word: string) => {
    await exec(gate, ["/bin/echo", word], { cwd: directories.outside });
    return approver.asked.at(-1)?.text ?? "";
  };
  const short = await textOf("word");
  assert.equal(short.split("/bin/echo word").length, 2, short);
  assert.ok(short.startsWith("Exec for default: /bin/echo word\n"));
  const long = "w".repeat(400);
  const cut = await textOf(long);
  assert.ok(cut.includes(`\n  run        /bin/echo ${long}\n`), cut);
  assert.equal(cut.split(long).length, 2, "the title has its beginning alone");
});

const severities: readonly (readonly [Effect, string])[] = [
  [{ kind: "read", path: "/srv" }, "low"],
  [{ kind: "run", program: "/opt/x", argv: ["/opt/x"], at: "start" }, "medium"],
  [{ kind: "write", path: "/srv" }, "high"],
  [{ kind: "network", host: "*" }, "high"],
  [{ kind: "privilege", argv: ["sudo", "id"] }, "high"],
  [{ kind: "destroy", what: "files", argv: ["rm", "x"] }, "high"],
];
for (const [effect, severity] of severities) {
  test(`${effect.kind} is of ${severity} risk, and the worst of several counts`, () => {
    const rules = [{ decide: "ask", effect: effect.kind } as const];
    assert.equal(questionAbout([effect], { rules }).severity, severity);
    assert.equal(questionAbout([{ kind: "write", path: "/x" }, effect], { rules }).severity, "high");
  });
}

test("sudo's question says that the box gives no privilege, the network's that it is the whole network", () => {
  const ask = { decide: "ask", effect: "privilege" } as const;
  assert.match(
    questionAbout([{ kind: "privilege", argv: ["sudo", "id"] }], { rules: [ask] }).text,
    /gives no privilege all the same/,
  );
  const network = questionAbout([{ kind: "network", host: "*" }]);
  assert.match(network.text, /the whole network of this machine, not one host/);
  assert.doesNotMatch(network.text, /this call/, "how far a yes goes is said beside each answer, and nowhere else");
});

test("each answer says what it will mean, with the rule that would be stored", () => {
  const { offers } = questionAbout([{ kind: "read", path: "/srv/\u001b[2J" }]);
  for (const offer of offers) {
    const said = describeOffer(offer);
    assert.notEqual(offer.meaning, "");
    assert.equal(said.includes("effect: read"), offer.scope !== "once", said);
    assert.ok(!said.includes("\u001b"));
  }
});

test("a question that is too long to show whole is no, says so, and is put to nobody", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const approver = scripted();
  const gate = openGate(directories, {}, { approvers: [approver] });
  t.after(() => gate.close());
  const long = refused(await exec(gate, ["/bin/echo", "x".repeat(limits.questionBytes)], { cwd: directories.outside }));
  assert.equal(long.error, "fs_denied");
  assert.match(long.hint ?? "", /too long to show to a person whole \(\d+ bytes, at most 10240\)/);
  assert.deepEqual(approver.asked, []);
  // The limit is in bytes as they are shown, not in characters as they are sent.
  refused(await exec(gate, ["/bin/echo", "\u202e".repeat(limits.questionBytes / 5)], { cwd: directories.outside }));
  assert.deepEqual(approver.asked, []);
  assert.ok(
    (await exec(gate, ["/bin/echo", "x".repeat(limits.questionBytes - 4_000)], { cwd: directories.outside })).ok,
    "control",
  );
});

test("a question about a host says which set it belongs to, and that many sites share it", () => {
  const npm = questionAbout([{ kind: "network", host: "registry.npmjs.org:443" }]);
  assert.match(npm.text, /reach registry\.npmjs\.org:443/);
  assert.match(npm.text, /note: registry\.npmjs\.org:443 belongs to the set npm: install packages/);
  assert.doesNotMatch(npm.text, /whole network of this machine, not one host/);
  const shared = questionAbout([{ kind: "network", host: "d111.cloudfront.net:443" }]);
  assert.match(shared.text, /note: d111\.cloudfront\.net:443 is shared by many sites/);
  const own = questionAbout([{ kind: "network", host: "cloudfront.net.example:443" }]);
  assert.doesNotMatch(own.text, /shared by many sites/);
  assert.match(own.offers[0]?.meaning ?? "", /this call, now, with the hosts that it names/);
});
