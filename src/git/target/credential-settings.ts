// Which of the person's git settings sign them in, and at which host: by an address of their own (`http.<url>.extraHeader`),
// or everywhere.
// Invariant: what would send a credential to any host at all is not used; a host that an agent names is not one that
// the person sent it to.

import type { RemoteUrl } from "./url.ts";

export type Setting = readonly [key: string, value: string];

/** Of `http.*`: these hold, or are, a credential. Without an address they would go wherever git goes. */
const credentialKeys = /^(?:extraheader|cookiefile|savecookies|sslcert|sslkey|sslcertpasswordprotected|delegation)$/i;

/** SECURITY(T41): the settings that git may have; a header, a cookie or a certificate only with an address. */
export function isScoped(key: string, value: string): boolean {
  const http = /^http\.(?:(.+)\.)?([a-z0-9-]+)$/is.exec(key);
  if (http !== null) return http[1] !== undefined || !credentialKeys.test(http[2] as string);
  return !/^credential\.helper$/i.test(key) || asksForHost(value);
}

// A helper is told the host, and answers for it. A piece of shell that prints a password does not look at what it is told.
function asksForHost(helper: string): boolean {
  if (!helper.trimStart().startsWith("!")) return true;
  const [program = "", ...words] = helper.trim().slice(1).trim().split(/\s+/);
  const isOneCommand = !/[;|&<>(){}`]|\$(?!@|\{@\}|HOME\b)/.test(helper.replace(/"\$@"/g, "$@"));
  return (
    isOneCommand &&
    words.length > 0 &&
    !/(?:^|\/)(?:echo|printf|cat|head|tail|sh|bash|dash|zsh|env|eval|exec|printenv)$/.test(program)
  );
}

/** What a person is told before anybody is spoken to. */
export function describeCredentials(url: RemoteUrl, settings: readonly Setting[]): string {
  const { host, protocol } = url;
  if (protocol === "ssh") return `with your ssh keys, which ssh offers to ${host}`;
  const names = [
    ...new Set(
      settings.flatMap(([key, value]) => (isScoped(key, value) ? (credentialName(key, value, url) ?? []) : [])),
    ),
  ];
  return names.length === 0 ? "without credentials" : `with ${names.join(" and ")}`;
}

function credentialName(key: string, value: string, url: RemoteUrl): string | null {
  const [, section = "", address, name = ""] = /^(http|credential)\.(?:(.+)\.)?([a-z0-9-]+)$/is.exec(key) ?? [];
  if (address !== undefined && !matchesAddress(address, url.text)) return null;
  if (section.toLowerCase() === "credential")
    return name.toLowerCase() === "helper" && value !== "" ? `what your credential helper has for ${url.host}` : null;
  if (address === undefined || !credentialKeys.test(name)) return null;
  return `your ${name.toLowerCase() === "extraheader" ? "header" : "credential"} for ${address}`;
}

/** As git does it: scheme, host (`*` is one label) and port alike, and the path a beginning of it. */
export function matchesAddress(pattern: string, place: string): boolean {
  const [one, other] = [partsOf(pattern), partsOf(place)];
  if (one === null || other === null || one.scheme !== other.scheme || one.port !== other.port) return false;
  if (one.user !== null && one.user !== other.user) return false;
  const labels = one.host.split(".");
  const given = other.host.split(".");
  if (labels.length !== given.length || !labels.every((label, index) => label === "*" || label === given[index]))
    return false;
  return one.path === "" || other.path === one.path || other.path.startsWith(`${one.path}/`);
}

function partsOf(address: string) {
  const found = /^([a-z][a-z0-9+.-]*):\/\/(?:([^/@]*)@)?(\[[^\]]*\]|[^/:]*)(?::(\d+))?(\/.*)?$/i.exec(address);
  if (found === null) return null;
  const [, scheme = "", user = null, host = "", port, path = ""] = found;
  const lower = scheme.toLowerCase();
  return {
    scheme: lower,
    user: user === null ? null : (user.split(":")[0] as string),
    host: host.toLowerCase(),
    port: port ?? (lower === "https" ? "443" : "80"),
    path: path.replace(/\/+$/, ""),
  };
}

/** All that these settings hold of credentials, for any host: what of it comes back is taken out. */
export function secretsIn(settings: readonly Setting[]): string[] {
  return settings.flatMap(([key, value]) => {
    if (/^http\.(?:.+\.)?extraheader$/is.test(key)) return headerSecrets(value);
    if (/^http\.(?:.+\.)?proxy$/is.test(key)) return /:\/\/([^/@]*)@/.exec(value)?.slice(1) ?? [];
    return /^credential\.(?:.+\.)?helper$/is.test(key)
      ? [...value.matchAll(/password=([^\s;"']+)/g)].map((one) => one[1] as string)
      : [];
  });
}

function headerSecrets(header: string): string[] {
  const value = header.slice(header.indexOf(":") + 1).trim();
  return [value, ...value.split(/\s+/)];
}
