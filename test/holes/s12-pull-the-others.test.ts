// A pull in which one file must be asked about brings the others, and says which one it left out; and what only has the name of a
// secret is not asked about at all.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { isHarmless } from "../../src/command/harmless-content.ts";
import { commit } from "../fixtures/git.ts";
import { newWorld, type Tools } from "../fixtures/git-gates.ts";

const source = { type: "local", path: "." };
const plainNpmrc =
  "registry=https://registry.example/npm/\n//registry.example/:_authToken=${NPM_TOKEN}\nsave-exact=true\n";

async function pulled(tools: Tools, paths: readonly string[]) {
  return (await tools.done("git_pull", { source, paths })) as {
    pulled: string[];
    leftOut?: { path: string; reason: string }[];
  };
}

test("a no, or nobody to ask, leaves out the one file; all others come, and the result names it", async () => {
  const world = newWorld();
  commit(world.repo, "secrets", { ".env": "TOKEN=1\n", "a.txt": "a\n" });
  for (const [session, approvers] of [
    ["asked", undefined],
    ["alone", []],
  ] as const) {
    const tools = world.open({ session, ...(approvers === undefined ? {} : { approvers: [...approvers] }) });
    tools.person.says = () => ({ decision: "deny", reason: "not the keys" });
    const { pulled: came, leftOut } = await pulled(tools, ["a.txt", ".env"]);
    assert.deepEqual(came, ["/workspace/a.txt"], session);
    assert.deepEqual(
      leftOut?.map(({ path }) => path),
      [".env"],
    );
    assert.match(leftOut?.[0]?.reason ?? "", /looks like a secret/);
    assert.equal(tools.person.asked.length, session === "asked" ? 1 : 0, "nobody is asked twice");
    assert.equal((await tools.call("read_file", { path: ".env" })).ok, false);
  }
  const tools = world.open({ session: "yes" });
  tools.person.says = () => ({});
  const whole = await pulled(tools, ["a.txt", ".env"]);
  assert.deepEqual([whole.pulled.length, whole.leftOut], [2, undefined], "control: with a yes it comes");
  tools.person.says = () => ({ decision: "deny", reason: "no" });
  const alone = world.open({ session: "only" });
  alone.person.says = () => ({ decision: "deny", reason: "no" });
  assert.equal((await alone.refused("git_pull", { source, paths: [".env"] })).error, "approval_denied");
});

test("where the rest needs a yes as well, a no is a no to all of it", async () => {
  const world = newWorld();
  commit(world.repo, "secrets", { ".env": "TOKEN=1\n", "a.txt": "a\n" });
  for (const decide of ["ask", "deny"] as const) {
    const tools = world.open({ session: decide, rules: [{ decide, effect: "pull" }] });
    tools.person.says = () => ({ decision: "deny", reason: "no" });
    const { error } = await tools.refused("git_pull", { source, paths: ["."] });
    assert.equal(error, decide === "ask" ? "approval_denied" : "permission_denied");
    assert.equal(tools.person.asked.length, decide === "ask" ? 1 : 0);
  }
});

test("an .npmrc without a token and public keys come unasked; with one, and private ones, they are asked about", async () => {
  const world = newWorld();
  const pair = generateKeyPairSync("ed25519");
  const key = pair.privateKey.export({ type: "pkcs8", format: "pem" });
  const open = pair.publicKey.export({ type: "spki", format: "pem" });
  const harmless = {
    ".npmrc": plainNpmrc,
    "keys/release.pem": open,
    ".ssh/deploy.pub": `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA${"B".repeat(40)} deploy@host\n`,
  };
  const secret = {
    "web/.npmrc": `//registry.example/:_authToken=${"npm_"}${"x".repeat(36)}\n`,
    "keys/server.pem": key,
  };
  commit(world.repo, "keys", { ...harmless, ...secret });
  const tools = world.open({ approvers: [] });
  const { pulled: came, leftOut } = await pulled(tools, ["."]);
  for (const path of Object.keys(harmless)) assert.ok(came.includes(`/workspace/${path}`), path);
  assert.deepEqual(leftOut?.map(({ path }) => path).sort(), Object.keys(secret).sort());
});

test("only what surely is harmless counts as such", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const block = (kind: string, body = "MCowBQYDK2VwAyEA") =>
    `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----\n`;
  const secrets: readonly [path: string, text: string][] = [
    [".npmrc", "_auth=aGVsbG86d29ybGQ=\n"],
    [".npmrc", "//r/:_password = cGFzcw==\n"],
    [".npmrc", "proxy=http://me:pw@proxy.example:8080\n"],
    [".npmrc", `# old: npm_${"a".repeat(36)}\n`],
    ["a.pem", block("PRIVATE KEY")],
    ["a.pem", block("PUBLIC KEY") + block("RSA PRIVATE KEY")],
    ["a.pem", `${block("CERTIFICATE")}password: hunter2\n`],
    ["a.pem", "-----BEGIN PUBLIC KEY-----\npassword=hunter2\n-----END PUBLIC KEY-----\n"],
    ["a.pem", "-----BEGIN PUBLIC KEY-----\nMCow\n"],
    ["a.pem", ""],
    [".env", "A=1\n"],
    [".pypirc", "[distutils]\n"],
  ];
  for (const [path, text] of secrets) assert.equal(isHarmless(path, bytes(text)), false, `${path}: ${text}`);
  for (const [path, text] of [
    [".npmrc", ""],
    [".npmrc", "engine-strict=true\n@scope:registry=https://npm.pkg.github.com\n; a comment\n"],
    ["a/.npmrc", plainNpmrc],
    ["a.pem", block("CERTIFICATE") + block("CERTIFICATE")],
  ] as const)
    assert.equal(isHarmless(path, bytes(text)), true, `${path}: ${text}`);
  assert.equal(isHarmless(".npmrc", undefined), false);
  assert.equal(isHarmless(".npmrc", Uint8Array.of(0xff, 0xfe)), false);
});
