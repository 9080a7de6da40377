// From inside a box of `sallyport run`: what programs there can ask of the gate, and that none of it answers.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { limits } from "../../../src/shared/limits.ts";
import { newOutsidePerson, type Running } from "../../fixtures/outside-person.ts";

const port = limits.insidePort;

/** What stands between two words that the script prints. */
function part(running: Running, name: string): string {
  const found = new RegExp(`^<${name}>\n([^]*?)^</${name}>$`, "m").exec(running.said());
  assert.ok(found, `${name} is missing in:\n${running.said()}`);
  return found[1] ?? "";
}

const marked = (name: string, command: string) =>
  `echo '<${name}>'; ${command} 2>&1; echo "code $?"; echo '</${name}>'`;

test("a program stages and asks for a push; the project changes when a person outside has said yes", async (t) => {
  const person = newOutsidePerson(t);
  const before = person.digest();
  const running = person.runScript(
    "s1",
    [
      marked("which", "type -P sallyport"),
      "echo two >> notes.txt",
      marked("status", "cd /tmp && sallyport status; cd - >/dev/null"),
      marked("diff", "sallyport diff --stat notes.txt"),
      "git commit -qam 'Add a line'",
      marked("stage", "sallyport stage --commits --json"),
      marked("push", "sallyport push --branch mended --json"),
      marked("again", "sallyport push c-00000000"),
      marked("wrong", "sallyport review; sallyport stage"),
    ].join("\n"),
  );
  await running.until("waits for a person");
  const asked = await person.question();
  assert.equal(person.digest(), before, "nothing lands before the answer");
  assert.equal(asked.session, "s1");
  assert.equal(asked.action.tool, "git_push");
  assert.equal(asked.claimedBy, "the command sallyport");
  assert.match(asked.text, /note: the program that asks calls itself "the command sallyport"; nobody checked that/);
  await person.answer();
  assert.equal(await running.ended, 0, running.said());
  assert.match(part(running, "which"), /^\/run\/sallyport\/bin\/sallyport$/m);
  assert.match(part(running, "status"), /modified \/workspace\/notes\.txt[^]*code 0/);
  assert.match(part(running, "diff"), /notes\.txt[^]*code 0/);
  assert.match(part(running, "stage"), /"ok":true[^]*code 0/);
  assert.match(part(running, "push"), /waits for a person\n\{"ok":true[^]*"branch":"mended"[^]*code 0/);
  assert.match(part(running, "again"), /refused[^]*code 1/);
  assert.match(part(running, "wrong"), /unknown command 'review'[^]*-m: the message is missing[^]*code 2/);
  assert.match(person.git("log", "--format=%s", "mended"), /^Add a line$/m);
  const calls = JSON.parse(person.run(["audit", "list", "--json", "--tool", "git_push"]).out) as { session: string }[];
  assert.ok(calls.length > 0 && calls.every(({ session }) => session === "s1"));
});

test("git push says how to ask; pushes to other places work as ever", async (t) => {
  const person = newOutsidePerson(t);
  const running = person.runScript(
    "s1",
    [
      marked("plain", "git push"),
      marked("named", "git push -u origin main"),
      "git init -q --bare /tmp/there.git",
      "git clone -q /tmp/there.git /tmp/clone 2>&1",
      "cd /tmp/clone; git -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m x",
      marked("clone", "git push -q origin HEAD"),
      "cd - > /dev/null",
      marked("address", "git push -q /tmp/there.git HEAD:refs/heads/one"),
      "git remote add origin /tmp/there.git",
      marked("own", "git push -q origin HEAD:refs/heads/two"),
    ].join("\n"),
  );
  await running.ended;
  for (const name of ["plain", "named"])
    assert.match(part(running, name), /^This is a draft\. Ask for a push with: sallyport stage --commits/m);
  for (const name of ["plain", "named"]) assert.match(part(running, name), /code (?!0)\d+/);
  for (const name of ["clone", "address", "own"]) assert.match(part(running, name), /code 0/, running.said());
  // Control: outside, git says something else.
  const outside = spawnSync("git", ["-C", person.project, "push"], { encoding: "utf8", env: person.env });
  assert.doesNotMatch(outside.stderr, /This is a draft/);
});

/** A client of MCP that says that a person can answer it, takes every name, and answers every question with yes. */
const forger = String.raw`
const http = require("node:http");
const url = new URL(process.argv[2]), token = process.argv[3], calls = JSON.parse(process.argv[4]);
let session, id = 0;
const send = (message, seen) => new Promise((resolve, reject) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream",
    ...(session && { "mcp-session-id": session }), ...(token && { authorization: "Bearer " + token }) };
  const request = http.request(url, { method: "POST", headers }, (response) => {
    session ??= response.headers["mcp-session-id"];
    let rest = "", last;
    const take = (text) => {
      const said = JSON.parse(text);
      if (said.method !== undefined && said.id !== undefined) {
        console.log("ASKED " + said.method);
        send({ id: said.id, result: { action: "accept", content: { decision: "once" } } });
      } else if (said.result !== undefined || said.error !== undefined) last = said;
    };
    response.setEncoding("utf8").on("data", (text) => {
      rest += text;
      const lines = rest.split("\n");
      rest = lines.pop();
      for (const line of lines) if (line.startsWith("data: ")) take(line.slice(6));
    });
    response.on("end", () => { if (rest.startsWith("{")) take(rest); resolve(last); });
  });
  request.on("error", reject).end(body);
});
(async () => {
  await send({ id: ++id, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: { elicitation: {} },
    clientInfo: { name: "Sallyport at the web page", version: "ann" } } });
  await send({ method: "notifications/initialized" });
  const { result } = await send({ id: ++id, method: "tools/list" });
  console.log("TOOLS " + result.tools.map(({ name }) => name).join(" "));
  for (const [name, args] of calls) {
    const said = await send({ id: ++id, method: "tools/call", params: { name, arguments: args } });
    console.log("SAID " + name + " " + JSON.stringify(said.result?.structuredContent ?? said.error));
  }
  process.exit();
})();
`;

const trusting = `version: 1
agents:
  default:
    tool_grants: ["*"]
    fs_grants: [{ path: /usr, mode: r }, { path: "\${project}", mode: r }]
approvals: { timeout_s: 60, trust_client: true }
`;

test("no answer comes from inside, whatever a client calls itself and says about forms", async (t) => {
  const person = newOutsidePerson(t, trusting);
  const outside = mkdtempSync(join(tmpdir(), "sallyport-asked-"));
  t.after(() => rmSync(outside, { recursive: true }));
  const read = ["Exec", { argv: ["/bin/ls"], cwd: outside }] as const;
  const others = ["Exec", "Run", "Bash", "write_file", "answer", "review"].map((name) => [name, read[1]] as const);
  const running = person.runScript(
    "s1",
    [
      `cat > /tmp/forger.js <<'END'\n${forger}\nEND`,
      "echo two >> notes.txt",
      "sallyport stage -m 'A line' notes.txt > /tmp/staged",
      "id=$(grep -o 'c-[0-9a-f]*' /tmp/staged)",
      `/run/sallyport/node /tmp/forger.js http://127.0.0.1:${port}/mcp '' '${JSON.stringify(others)}'`,
      `/run/sallyport/node /tmp/forger.js http://127.0.0.1:${port}/mcp '' '[["git_push",{"commitId":"'$id'"}]]'`,
    ].join("\n"),
  );
  const asked = await person.question();
  assert.match(asked.claimedBy ?? "", /^Sallyport at the web page/);
  assert.match(asked.text, /calls itself "Sallyport at the web page ann"; nobody checked that/);
  const review = person.run(["review", asked.id]);
  assert.match(review.out, /by +git_push for default, session s1/, review.err);
  assert.match(review.out, /note +the program that asks calls itself/);
  await person.answer({ decision: "deny" });
  assert.equal(await running.ended, 0, running.said());
  assert.match(running.said(), /^TOOLS git_status git_diff git_stage git_push git_discard git_pull ask_host$/m);
  for (const [name] of others) assert.match(running.said(), new RegExp(`^SAID ${name} .*tool_not_found`, "m"));
  assert.match(running.said(), /^SAID git_push .*approval_denied/m);
  assert.doesNotMatch(running.said(), /ASKED/);

  // Control: with the same configuration, a server outside asks this client, and its yes counts.
  const server = person.start(["mcp", "--http", "0", "--json"]);
  t.after(() => server.kill("SIGKILL"));
  const [line] = (await once(server.stdout?.setEncoding("utf8") as NodeJS.ReadableStream, "data")) as [string];
  const { url, token } = JSON.parse(line) as { url: string; token: string };
  const believed = spawnSync(process.execPath, ["--eval", forger, "-", url, token, JSON.stringify([read])], {
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.match(believed.stdout, /^TOOLS .*\bExec\b/m, believed.stderr);
  assert.match(believed.stdout, /^ASKED elicitation\/create$[^]*^SAID Exec \{"ok":true/m);
});

test("each box reaches the gate of its own session alone; other names, pages and the host's port lead nowhere", async (t) => {
  const person = newOutsidePerson(t);
  const get = (name: string, words: string) =>
    marked(name, `curl -s -o /dev/null -w '%{http_code}' --max-time 20 ${words}`);
  const body = `-X POST -H 'content-type: application/json' -d '{"words":["--help"],"cwd":"/"}' http://127.0.0.1:${port}/command`;
  const one = person.runScript(
    "one",
    [
      "echo mine > only-in-one.txt",
      "echo ready; until [ -e /tmp/go ]; do sleep 0.2; done & echo $! > /tmp/waits",
      "sallyport stage -m 'Of one' only-in-one.txt",
      "echo staged; sleep 60",
    ].join("\n"),
  );
  await one.until("staged");
  const [page] = /http:\/\/127\.0\.0\.1:\d+/.exec(one.said()) ?? [];
  assert.equal((await fetch(`${page}/`)).status, 200, "control: the page answers outside");
  const two = person.runScript(
    "two",
    [
      marked("status", "sallyport status"),
      get("plain", body),
      get("origin", `-H 'Origin: http://evil.test' ${body}`),
      get("host", `-H 'Host: evil.test' ${body}`),
      get("page", `${page}/`),
      get("other", `http://127.0.0.2:${port}/mcp`),
    ].join("\n"),
  );
  assert.equal(await two.ended, 0, two.said());
  assert.doesNotMatch(part(two, "status"), /only-in-one|Of one/);
  assert.match(part(two, "plain"), /^200/);
  for (const name of ["origin", "host"]) assert.match(part(two, name), /^403/);
  for (const name of ["page", "other"]) assert.match(part(two, name), /^000/);
  // A second terminal of the first session has a gate of the same session.
  const joined = person.runScript("one", marked("status", "sallyport status"));
  assert.equal(await joined.ended, 0, joined.said());
  assert.match(part(joined, "status"), /Of one/);
  await assert.rejects(once(connect(port, "127.0.0.1"), "connect"), { code: "ECONNREFUSED" });
  one.child.kill("SIGTERM");
  await one.ended;
});

test("with the whole network of the machine there is no gate inside, and run says so", async (t) => {
  const config = `version: 1
agents:
  default:
    tool_grants: ["*"]
    net_grants: ["*"]
    fs_grants: [{ path: /usr, mode: r }, { path: "\${project}", mode: rw }]
`;
  const person = newOutsidePerson(t, config);
  const running = person.runScript("s1", marked("which", "type -P sallyport"));
  await running.ended;
  assert.match(running.said(), /inside, there is no `sallyport`/);
  assert.match(part(running, "which"), /^code 1$/m);
});
