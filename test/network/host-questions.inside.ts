// A question about a host, answered where people answer: on the page in a browser, in `review` on a terminal, in the form of an MCP
// client, and from the reply of a call that could not wait. Each time the program then reaches a server of the test's own, and an answer
// for a whole set opens its other host without a question.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:http";
import test, { type TestContext } from "node:test";
import { type Asker, newAsker } from "../fixtures/asking.ts";
import { noTerminal } from "../fixtures/cli.ts";
import { openDialog } from "../fixtures/dialog.ts";
import { until } from "../fixtures/run.ts";
import { makeCertificate, serveWeb } from "../fixtures/internet-servers.ts";
import { connected } from "../fixtures/mcp.ts";
import { listening } from "./broker-fixture.ts";
import { noBrowser, openPage, openQuestion, serveTo, untilArmed } from "../ui/fixture.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-certificates-"));
test.after(() => rmSync(directory, { recursive: true, force: true }));

const [first, second] = ["registry.npmjs.org", "registry.yarnpkg.com"] as const; // in this internet they are the server below
const tls = makeCertificate(directory, [first, second, "other.test"]);
const registry = await serveWeb("203.0.113.83", 443, tls);
const other = await serveWeb("203.0.113.81", 443, tls);

function newPerson(t: TestContext, grants: string, approvals = "timeout_s: 60"): Asker {
  const person = newAsker(t);
  writeFileSync(
    person.configFile,
    `version: 1
workspace: { kind: memory }
agents:
  default:
    tool_grants: [Bash]
    net_grants: ${grants}
    fs_grants: [{ path: /usr, mode: r }, { path: ${directory}, mode: r }]
approvals: { ${approvals} }
`,
  );
  return person;
}

const fetching = (host: string) => `curl -sS --max-time 20 --cacert ${tls.ca} https://${host}/package`;
/** What nobody can read in the script: the name is put together when it runs. */
const hidden = (host: string) => `n=$(echo ${host} | cat); ${fetching("$n")}`;
const bash = (script: string) => ["call", "Bash", JSON.stringify({ script })];

interface Reply {
  readonly ok: boolean;
  readonly result: {
    readonly stdout: string;
    readonly network?: { host: string; decision: string; question?: string }[];
  };
}

const replyOf = ({ out }: { readonly out: string }) => JSON.parse(out) as Reply;

/** A set's other host is reached with no question; a host that is in no set is still asked about, and is not reached. */
async function assertSetIsOpen(person: Asker): Promise<void> {
  const [before, asked] = [registry.accepts, person.events("approval.requested").length];
  assert.equal(replyOf(await person.begin(bash(fetching(second))).done).result.stdout, `${second} GET /package\n`);
  assert.equal(registry.accepts, before + 1);
  assert.equal(person.events("approval.requested").length, asked);
  const arrived = other.accepts;
  assert.equal(replyOf(await person.begin(bash(fetching("other.test"))).done).result.stdout, "");
  assert.equal(other.accepts, arrived);
  assert.equal(person.events("approval.requested").length, asked + 1);
}

test("on the page: always, for the whole set, with what it opens", { skip: noBrowser }, async (t) => {
  const person = newPerson(t, "[]");
  const served = await serveTo(t, person);
  const page = await openPage(t, served);
  const before = registry.accepts;
  const { done } = person.begin(bash(fetching(first)));
  await openQuestion(page);
  const text = await page.locator("article.question").innerText();
  for (const part of [
    `reach ${first}:443`,
    "publish them, with a token",
    `reach ${first}:443, ${second}:443: install packages`,
  ])
    assert.ok(text.includes(part), `${part}\n${text}`);
  assert.equal(registry.accepts, before, "nothing is reached while the question waits");
  await page.keyboard.press("P");
  await page.keyboard.press("Enter");
  const field = page.getByLabel("This rule is kept for agent default");
  assert.equal(await field.inputValue(), "{ decide: allow, effect: network, host: npm }");
  await untilArmed(page);
  await page.getByRole("button", { name: "Keep and approve" }).click();
  assert.equal(replyOf(await done).result.stdout, `${first} GET /package\n`);
  assert.equal(registry.accepts, before + 1);
  await served.stop(); // nobody can answer from here on
  await assertSetIsOpen(person);
});

test("in review on a terminal: for the session, the whole set", { skip: noTerminal }, async (t) => {
  const person = newPerson(t, "[]");
  const review = openDialog(t, person, ["review"], { rows: 70, columns: 140 });
  await review.until("Nothing waits");
  const before = registry.accepts;
  const { done } = person.begin(bash(fetching(first)));
  await review.until(`reach ${first}:443`);
  await review.press("\r");
  await review.until("yes, this session, all of npm");
  await review.until(`reach ${first}:443, ${second}:443: install packages`);
  assert.equal(registry.accepts, before);
  await review.press("S");
  await review.until("every script and program of this agent may reach every host of the set below, in this session");
  await review.press("\r");
  await review.until("yes, for this session.");
  assert.equal(replyOf(await done).result.stdout, `${first} GET /package\n`);
  assert.equal(registry.accepts, before + 1);
  await review.press("q");
  await review.ended;
  await assertSetIsOpen(person);
});

test("through MCP: the client's form, while the program holds the connection", async (t) => {
  const person = newPerson(t, "[ask]", "timeout_s: 60, trust_client: true");
  const forms: { message: string; choices: readonly string[] }[] = [];
  const client = await connected(t, person, "stdio", {
    kind: "first SDK",
    onForm: (form) => {
      forms.push(form);
      return { action: "accept", content: { decision: "always-npm" } };
    },
  });
  const before = registry.accepts;
  const { reply, text } = await client.call("Bash", { script: hidden(first) });
  assert.ok(reply.ok, text);
  assert.equal(reply.result["stdout"], `${first} GET /package\n`, text);
  assert.equal(registry.accepts, before + 1);
  assert.match(forms[0]?.message ?? "", new RegExp(`reach ${first}:443`));
  assert.deepEqual(
    forms[0]?.choices.filter((one) => one.endsWith("npm")),
    ["session-npm", "always-npm", "everywhere-npm"],
  );
  const next = await client.call("Bash", { script: hidden(second) });
  assert.ok(next.reply.ok && next.reply.result["stdout"] === `${second} GET /package\n`, next.text);
  assert.equal(forms.length, 1);
  await client.close();
  await assertSetIsOpen(person);
});

test(
  "through MCP: the reply names the question; after an answer the same call gets through",
  { skip: noTerminal },
  async (t) => {
    const person = newPerson(t, "[ask]");
    const client = await connected(t, person, "stdio", { kind: "first SDK" });
    const before = registry.accepts;
    const refused = await client.call("Bash", { script: hidden(first) });
    assert.ok(refused.reply.ok, refused.text);
    const [line] = refused.reply.result["network"] as NonNullable<Reply["result"]["network"]>;
    assert.deepEqual([line?.host, line?.decision, registry.accepts], [first, "ask", before]);
    const id = line?.question ?? "";
    const answered = openDialog(t, person, ["review", id, "--allow", "project", "--set"]);
    assert.equal(await answered.ended, 0, answered.output());
    const again = await client.call("Bash", { script: hidden(first) });
    assert.ok(again.reply.ok && again.reply.result["stdout"] === `${first} GET /package\n`, again.text);
    assert.equal(registry.accepts, before + 1);
    await client.close();
    await assertSetIsOpen(person);
  },
);

for (const scope of ["once", "session", "project"])
  test(
    `an answer that comes when the connection was refused opens the host for the same program: ${scope}`,
    { skip: noTerminal },
    async (t) => {
      const person = newPerson(t, "[ask]");
      const before = other.accepts;
      // It says when it was refused, and tries again, until it gets through.
      const script = `n=$(echo other.test | cat); until curl -sS --max-time 20 --cacert ${tls.ca} https://$n/late; do echo refused; sleep 0.2; done`;
      const child = person.start(["run", "--", "bash", "-c", script]);
      t.after(() => child.kill("SIGKILL"));
      let out = "";
      child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
      const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
      await until("it was refused twice", () => Promise.resolve((out.match(/refused/g) ?? []).length >= 2));
      assert.equal(other.accepts, before, "no yes, no connection");
      assert.equal(person.events("approval.requested").length, 1, "and one question");
      const answered = openDialog(t, person, ["review", String(person.waiting()[0]?.id), "--allow", scope]);
      assert.equal(await answered.ended, 0, answered.output());
      await ended;
      assert.match(out, /other\.test GET \/late/);
      assert.equal(other.accepts, before + 1);
    },
  );

test("the page of another gate, with a state directory of its own, is reached from no box", async (t) => {
  const served = await serveTo(t, newPerson(t, "[]"));
  const { port } = new URL(served.url);
  const control = await listening(
    t,
    createServer((_, response) => response.end("a server of this machine\n")),
  );
  const person = newPerson(t, `["localhost:${port}", "localhost:${control}"]`);
  const ask = (at: number | string) =>
    `curl -sS --max-time 20 -o /dev/null -w '%{http_code}\\n' http://localhost:${at}/`;
  const { result } = replyOf(await person.begin(bash(`${ask(control)}; ${ask(port)}`)).done);
  assert.equal(result.stdout, "200\n000\n");
  assert.deepEqual(
    result.network?.map(({ host, decision }) => `${host} ${decision}`),
    ["localhost allow", "localhost deny"],
  );
  assert.ok((await fetch(served.url)).status > 0, "the control: the page answers outside");
});
