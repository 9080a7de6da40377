// Hosts for programs in a box of `sallyport run`, in a test's own internet: asked for from inside, and answered late.

import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { limits } from "../../../src/shared/limits.ts";
import { makeCertificate, serveWeb } from "../../fixtures/internet-servers.ts";
import { newOutsidePerson } from "../../fixtures/outside-person.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-inside-"));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const tls = makeCertificate(directory, ["web.test", "other.test"]);
appendFileSync("/etc/ssl/certs/ca-certificates.crt", readFileSync(tls.ca)); // of this internet
const web = await serveWeb("203.0.113.80", 443, tls);
const other = await serveWeb("203.0.113.81", 443, tls);

const granted = (hosts: string) => `version: 1
agents:
  default:
    tool_grants: [Bash, "git_*"]
    net_grants: ${hosts}
    fs_grants: [{ path: /usr, mode: r }, { path: "\${project}", mode: r }]
`;

const get = (name: string, host: string) =>
  `curl -sS --max-time 20 https://${host}/${name} > /tmp/said 2>&1; echo "${name}: $? $(cat /tmp/said)"`;

test("without granted hosts: the gate is there, a host is closed and nobody is asked, until a program asks for it", async (t) => {
  const person = newOutsidePerson(t, granted("[]"));
  const before = [web.accepts, other.accepts];
  const running = person.runScript(
    "s1",
    [
      get("unasked", "web.test"),
      "sallyport status > /dev/null; echo status $?",
      "sallyport ask web.test; echo ask $?",
      get("asked", "web.test"),
      get("unasked2", "other.test"),
      "sallyport ask web.test:5432; echo port $?",
      "sallyport ask 'web.test:*'; echo many $?",
      "sallyport ask localhost:22; echo own $?",
      "sallyport ask other.test; echo refused $?",
    ].join("\n"),
  );
  await running.until("status 0");
  const asked = await person.answer();
  assert.deepEqual([asked.action.operation?.name, asked.action.operation?.path], ["connect", "web.test:443"]);
  assert.deepEqual([asked.session, asked.action.tool], ["s1", "Run"]);
  await running.until("unasked2: ");
  assert.match((await person.answer()).text, /web\.test:5432/);
  await running.until("own ");
  await person.answer({ decision: "deny" });
  assert.equal(await running.ended, 0, running.said());
  assert.match(running.said(), /^unasked: (?!0)\d+ /m);
  assert.match(running.said(), /^ask 0$/m);
  assert.match(running.said(), /^asked: 0 web\.test GET \/asked/m);
  assert.match(running.said(), /^unasked2: (?!0)\d+ /m);
  assert.match(running.said(), /net_grants before it starts[^]*^port 0$/m);
  assert.match(running.said(), /many 1[^]*own 1[^]*refused 1/);
  assert.deepEqual([web.accepts, other.accepts], [(before[0] ?? 0) + 1, before[1]]);
});

test("a host whose question is answered after the connection gave up is reached by the next one", async (t) => {
  const person = newOutsidePerson(t, granted("[ask]"));
  const running = person.runScript(
    "s1",
    [
      get("first", "web.test"),
      get("second", "web.test"),
      "sallyport ask other.test > /tmp/asked 2>&1", // ends when the person has answered that, too
      get("third", "web.test"),
    ].join("\n"),
  );
  await running.until(/^first: (?!0)\d+ /m);
  await running.until(/^second: (?!0)\d+ /m);
  const asked = await person.answer();
  assert.equal(asked.action.operation?.path, "web.test:443");
  const next = await person.answer({ decision: "deny" });
  assert.equal(next.action.operation?.path, "other.test:443");
  assert.equal(await running.ended, 0, running.said());
  assert.match(running.said(), /^third: 0 web\.test GET \/third/m);
  // Both refused connections were of one verdict, so there was one question.
  const questions = JSON.parse(
    person.run(["audit", "list", "--json", "--event", "approval.requested"]).out,
  ) as object[];
  assert.equal(questions.length, 3, "and one for the call that picks the answer up");
});

test("a page of the box's own listener is not a host: through a proxy it leads nowhere", async (t) => {
  const person = newOutsidePerson(t, `${granted("[ask]")}    net_proxy: true\n`);
  const running = person.runScript(
    "s1",
    `curl -s -o /dev/null -w 'proxy %{http_code}\\n' --noproxy '' -x http://127.0.0.1:${limits.proxyPort} --max-time 20 http://127.0.0.1:${limits.insidePort}/mcp
     curl -s -o /dev/null -w 'direct %{http_code}\\n' --max-time 20 http://127.0.0.1:${limits.insidePort}/mcp`,
  );
  assert.equal(await running.ended, 0, running.said());
  assert.match(running.said(), /^proxy (000|403|502)$/m);
  assert.match(running.said(), /^direct (?!000)\d+$/m);
});
