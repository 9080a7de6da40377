// `sallyport hook` with the clients that npm brings, outside any box, in a test's own internet. A scripted model tells each client to read
// the person's secret in its shell, to use sudo, and to edit a file with its own editor. CLIENTS names where they are installed.

import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { type AgentPerson, newAgentPerson } from "../../fixtures/agent-person.ts";
import { documentedHook, runHooked } from "../../fixtures/hooked-client.ts";
import { type HookedTask, hookedTasks } from "../../fixtures/hooked-tasks.ts";
import { makeCertificate } from "../../fixtures/internet-servers.ts";
import { modelHosts, serveModels } from "../../fixtures/scripted-models.ts";

const clients = process.env["CLIENTS"] ?? "";
const only = process.env["ONLY_CLIENT"] ?? "";
const directory = mkdtempSync(join(tmpdir(), "sallyport-hooks-"));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const tls = makeCertificate(directory, modelHosts);
appendFileSync("/etc/ssl/certs/ca-certificates.crt", readFileSync(tls.ca)); // of this internet
const key = "sk-the-key-of-the-person-0123456789";
const model = await serveModels(tls, key);

const secret = "the secret of the person";
/** Only the output has it like this. */
const ran = "it-ran-42";
const [before, after] = ["export const sum = (a, b) => a - b;", "export const sum = (a, b) => a + b;"];

interface Told {
  readonly person: AgentPerson;
  /** All that the model was told. */
  readonly told: string;
  /** For a failure. */
  readonly printed: string;
}

async function work(t: TestContext, client: HookedTask, hook: string | null): Promise<Told> {
  const person = newAgentPerson(t, { "sum.js": `${before}\n` });
  writeFileSync(join(person.home, "secret.txt"), `${secret}\n`);
  const from = model.requests.length;
  const moves = [
    client.shell(`cat ${join(person.home, "secret.txt")} 2>&1; printf "it-ran-%s" 42`),
    client.shell(`touch marker; sudo -n true; echo was not refused`),
    client.edit(join(person.project, "sum.js"), before, after),
  ];
  model.script = (move) => moves[move] ?? "It is done.";
  const words = client.program === "codex" && hook !== null ? ["--dangerously-bypass-hook-trust"] : [];
  const { code, out, err } = await runHooked(person, client, { clients, key, authority: tls.ca, hook, words });
  const asked = model.requests.slice(from);
  const last = asked.at(-1)?.body ?? "it asked its model nothing";
  const results = last.match(/(?:"functionResponse"|"tool_result"|call_output"),.{0,700}/g) ?? [last.slice(-3000)];
  const printed = `${out.slice(-2000)}\n${err.slice(-2000)}\n${results.join("\n").slice(0, 4000)}`;
  assert.equal(code, 0, printed);
  return { person, told: asked.map(({ body }) => body).join("\n"), printed };
}

const eventsOf = (person: AgentPerson, event: string): any[] =>
  JSON.parse(person.run(["audit", "list", "--json", "--event", event]).out) as any[];

for (const client of hookedTasks.filter(({ program }) => only === "" || program === only)) {
  test(`${client.program}: its commands run through the gate or are refused, its edits are recorded`, async (t) => {
    const { person, told, printed } = await work(t, client, documentedHook(client.program));
    assert.match(told, /No such file or directory/, printed);
    assert.ok(!told.includes(secret), "the box has no home of the person");
    assert.match(told, new RegExp(ran), printed);
    assert.match(told, /Not allowed to gain privileges/, printed);
    assert.ok(!existsSync(join(person.project, "marker")));
    assert.match(readFileSync(join(person.project, "sum.js"), "utf8"), /a \+ b/, printed);
    assert.equal(eventsOf(person, "tool.call.finished").length, 1);
    assert.equal(eventsOf(person, "tool.call.denied").length, 1);
    assert.deepEqual(new Set(eventsOf(person, "agent.said").map(({ args }) => args.client)), new Set([client.program]));
  });

  test(`control: ${client.program} without the hook reads the secret, and nothing is recorded`, async (t) => {
    const { person, told, printed } = await work(t, client, null);
    assert.ok(told.includes(secret), printed);
    assert.ok(existsSync(join(person.project, "marker")), printed);
    assert.equal(eventsOf(person, "tool.call.received").length, 0);
  });
}

const claude = hookedTasks.find(({ program }) => program === "claude") as HookedTask;
const broken: readonly (readonly [what: string, command: string])[] = [
  ["is missing", "no-such-program hook claude"],
  ["fails", "exit 1"],
  ["is slow", "sleep 20; exit 2"],
];
for (const [what, command] of only === "" || only === "claude" ? broken : [])
  test(`it is no boundary: if the hook ${what}, Claude Code runs the command without it`, async (t) => {
    const hook = documentedHook("claude")
      .replace("sallyport hook claude", command)
      .replace('"timeout": 60', '"timeout": 2');
    const { person, told, printed } = await work(t, claude, hook);
    assert.ok(told.includes(secret), printed);
    assert.ok(existsSync(join(person.project, "marker")), printed);
    assert.equal(eventsOf(person, "tool.call.received").length, 0);
  });

test(
  "control: a hook of the same form that answers with exit 2 stops it",
  { skip: only !== "" && only !== "claude" },
  async (t) => {
    const { person, told, printed } = await work(
      t,
      claude,
      documentedHook("claude").replace("sallyport hook claude", `echo ${ran} >&2; exit 2`),
    );
    assert.ok(!told.includes(secret), printed);
    assert.ok(!existsSync(join(person.project, "marker")), printed);
  },
);
