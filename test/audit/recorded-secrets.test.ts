// What is taken out of one field of an entry is in none of the others: the reasons, the messages and the hints of a
// refusal repeat what was asked for, each in its own way of writing.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { entryLine } from "../../src/audit/entry.ts";
import { makeGitGates } from "../fixtures/git-gates.ts";

const wayOut = makeGitGates();
after(() => wayOut.close());
const tools = wayOut.open();
tools.person.says = () => ({ decision: "deny", scope: "once", reason: "no", who: "test" }) as never;

const canary = "Zq9x8Wv7Ut6Sr5";
const target = (url: string) => ({ commitId: "c-00000000", target: { type: "remote", url } });

const calls: readonly (readonly [tool: string, args: unknown])[] = [
  ...[
    `mysql -u root -p${canary}`,
    `mysql -p'${canary} two'`,
    `mysql --password ${canary}`,
    `sudo curl -u a:${canary} http://x`,
    `sudo curl -u 'a:${canary} two' http://x`,
    `vim --token ${canary}`,
    `vim https://u:${canary}@h/x`,
    `API_TOKEN=${canary} vim x`,
    `redis-cli -a ${canary}`,
    `mongo -u a -p ${canary}`,
    `vim -c 'let token="${canary}"'`,
    `git push user:${canary}@h.org:x main`,
    `sudo cat https://u:${canary}@h/x ./https://u:${canary}@h/x`,
    `printf 'machine h login u password ${canary}' > .netrc`,
    `cat > .netrc <<'EOF'\nmachine h\n  login u\n  password ${canary}\nEOF`,
    `curl -b session=${canary} http://x`,
    `echo ${canary} | docker login --password-stdin r.example`,
    `echo 'root:${canary}' | chpasswd`,
    `zip -P ${canary} -r a.zip src`,
    `DBPASS=${canary} PW=${canary} vim x`,
    `htpasswd -b f person ${canary}`,
    `aws configure set aws_secret_access_key ${canary}`,
    `vim --pass"word"=${canary}`,
  ].map((script) => ["Bash", { script }] as const),
  ["Bash", { script: "docker login --password-stdin r.example", stdin: `${canary}\n` }],
  ["Bash", { script: "cat", stdin: `<password>${canary}</password>\n` }],
  ["Bash", { script: "env", env: { NOTE: `machine h login u password ${canary}` } }],
  ["Exec", { argv: ["/usr/bin/env", "ldapsearch", "-x", "-w", canary] }],
  ["write_file", { path: ".netrc", content: `machine h login u password ${canary}\n` }],
  ["write_file", { path: "kubeconfig", content: `users: [{name: u, user: {client-key-data: ${canary}}}]\n` }],
  ["write_file", { path: "a.py", content: `os.environ["API_KEY"]="${canary}"\n` }],
  ["git_stage", { files: ["a.py"], message: `ci: log in\n\nwith: smbclient //h/s -U u%${canary}` }],
  ["git_push", target(`user:${canary}@h.org:x`)],
  ["git_push", target(`user:${canary}@h.org/x`)],
  ["git_push", target(`https://u:${canary}@h.org/x`)],
  ["git_pull", { source: { type: "local", path: `https://u:${canary}@h/x` }, paths: [`https://u:${canary}@h/x`] }],
  ["git_stage", { files: [`https://u:${canary}@h/x`], message: "m" }],
  ["read_file", { path: `https://u:${canary}@h/x` }],
  ["list_files", { path: `https://u:${canary}@h/x` }],
  ["write_file", { path: `https://u:${canary}@h/x`, content: "x" }],
];

for (const [tool, args] of calls) {
  test(`${tool} ${JSON.stringify(args)} leaves no secret in its entries`, async () => {
    const before = tools.gate.journal.lastSeq();
    await tools.call(tool, args);
    const entries = [...tools.gate.journal.list({ after: before, order: "oldest" })];
    assert.ok(entries.length >= 2);
    assert.ok(entryLine(entries[0] as never).includes("[redacted]"));
    for (const entry of entries) assert.ok(!entryLine(entry).includes(canary), entryLine(entry));
  });
}

test("control: the answers do repeat it, and the same calls without a secret are in the record as they were made", async () => {
  const refused = await tools.refused("Bash", { script: `mysql -u root -p${canary}` });
  assert.ok(JSON.stringify(refused).includes(canary));
  const before = tools.gate.journal.lastSeq();
  const script = "vim src/[id].ts 'fix token: a, b' mail:me@example.org --sort-key name";
  await tools.refused("Bash", { script });
  const [received, ...rest] = tools.gate.journal.list({ after: before, order: "oldest" });
  assert.deepEqual(received?.args, { script });
  assert.ok(rest.every((entry) => !entryLine(entry).includes("[redacted]")));
});
