// `sallyport serve --host`: TLS or nothing, with errors that name the file; and a device that is paired from the terminal.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test, { type TestContext } from "node:test";
import type { PairAsked, PairOutcome } from "../../../src/web/api-devices.ts";
import { createAuthority } from "../../../src/network/open/authority.ts";
import { newAsker } from "../../fixtures/asking.ts";
import { type CliUser, noTerminal } from "../../fixtures/cli.ts";
import { openDialog } from "../../fixtures/dialog.ts";
import { newCertificate, type Outer, rawTo, type TestCertificate } from "../../fixtures/outer-page.ts";

const tlsFlags = ({ cert, key }: TestCertificate) => ["--tls-cert", cert, "--tls-key", key];

async function serveOuter(t: TestContext, person: CliUser, tls: TestCertificate, more: readonly string[] = []) {
  const child = person.start(["serve", "--port", "0", "--json", "--host", "127.0.0.1:0", ...tlsFlags(tls), ...more]);
  const exited = once(child, "exit");
  t.after(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  let err = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (err += text));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const { value } = (await lines.next()) as { value: string | undefined };
  assert.ok(value !== undefined, err);
  const { devices } = JSON.parse(value) as { devices: readonly string[] };
  const [origin = ""] = devices;
  const port = Number(new URL(origin).port);
  return { devices, outer: { port, origin, raw: rawTo(port, readFileSync(tls.ca)) } satisfies Outer };
}

test("it answers by the names of the certificate and those that are added, over TLS", async (t) => {
  const tls = newCertificate(t, ["localhost", "*.home.example", "gate.example"]);
  const { devices, outer } = await serveOuter(t, newAsker(t), tls, ["--allow-host", "phone.home.example"]);
  const { port } = outer;
  assert.deepEqual(
    devices,
    ["localhost", "gate.example", "phone.home.example"].map((name) => `https://${name}:${port}`),
  );
  for (const [name, status] of [
    ["gate.example", 200],
    ["phone.home.example", 200],
    ["other.home.example", 403],
    ["127.0.0.1", 403],
  ] as const)
    assert.equal((await outer.raw("GET", "/", { host: `${name}:${port}` })).status, status, name);
});

test("what cannot be used is said, with the file and the reason, and nothing listens", (t) => {
  const person = newAsker(t);
  const tls = newCertificate(t);
  const at = (name: string) => join(person.root, name);
  writeFileSync(at("empty.pem"), "");
  mkdirSync(at("directory"));
  writeFileSync(at("open.key"), readFileSync(tls.key));
  chmodSync(at("open.key"), 0o644);
  const another = newCertificate(t);
  execFileSync("openssl", ["ec", "-aes256", "-passout", "pass:x", "-in", tls.key, "-out", at("locked.key")], {
    stdio: "ignore",
  });
  execFileSync("mkfifo", [at("pipe")]);
  writeFileSync(at("old.pem"), createAuthority(() => new Date("2001-01-01")).caPem());
  execFileSync("openssl", ["req", "-x509", "-key", tls.key, "-subj", "/CN=x", "-out", at("nameless.pem")], {
    stdio: "ignore",
  });
  const secret = readFileSync(tls.key, "utf8").split("\n")[1] as string;
  const host = ["--host", "127.0.0.1:0"];
  const wrong: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [host, /--host: without TLS others on the network could read[^]*--tls-cert FILE and --tls-key FILE/],
    [[...host, "--tls-cert", tls.cert], /--host: without TLS/],
    [["--host", "0.0.0.0"], /--host: without TLS/],
    [tlsFlags(tls), /--tls-cert, --tls-key and --allow-host go with --host/],
    [["--allow-host", "x"], /go with --host/],
    [["--host", "home.example", ...tlsFlags(tls)], /--host: "home\.example" is not an address of this machine/],
    [["--host", "127.0.0.1:70000", ...tlsFlags(tls)], /--host: "70000" is not a port/],
    [[...host, "--tls-cert", at("none.pem"), "--tls-key", tls.key], /--tls-cert: .*none\.pem does not exist/],
    [[...host, "--tls-cert", at("directory"), "--tls-key", tls.key], /--tls-cert: .*directory is not a file/],
    [[...host, "--tls-cert", at("pipe"), "--tls-key", tls.key], /--tls-cert: .*pipe is not a file/],
    [[...host, "--tls-cert", at("empty.pem"), "--tls-key", tls.key], /--tls-cert: .*empty\.pem is not a certificate/],
    [[...host, "--tls-cert", at("old.pem"), "--tls-key", tls.key], /--tls-cert: .*old\.pem ended on \d{4}-/],
    [
      [...host, "--tls-cert", at("nameless.pem"), "--tls-key", tls.key],
      /nameless\.pem is for no name[^]*--allow-host NAME/,
    ],
    [
      [...host, "--tls-cert", tls.cert, "--tls-key", at("open.key")],
      /--tls-key: other users .* open\.key|open\.key\nhint: chmod 600/,
    ],
    [
      [...host, "--tls-cert", tls.cert, "--tls-key", tls.cert],
      /--tls-key: other users|--tls-key: .* is not a private key/,
    ],
    [
      [...host, "--tls-cert", tls.cert, "--tls-key", at("locked.key")],
      /--tls-key: .*locked\.key is not a private key without a passphrase/,
    ],
    [
      [...host, "--tls-cert", tls.cert, "--tls-key", another.key],
      /--tls-key: .*leaf\.key is not the key of .*leaf\.pem/,
    ],
    [[...host, ...tlsFlags(tls), "--allow-host", "a:1"], /--allow-host: "a:1" is not a name/],
  ];
  for (const [args, said] of wrong) {
    const { code, out, err } = person.run(["serve", "--port", "0", ...args]);
    assert.deepEqual([code, out], [2, ""], args.join(" "));
    assert.match(err, said);
    assert.ok(!err.includes(secret), "nothing of a key is said");
  }
});

test("certificate and key may be links, as they often are", async (t) => {
  const person = newAsker(t);
  const tls = newCertificate(t);
  const [cert, key] = ["live.pem", "live.key"].map((name) => join(person.root, name)) as [string, string];
  symlinkSync(tls.cert, cert);
  symlinkSync(tls.key, key);
  const { outer } = await serveOuter(t, person, { ...tls, cert, key });
  assert.equal((await outer.raw("GET", "/")).status, 200);
});

test("a device is paired by a code that the terminal shows", { skip: noTerminal }, async (t) => {
  const person = newAsker(t);
  const { outer } = await serveOuter(t, person, newCertificate(t));
  const own = { origin: outer.origin, "content-type": "application/json" };
  const post = async <T>(path: string, body: unknown) =>
    JSON.parse((await outer.raw("POST", path, own, JSON.stringify(body))).body) as T;
  const ask = async (dialog: ReturnType<typeof openDialog>) => {
    await dialog.until(/two minutes: +[2-9A-Z]{4}-[2-9A-Z]{4}/);
    const [, code = ""] = /([2-9A-Z]{4}-[2-9A-Z]{4})/.exec(dialog.output()) ?? [];
    const asked = await post<PairAsked>("/api/pair", { code, name: "Phone", kind: "browser" });
    await dialog.until(new RegExp(`A browser that calls itself Phone asks from 127\\.0\\.0\\.1\\.[^]*${asked.check}`));
    await dialog.until("let it in   any other key: refuse it");
    return asked;
  };
  const first = openDialog(t, person, ["devices", "add", "--may", "see"], { columns: 120 });
  const { claim } = await ask(first);
  await first.pressUntil("y", "says yes");
  assert.equal((await post<PairOutcome>("/api/pair/claim", { claim })).state, "asks", "one key is no yes");
  await first.press("\r");
  let outcome = await post<PairOutcome>("/api/pair/claim", { claim });
  while (outcome.state === "asks") outcome = await post<PairOutcome>("/api/pair/claim", { claim });
  assert.ok(outcome.state === "paired");
  assert.equal(await first.ended, 0);
  const bearer = { authorization: `Bearer ${outcome.token}` };
  assert.match((await outer.raw("GET", "/api/own", bearer)).body, /"may":"see"/);
  assert.match(person.run(["devices"]).out, /d-[0-9a-f]{8} +Phone +browser +see .* 127\.0\.0\.1/);

  const second = openDialog(t, person, ["devices", "add"], { columns: 120 });
  const refused = await ask(second);
  await second.press("n");
  assert.equal(await second.ended, 1);
  assert.equal((await post<PairOutcome>("/api/pair/claim", { claim: refused.claim })).state, "ended");
  assert.match(second.output(), /no device was paired: \S+ at pts\/\d+ said no/);

  assert.equal((await outer.raw("GET", "/api/queue", bearer)).status, 200, "the control");
  assert.equal(person.run(["devices", "revoke", outcome.id]).code, 0);
  assert.equal((await outer.raw("GET", "/api/queue", bearer)).status, 401, "revoked by another process");
});

test("without a terminal no code is shown", (t) => {
  const { code, out, err } = newAsker(t).run(["devices", "add"]);
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /devices add: it needs a terminal/);
});
