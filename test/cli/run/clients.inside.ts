// Whole agents as npm brings them, in a test's own internet: each reads a file, edits it with its own tool, runs the project's tests and
// commits, as a scripted model tells it. The project stays as it is until the landing. CLIENTS names where they are installed.

import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { newAgentPerson } from "../../fixtures/agent-person.ts";
import { agentClients } from "../../fixtures/agent-clients.ts";
import { makeCertificate } from "../../fixtures/internet-servers.ts";
import { modelHosts, serveModels } from "../../fixtures/scripted-models.ts";

const clients = process.env["CLIENTS"] ?? "";
const only = process.env["ONLY_CLIENT"] ?? "";
const directory = mkdtempSync(join(tmpdir(), "sallyport-clients-"));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const tls = makeCertificate(directory, modelHosts);
appendFileSync("/etc/ssl/certs/ca-certificates.crt", readFileSync(tls.ca)); // of this internet
const key = "sk-the-key-of-the-person-0123456789";
const model = await serveModels(tls, key);

const files = {
  "package.json": '{ "name": "sums", "type": "module", "scripts": { "test": "node --test" } }\n',
  "sum.js": "export const sum = (a, b) => a - b;\n",
  "sum.test.js":
    'import assert from "node:assert";\nimport test from "node:test";\nimport { sum } from "./sum.js";\ntest("sum", () => assert.equal(sum(1, 2), 3));\n',
};

for (const client of agentClients.filter(({ program }) => only === "" || program === only))
  test(`${client.title}, headless: reads, edits, tests, commits; the project changes when it lands`, async (t) => {
    const person = newAgentPerson(t, files);
    const from = model.requests.length;
    model.script = client.script(person.project);
    const before = person.digest();
    const bin = join(clients, client.directory, "bin");
    assert.ok(existsSync(join(bin, client.program)), `${bin} has no ${client.program}`);
    const env = { PATH: `${bin}:${person.env["PATH"]}`, [client.key]: key };
    const { code, out, err } = await person.runBeside(["run", "--", client.program, ...client.words], env);
    const asked = model.requests.slice(from);
    const told = `${out.slice(-3000)}\n${err.slice(-3000)}\n${asked.map(({ path }) => path).join("\n")}`;
    assert.equal(code, 0, told);
    assert.equal(person.digest(), before, "the project is as it was");
    assert.ok(asked.length >= 5 && asked.every((one) => one.key === key), told);
    const last = asked.map(({ body }) => body).join("\n");
    assert.match(last, /a - b/, "it read the file");
    assert.match(last, /pass 1\b/, "the tests ran, and passed");
    assert.match(err, /has changed 1 file, in 1 commit/, told);
    assert.ok(!last.includes(key) && !out.includes(key) && !err.includes(key));

    const landed = await person.runBeside(["changes", "land", client.program, "--commits", "--yes"]);
    assert.equal(landed.code, 0, landed.err);
    assert.match(person.git("log", "--all", "--format=%s"), /^mend the sum$/m);
    assert.match(
      person.git("grep", "a + b", ...person.git("for-each-ref", "--format=%(refname)").trim().split("\n")),
      /sum\.js/,
    );
  });
