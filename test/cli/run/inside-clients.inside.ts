// Agents as npm brings them, in a test's own internet: each finds the gate inside by itself, lists its tools, stages a commit and asks
// for a push, as a scripted model tells it. CLIENTS names where they are installed.

import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { agentClients, inCodex } from "../../fixtures/agent-clients.ts";
import { task } from "../../fixtures/agent-task.ts";
import { makeCertificate } from "../../fixtures/internet-servers.ts";
import { newOutsidePerson } from "../../fixtures/outside-person.ts";
import { modelHosts, serveModels } from "../../fixtures/scripted-models.ts";

const clients = process.env["CLIENTS"] ?? "";
const only = process.env["ONLY_CLIENT"] ?? "";
const directory = mkdtempSync(join(tmpdir(), "sallyport-clients-"));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const tls = makeCertificate(directory, modelHosts);
appendFileSync("/etc/ssl/certs/ca-certificates.crt", readFileSync(tls.ca)); // of this internet
const key = "sk-the-key-of-the-person-0123456789";
const model = await serveModels(tls, key);

const inside = "mcp__sallyport__";

for (const client of agentClients.filter(({ program }) => only === "" || program === only))
  test(`${client.title} stages and asks for a push over MCP; it lands when a person says yes`, async (t) => {
    const person = newOutsidePerson(t);
    const from = model.requests.length;
    const said = () =>
      model.requests
        .slice(from)
        .map(({ body }) => body)
        .join("");
    const commit = "echo two >> notes.txt; git commit -qam 'Add two'";
    let searches = 0;
    model.script = (move, tools) => {
      if (move === 0) return client.shell(commit);
      // Claude Code names the tools of others without describing them, until the model looks for them.
      const isListed = !tools.includes("ToolSearch");
      if (!isListed && searches === 0) {
        searches = 1;
        const query = `select:${inside}git_stage,${inside}git_push`;
        return { tool: "ToolSearch", input: { query, max_results: 5 } };
      }
      const named = (end: string) => (isListed && tools.find((name) => name.endsWith(end))) || `${inside}${end}`;
      const call = (end: string, args: object) =>
        client.program === "codex" ? inCodex(`${inside}${end}`, args) : { tool: named(end), input: { ...args } };
      if (move - searches === 1) return call("git_stage", { commits: "all" });
      const id = /c-(?!1234abcd)[0-9a-f]{8}\b/.exec(said())?.[0] ?? "none";
      return move - searches === 2 ? call("git_push", { commitId: id }) : "It is pushed.";
    };
    const bin = join(clients, client.directory, "bin");
    const env = { PATH: `${bin}:${person.env["PATH"]}`, [client.key]: key };
    const before = person.digest();
    const ended = person.runBeside(["run", "--", client.program, ...client.headless, task], env);
    const told = async () => `${JSON.stringify(await ended)}\n${said().slice(-3_000)}`;
    const asked = await Promise.race([person.question("git_push"), ended.then(() => null)]);
    assert.ok(asked !== null, asked === null ? await told() : "");
    assert.doesNotMatch(asked.claimedBy ?? "MCP client", /^MCP client/);
    assert.equal(asked.session, client.program);
    assert.equal(person.digest(), before);
    await person.answer({}, "git_push");
    const { code } = await ended;
    assert.equal(code, 0, await told());
    assert.match(person.git("log", "--all", "--format=%s"), /^Add two$/m, await told());
    // Codex tells its model of such tools when a program of the model lists them.
    const listed = client.program === "codex" ? [] : ["git_status", "git_diff", "git_discard", "git_pull", "ask_host"];
    for (const name of listed) assert.ok(said().includes(name), name);
    assert.match(said(), /Pushed [0-9a-f]{40}|commitSha/);
  });
