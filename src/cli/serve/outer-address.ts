// Where the page listens for other devices: the address, the names by which browsers may call it, the certificate and its key.
// Invariant: without a certificate that fits, the page is for this machine only.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { readPlainFile } from "../../process/plain-file.ts";
import { resolvePath } from "../../process/real-path.ts";
import { displayText } from "../../shared/display.ts";
import { type IpAddress, parseIpAddress } from "../../shared/ip-address.ts";
import { parsePort } from "../parse-port.ts";
import { UsageError } from "../usage-error.ts";

export interface OuterFlags {
  readonly host?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly allowHost?: readonly string[];
}

export interface OuterAddress {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** As in an address, without the port. */
  readonly names: readonly [string, ...string[]];
  readonly tls: { readonly cert: Buffer; readonly key: Buffer };
}

const defaultPort = "7443";
/** A chain of certificates is longer than a key. */
const MOST_BYTES = 256 * 1024;

/** Null if the page is for this machine only. */
export function outerAddress({ host: written, tlsCert, tlsKey, allowHost = [] }: OuterFlags): OuterAddress | null {
  if (written === undefined) {
    if (tlsCert === undefined && tlsKey === undefined && allowHost.length === 0) return null;
    throw new UsageError(
      "--tls-cert, --tls-key and --allow-host go with --host",
      "Add --host ADDRESS, such as 0.0.0.0.",
    );
  }
  // SECURITY(T110): without TLS everybody on the way could read the token of a device, and answer with it.
  if (tlsCert === undefined || tlsKey === undefined)
    throw new UsageError(
      "--host: without TLS others on the network could read what a device sends, and answer in its place",
      "Add --tls-cert FILE and --tls-key FILE; or leave --host out and use a tunnel: docs/devices.md",
    );
  const { host, port } = parseHost(written);
  const cert = readCertificate(tlsCert);
  const key = readKey(tlsKey, cert, tlsCert);
  const found = [...namesOf(cert), ...allowHost.map(hostName)];
  const [name, ...names] = [...new Set(found)];
  if (name === undefined)
    throw new UsageError(
      `--tls-cert: ${tlsCert} is for no name that a browser could be told`,
      "Write the name by which devices reach this machine: --allow-host NAME",
    );
  return { host, port: parsePort(port, "--host"), names: [name, ...names], tls: { cert: cert.bytes, key } };
}

function parseHost(text: string): { readonly host: string; readonly port: string } {
  const [, bracketed, plain, port = defaultPort] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? text;
  if (parseIpAddress(host) !== null) return { host, port };
  throw new UsageError(
    `--host: ${JSON.stringify(displayText(text, { maxLength: 100 }))} is not an address of this machine`,
    "Write it as 192.168.1.20, 0.0.0.0:7443 or [::]:7443.",
  );
}

function hostName(text: string): string {
  const name = text.toLowerCase();
  const address = parseIpAddress(name);
  if (address !== null) return inAddress(address);
  if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name)) return name;
  throw new UsageError(
    `--allow-host: ${JSON.stringify(displayText(text, { maxLength: 100 }))} is not a name`,
    "Write it without a port or a path.",
  );
}

interface Certificate {
  readonly bytes: Buffer;
  readonly first: X509Certificate;
}

function readCertificate(path: string): Certificate {
  const bytes = readOwn("--tls-cert", path);
  let first: X509Certificate;
  try {
    first = new X509Certificate(bytes);
  } catch {
    throw new UsageError(`--tls-cert: ${path} is not a certificate`, "It is PEM: -----BEGIN CERTIFICATE-----");
  }
  if (first.validToDate.getTime() <= Date.now())
    throw new UsageError(`--tls-cert: ${path} ended on ${first.validToDate.toISOString().slice(0, 10)}`, "Renew it.");
  return { bytes, first };
}

/** No message has any of the key. */
function readKey(path: string, { first }: Certificate, certificate: string): Buffer {
  const bytes = readOwn("--tls-key", path);
  // SECURITY(T110): whoever has the key can pass for this page.
  if ((statSync(resolvePath(resolve(path)).real).mode & 0o027) !== 0)
    throw new UsageError(
      `--tls-key: other users of this machine can read or change ${path}`,
      `chmod 600 ${path}; or 640, if its group has only those who may read it`,
    );
  let fits: boolean;
  try {
    fits = first.checkPrivateKey(createPrivateKey(bytes));
  } catch {
    throw new UsageError(
      `--tls-key: ${path} is not a private key without a passphrase`,
      "It is PEM: -----BEGIN PRIVATE KEY-----",
    );
  }
  if (!fits)
    throw new UsageError(`--tls-key: ${path} is not the key of ${certificate}`, "Give both of one certificate.");
  return bytes;
}

/** The path is the person's own, and may be a link, as certificates often are. A pipe would be waited for. */
function readOwn(flag: string, path: string): Buffer {
  const bytes = readPlainFile(resolvePath(resolve(path)).real, MOST_BYTES);
  if (bytes !== null) return bytes;
  const state = statSync(path, { throwIfNoEntry: false });
  const reason =
    state === undefined
      ? "does not exist"
      : state.isFile()
        ? "cannot be read, or is longer than 256 KiB"
        : "is not a file";
  throw new UsageError(`${flag}: ${path} ${reason}`, "Name a file in PEM that you may read.");
}

/** A wildcard is no name that a browser could be told. */
function namesOf({ first }: Certificate): readonly string[] {
  return [...(first.subjectAltName ?? "").matchAll(/(DNS|IP Address):([^,\s"]+)/g)].flatMap(([, kind, name = ""]) => {
    const address = kind === "DNS" ? null : parseIpAddress(name);
    if (address !== null) return [inAddress(address)];
    return kind === "DNS" && /^[a-z0-9.-]+$/i.test(name) ? [name.toLowerCase()] : [];
  });
}

/** As a browser writes it in an address. */
function inAddress({ text, bits }: IpAddress): string {
  return bits === 32 ? text : new URL(`http://[${text}]`).hostname;
}
