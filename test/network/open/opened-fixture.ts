// A host with TLS for the name api.test, and requests to it through a proxy port of a gate that opens the connections.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { connect } from "node:tls";
import type { Broker } from "../../../src/network/broker.ts";
import { createAuthority } from "../../../src/network/open/authority.ts";
import { createOpenLayer } from "../../../src/network/open/open-layer.ts";
import type { PackageCache } from "../../../src/network/open/package-cache.ts";
import type { NetworkLimits } from "../../../src/network/traffic.ts";
import type { WrittenHostGrant } from "../../../src/policy/host-grant.ts";
import { openPackageFiles } from "../../../src/store/package-files.ts";
import { hostGrants, ordinaryLimits } from "../broker-fixture.ts";
import { proxiedBroker, throughProxy } from "../proxy-fixture.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-opened-"));
const [keyFile, certFile] = [join(directory, "key.pem"), join(directory, "cert.pem")];
const names = ["-subj", "/CN=api.test", "-addext", "subjectAltName=DNS:api.test", "-days", "2"];
const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
execFileSync("openssl", ["req", "-x509", "-nodes", ...names, ...curve, "-keyout", keyFile, "-out", certFile], {
  stdio: "ignore",
});
/** The host's own. */
export const hostTls = { key: readFileSync(keyFile), cert: readFileSync(certFile) };
rmSync(directory, { recursive: true });

const authority = createAuthority();

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly isTls?: boolean;
}

export interface OpenedOptions {
  readonly hostAuthorities?: readonly string[];
  readonly secret?: string;
  readonly packages?: PackageCache;
  readonly limits?: Partial<NetworkLimits>;
  readonly mayBePrivate?: boolean;
}

export interface OpenedHost {
  readonly broker: Broker;
  readonly proxyPort: number;
  /** The certificate of the gate's authority. */
  readonly caPem: string;
  readonly send: (what: Sent) => Promise<Answer>;
}

/** A state directory for one test. */
export function packageState(t: TestContext): string {
  const state = mkdtempSync(join(tmpdir(), "sallyport-packages-"));
  t.after(() => rmSync(state, { recursive: true, force: true }));
  return state;
}

export async function openedHost(
  t: TestContext,
  written: Partial<WrittenHostGrant>,
  port: number,
  options: OpenedOptions = {},
): Promise<OpenedHost> {
  const { hostAuthorities = [hostTls.cert.toString()], secret = "", mayBePrivate = true } = options;
  const [grant] = hostGrants({ host: "api.test", port, open: true, ...written });
  assert.ok(grant !== undefined);
  const { packages = openPackageFiles(packageState(t)) } = options;
  const openLayer = createOpenLayer({
    authority,
    secretOf: () => secret,
    hostAuthorities,
    packages,
    requested: () => undefined,
  });
  const { proxyPort, broker } = await proxiedBroker(t, {
    verdicts: { "api.test": { decision: "allow", mayBePrivate, grant } },
    rest: { openLayer, limits: { ...ordinaryLimits, ...options.limits } },
  });
  const send = async ({ method = "GET", path = "/", headers = {}, body, isTls = true }: Sent): Promise<Answer> => {
    const tunnel = await throughProxy(t, proxyPort, `api.test:${port}`);
    assert.ok(tunnel !== null);
    tunnel.resume();
    const createConnection = () =>
      isTls ? connect({ socket: tunnel, servername: "api.test", ca: authority.caPem() }) : tunnel;
    const ask = isTls ? request : plainRequest;
    return new Promise((resolve, reject) => {
      const outgoing = ask(
        { createConnection, method, path, headers: { host: "api.test", ...headers } },
        (incoming) => {
          let text = "";
          incoming.on("data", (chunk: Buffer) => (text += chunk.toString()));
          incoming.on("end", () =>
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text }),
          );
        },
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  };
  return { send, broker, proxyPort, caPem: authority.caPem() };
}
