// Certificates of the gate's own authority, as openssl and node read them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { connect, TLSSocket } from "node:tls";
import { createAuthority, type Authority } from "../../../src/network/open/authority.ts";
import { listening } from "../broker-fixture.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-authority-"));
test.after(() => rmSync(directory, { recursive: true, force: true }));

/** The certificate that a client gets, or the code of its error. */
async function certificateFor(t: TestContext, authority: Authority, host: string, servername: string, ca?: string) {
  const server = createServer((socket: Socket) => {
    new TLSSocket(socket, { isServer: true, secureContext: authority.contextFor(host) }).on("error", () => undefined);
  });
  const port = await listening(t, server);
  return new Promise<string>((resolve) => {
    const client = connect({ port, host: "127.0.0.1", servername, ...(ca === undefined ? {} : { ca }) });
    t.after(() => client.destroy());
    client.on("secureConnect", () => resolve(client.getPeerX509Certificate()?.toString() ?? ""));
    client.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

test("a client that trusts the authority accepts its certificates, for their own host only", async (t) => {
  const authority = createAuthority();
  const ca = authority.caPem();
  const pem = await certificateFor(t, authority, "api.example.org", "api.example.org", ca);
  assert.ok(new X509Certificate(pem).checkHost("api.example.org"));
  assert.equal(
    await certificateFor(t, authority, "api.example.org", "other.example.org", ca),
    "ERR_TLS_CERT_ALTNAME_INVALID",
  );
  assert.match(await certificateFor(t, authority, "api.example.org", "api.example.org"), /UNABLE_TO_/);
  assert.match(
    await certificateFor(t, authority, "api.example.org", "api.example.org", createAuthority().caPem()),
    /UNABLE_TO_|SIGNATURE/,
  );

  const [caFile, leafFile] = [join(directory, "ca.pem"), join(directory, "leaf.pem")];
  writeFileSync(caFile, ca);
  writeFileSync(leafFile, pem);
  const verify = ["verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", "api.example.org"];
  assert.match(execFileSync("openssl", [...verify, "-CAfile", caFile, leafFile]).toString(), /: OK\n$/);
});

test("long names too, and the authority is one for hosts only", async (t) => {
  const authority = createAuthority();
  const host = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.example.org`;
  const pem = await certificateFor(t, authority, host, host, authority.caPem());
  assert.ok(new X509Certificate(pem).checkHost(host));
  const shown = execFileSync("openssl", ["x509", "-noout", "-text"], { input: authority.caPem() }).toString();
  assert.match(shown, /CA:TRUE, pathlen:0/);
  assert.match(shown, /Certificate Sign, CRL Sign/);
  assert.doesNotMatch(authority.caPem(), /PRIVATE/);
});
