// The profiles of `sallyport run` and the person's key, in a test's own internet: a script has the name of a known agent, and the host
// of its model is a server of this test.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { type AgentPerson, newAgentPerson } from "../../fixtures/agent-person.ts";
import { makeCertificate } from "../../fixtures/internet-servers.ts";
import { modelHosts, serveModels } from "../../fixtures/scripted-models.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-agents-"));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const tls = makeCertificate(directory, [...modelHosts, "web.test", "proxy.test"]);
appendFileSync("/etc/ssl/certs/ca-certificates.crt", readFileSync(tls.ca)); // of this internet
const key = "sk-the-key-of-the-person-0123456789";
const model = await serveModels(tls, key);

/** The script lies as installers lay a program: a link on PATH leads to its package, and other packages lie beside that. */
function personWith(
  t: TestContext,
  name: string,
  script: string,
): { person: AgentPerson; env: Record<string, string> } {
  const person = newAgentPerson(t, { "notes.txt": "one\n" });
  const modules = join(person.root, "tools/node_modules");
  mkdirSync(join(modules, "agent/bin"), { recursive: true });
  mkdirSync(join(modules, "beside"));
  const bin = join(person.root, "tools/bin");
  mkdirSync(bin);
  writeFileSync(join(modules, "beside/part"), "a part of it\n");
  writeFileSync(join(modules, "agent/bin/start"), `#!/bin/bash\n${script}\n`);
  chmodSync(join(modules, "agent/bin/start"), 0o755);
  spawnSync("ln", ["-s", "../node_modules/agent/bin/start", join(bin, name)]);
  return { person, env: { PATH: `${bin}:${person.env["PATH"]}`, ANTHROPIC_API_KEY: key } };
}

const post = (path: string) =>
  `curl -sS -o /tmp/said -w '%{http_code} ' -H "x-api-key: $ANTHROPIC_API_KEY" -d '{"messages":[]}' https://api.anthropic.com${path}`;
/** Every place in which a program of the box could find it. */
const look = `{ cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; env; cat /proc/self/mountinfo; grep -rsa . "$HOME" "$PWD" /tmp/said /run/sallyport 2>/dev/null; } | tr '\\0' '\\n'`;

test("a known agent needs no configuration: settings, options, its packages, its host and the person's key", async (t) => {
  const { person, env } = personWith(
    t,
    "claude",
    `echo "$@"; cat "$(dirname "$(readlink -f "$0")")/../../beside/part"; ${post("/v1/messages")}; cat /tmp/said; echo; cat ~/.claude.json ~/.claude/settings.json; env | grep -E 'IS_SANDBOX|TELEMETRY|ANTHROPIC'; echo two > notes.txt`,
  );
  const before = person.digest();
  const { code, out, err } = await person.runBeside(["run", "claude", "-p", "go"], env);
  assert.equal(code, 0, err);
  assert.match(out, /^--dangerously-skip-permissions --settings \S+ -p go\na part of it\n200 /);
  assert.match(out, /hasCompletedOnboarding/);
  assert.match(out, /skipDangerousModePermissionPrompt/);
  assert.match(out, /IS_SANDBOX=1/);
  assert.match(out, /ANTHROPIC_API_KEY=sallyport-placeholder/);
  assert.match(err, /Claude Code may reach api\.anthropic\.com/);
  assert.deepEqual([model.requests.at(-1)?.key, model.requests.at(-1)?.path], [key, "/v1/messages"]);
  assert.equal(person.digest(), before);
  const used = person.run(["audit", "list", "--json", "--event", "network.used"]).out;
  assert.match(used, /"requests":1\b/);
  assert.match(used, /api\.anthropic\.com/);
});

test("each request with the key is a line of the record, also if the gate is killed, and its number is bounded", async (t) => {
  const { person, env } = personWith(
    t,
    "claude",
    `${post("/v1/messages?beta=the-query")}; ${post("/v1/messages/none")}; ${post("/v1/messages")}; echo posted; [ "\${!#}" != wait ] || sleep 1000`,
  );
  writeFileSync(
    person.configFile,
    `version: 1\nagents: { default: { fs_grants: [{ path: /usr, mode: r }, { path: "\${project}", mode: r }], net_grants: [{ host: api.anthropic.com, open: true, methods: [POST], paths: ["/v1/messages", "/v1/messages/**"], requests: 2, credential: { env: ANTHROPIC_API_KEY, header: x-api-key, scheme: "" } }] } }\n`,
  );
  const lines = () => {
    const { out } = person.run(["audit", "list", "--json", "--event", "network.request"]);
    const told: any[] = JSON.parse(out).toReversed(); // the newest comes first
    return told.map(({ args, outcome }) => [args.method, args.host, args.path, outcome.status]);
  };
  const two = [
    ["POST", "api.anthropic.com:443", "/v1/messages", 200],
    ["POST", "api.anthropic.com:443", "/v1/messages/none", 200],
  ];
  const ended = await person.runBeside(["run", "claude"], env);
  assert.equal(ended.out, "200 200 403 posted\n", ended.err);
  assert.deepEqual(lines(), two);
  const killed = person.start(["run", "claude", "wait"], env);
  const out: string[] = [];
  await new Promise<void>((resolve) =>
    killed.stdout?.setEncoding("utf8").on("data", (text: string) => {
      out.push(text);
      if (out.join("").includes("posted")) resolve();
    }),
  );
  killed.kill("SIGKILL");
  assert.deepEqual(lines(), [...two, ...two], out.join(""));
  assert.ok(!person.run(["audit", "list", "--json"]).out.includes("the-query"));
});

test("the key is nowhere in the box, nor in what comes back; control: outside, the same look finds it", async (t) => {
  const { person, env } = personWith(
    t,
    "claude",
    `echo looked; ${look}; ${post("/v1/messages/echo")} -D /tmp/headers; cat /tmp/said /tmp/headers`,
  );
  const inside = await person.runBeside(["run", "claude"], env);
  assert.equal(inside.code, 0, inside.err);
  assert.match(inside.out, /looked\n[^]*placeholder/);
  assert.ok(!inside.out.includes(key) && !inside.err.includes(key));
  const outside = await person.runOutside(join(person.root, "tools/bin/claude"), env);
  for (const found of [`ANTHROPIC_API_KEY=${key}`, `you sent ${key}`, `x-echo: ${key}`])
    assert.ok(outside.out.includes(found), found);
  assert.match(inside.out, /you sent \*+\n/);
  assert.equal(spawnSync("grep", ["-rqaF", key, person.state]).status, 1, "nor does the gate write it down");
});

test("other paths, other methods, another host and no TLS do not get the key; control: without the gate they do", async (t) => {
  const script = [
    post("/v1/organizations/api_keys"),
    post("/v1/messages/../organizations"),
    `${post("/v1/messages")} -X DELETE`,
    post("/v1/messages").replace("https:", "http:"),
    `${post("/v1/messages")} -H 'Host: web.test'`,
    post("/v1/messages"),
  ].join("; ");
  const { person, env } = personWith(t, "claude", script.replaceAll("curl ", "curl --path-as-is --max-time 20 "));
  const from = model.requests.length;
  const { out } = await person.runBeside(["run", "claude"], env);
  assert.match(out, /^403 403 403 \d+ 403 200 $/);
  assert.deepEqual(
    model.requests.slice(from).map(({ path }) => path),
    ["/v1/messages"],
  );
  await person.runOutside(join(person.root, "tools/bin/claude"), env);
  assert.ok(model.requests.some((one) => one.path === "/v1/organizations/api_keys" && one.key === key));
});

test("an unknown program runs as a plain command, without the key, and is told what would help", async (t) => {
  const { person, env } = personWith(t, "other-agent", 'echo "$# ${ANTHROPIC_API_KEY:-none}"');
  const { code, out, err } = await person.runBeside(["run", "other-agent"], env);
  assert.equal(code, 0, err);
  assert.equal(out, "0 none\n");
  assert.match(err, /other-agent is not an agent that `run` knows/);
});

test("an agent's own sandbox that the person switches on: one line says what to do, before it starts", async (t) => {
  const note = /switches the sandbox of Codex on, which cannot start in the box: leave it out/;
  const { person, env } = personWith(t, "codex", "echo started");
  const told = await person.runBeside(["run", "codex", "--sandbox", "workspace-write", "exec"], env);
  assert.equal(told.err.split("\n").filter((line) => note.test(line)).length, 1, told.err);
  assert.equal(told.out, "started\n");
  const other = await person.runBeside(["run", "codex", "--sandbox", "danger-full-access", "exec"], env);
  assert.doesNotMatch(other.err, note);
});

test("an address that a key cannot be sent to is refused, by the variable's name", async (t) => {
  const { person, env } = personWith(t, "claude", "echo started");
  const { code, out, err } = await person.runBeside(["run", "claude"], {
    ...env,
    ANTHROPIC_BASE_URL: "http://web.test/v1",
  });
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /ANTHROPIC_BASE_URL: .*https:\/\/HOST\/PATH/);
});

/** The client's variable for an address, and the path that it asks there. opencode reads no address. */
const addresses = [
  ["claude", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "x-api-key: $ANTHROPIC_API_KEY", "/v1/messages"],
  ["codex", "OPENAI_BASE_URL", "OPENAI_API_KEY", "Authorization: Bearer $OPENAI_API_KEY", "/responses"],
  ["gemini", "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY", "x-goog-api-key: $GEMINI_API_KEY", "/v1beta/models/m:generateContent"],
  ["opencode", null, "ANTHROPIC_API_KEY", "x-api-key: $ANTHROPIC_API_KEY", "/v1/messages"],
] as const; // prettier-ignore

for (const [name, variable, keyVariable, header, path] of addresses)
  for (const below of name === "gemini" ? ["", "/proxy"] : [name === "codex" ? "/proxy/v1" : "/proxy"])
    test(`${name}: the key goes to ${variable === null ? "the usual host alone" : `https://proxy.test${below}`}, and to no other path there`, async (t) => {
      // As the client itself: codex has the address in its words.
      const { person, env } = personWith(
        t,
        name,
        `base=\${${variable ?? "NONE"}:-https://api.anthropic.com}; for word; do case $word in *base_url=*) base=\${word#*base_url=?}; base=\${base%%[!a-z0-9:/.]*};; esac; done
for path in ${path} /v1/organizations; do curl -sS -o /dev/null -w '%{http_code} ' -H "${header}" -d '{"messages":[],"contents":[],"input":[]}' "$base$path"; done`,
      );
      const address = `https://proxy.test${below}`;
      const own = { PATH: env["PATH"] as string, [keyVariable]: key, [variable ?? "ANTHROPIC_BASE_URL"]: address };
      const from = model.requests.length;
      const { code, out, err } = await person.runBeside(["run", name], own);
      assert.equal(code, 0, err);
      assert.match(out, /^\d+ 403 $/, err);
      assert.deepEqual(
        model.requests.slice(from).map((one) => [one.host, one.path, one.key]),
        [variable === null ? ["api.anthropic.com", path, key] : ["proxy.test", `${below}${path}`, key]],
      );
    });

test("settings that an earlier program of the session left as links are not followed out of the box", async (t) => {
  const { person, env } = personWith(
    t,
    "claude",
    `rm -rf ~/.claude.json ~/.claude; ln -s ${"OUTSIDE"} ~/.claude; echo linked`,
  );
  const outside = join(person.root, "outside");
  mkdirSync(outside);
  const program = join(person.root, "tools/node_modules/agent/bin/start");
  writeFileSync(program, readFileSync(program, "utf8").replaceAll("OUTSIDE", outside));
  assert.match((await person.runBeside(["run", "--session", "s", "claude"], env)).out, /linked/);
  await person.runBeside(["run", "--session", "s", "claude"], env);
  assert.equal(spawnSync("ls", ["-A", outside], { encoding: "utf8" }).stdout, "");
});
