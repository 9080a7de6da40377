// What the clients that npm brings say of their own tools in a box of `sallyport run`, in a test's own internet. A scripted model tells
// each to use its shell and its editor. CLIENTS names where they are installed.

import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { agentClients } from "../../fixtures/agent-clients.ts";
import { newAgentPerson } from "../../fixtures/agent-person.ts";
import { hookForms } from "../../fixtures/hook.ts";
import { hookedTasks } from "../../fixtures/hooked-tasks.ts";
import { makeCertificate } from "../../fixtures/internet-servers.ts";
import { modelHosts, serveModels } from "../../fixtures/scripted-models.ts";

const clients = process.env["CLIENTS"] ?? "";
const only = process.env["ONLY_CLIENT"] ?? "";
const directory = mkdtempSync(join(tmpdir(), "sallyport-said-"));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const tls = makeCertificate(directory, modelHosts);
appendFileSync("/etc/ssl/certs/ca-certificates.crt", readFileSync(tls.ca)); // of this internet
const key = "sk-the-key-of-the-person-0123456789";
const model = await serveModels(tls, key);
const [before, after] = ["export const sum = (a, b) => a - b;", "export const sum = (a, b) => a + b;"];

for (const { program, words, shell, edit } of hookedTasks.filter((one) => only === "" || one.program === only))
  test(`${program}: the record has its tools as what the agent says, and the work is done`, async (t) => {
    const person = newAgentPerson(t, { "sum.js": `${before}\n` });
    const client = agentClients.find((one) => one.program === program);
    assert.ok(client !== undefined);
    const moves = [shell("echo it-ran > made.txt"), edit(join(person.project, "sum.js"), before, after)];
    model.script = (move) => moves[move] ?? "It is done.";
    const env = { PATH: `${join(clients, client.directory, "bin")}:${person.env["PATH"]}`, [client.key]: key };
    const { code, out, err } = await person.runBeside(["run", "--", program, ...words, "Do it."], env);
    assert.equal(code, 0, `${out.slice(-3000)}\n${err.slice(-3000)}`);
    const listed = JSON.parse(person.run(["audit", "list", "--json", "--event", "said"]).out) as any[];
    const { shell: shellTool, editor } = hookForms[program];
    assert.deepEqual(listed.map(({ args }) => [args.client, args.tool]).reverse(), [
      [program, shellTool],
      [program, editor],
    ]);
    assert.match(JSON.stringify(listed.at(-1).args.input), /it-ran/);
    assert.match(JSON.stringify(listed[0].args.input), /a \+ b/);
    for (const { call_id, tool, decision, digest, session } of listed)
      assert.deepEqual([call_id, tool, decision, digest, session], [null, null, null, null, program]);
    assert.match(err, /has changed 2 files/);
  });
