// What the gate needs to open connections to hosts with `open: true`: an authority, its certificate for boxes, and credentials.
// Invariant: the authority's key stays in the memory of this process; a credential is read when a request needs it, and is never kept.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type Authority, createAuthority } from "../network/open/authority.ts";
import type { CredentialRequest } from "../network/open/counted-request.ts";
import { createOpenLayer } from "../network/open/open-layer.ts";
import type { OpenLayer } from "../network/connections.ts";
import { writeNewFile } from "../process/new-file.ts";
import { openPackageFiles } from "../store/package-files.ts";
import { readHostSecret } from "./host-secret.ts";

let authority: Authority | null = null;
/** By state directory: the gates on one share the file, and remove it with their private directory. */
const written = new Map<string, string>();

export interface OpenedHosts {
  readonly openLayer: OpenLayer;
  /** The path of a file with the machine's certificates and the authority's. */
  readonly certificates: string;
}

export interface OpenedHostsOptions {
  readonly stateDirectory: string;
  readonly directory: () => string;
  readonly environment: Readonly<Record<string, string>>;
  readonly requested: (request: CredentialRequest) => void;
}

export async function openedHosts({
  directory,
  environment,
  stateDirectory,
  requested,
}: OpenedHostsOptions): Promise<OpenedHosts> {
  authority ??= createAuthority();
  const known = await machineCertificates();
  let certificates = written.get(stateDirectory);
  if (certificates === undefined || !existsSync(certificates)) {
    certificates = `${directory()}/certificates.pem`;
    writeNewFile(certificates, Buffer.from(`${known}\n${authority.caPem()}`));
    written.set(stateDirectory, certificates);
  }
  const openLayer = createOpenLayer({
    authority,
    secretOf(credential) {
      const secret = readHostSecret(credential, environment);
      return secret.ok ? secret.value : null;
    },
    hostAuthorities: known === "" ? [] : [known],
    packages: openPackageFiles(stateDirectory),
    requested,
  });
  return { openLayer, certificates };
}

/** Where distributions keep the authorities that every program of the machine trusts. */
const bundles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

async function machineCertificates(): Promise<string> {
  for (const path of bundles) {
    const text = await readFile(path, "utf8").catch(() => null);
    if (text !== null) return text;
  }
  return "";
}
