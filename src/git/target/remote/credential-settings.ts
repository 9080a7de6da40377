// Finds which of the person's git settings sign them in, and at which host: only at the address in the key
// (`http.<url>.extraHeader`), or everywhere.
// Invariant: a setting that would send a credential to any host is not used, because the person did not choose a host that an agent
// names.

import type { RemoteUrl } from "../url.ts";

export type Setting = readonly [key: string, value: string];

/** Keys of `http.*` that contain or name a credential. Without an address, git would send them to every host. */
const credentialKeys = /^(?:extraheader|cookiefile|savecookies|sslcert|sslkey|sslcertpasswordprotected|delegation)$/i;

/** Credential helpers that look up the host that git passes: `credential.helper = store`, or by path. */
const namedHelpers =
  /^(?:store|cache|libsecret|gnome-keyring|osxkeychain|wincred|manager|manager-core|oauth|netrc|azure(?:-[a-z]+)*)$/;

/** Shell commands that also look up the host: the program and its first words. */
const commandHelpers: readonly (readonly [program: string, ...words: string[]])[] = [
  ["gh", "auth", "git-credential"],
  ["glab", "auth", "git-credential"],
  ["aws", "codecommit", "credential-helper"],
  ["gcloud", "auth", "git-helper"],
];

/** SECURITY(T41): whether git may have the setting. A setting that would answer or be sent for any host needs an address. */
export function isScoped(key: string, value: string): boolean {
  const http = /^http\.(?:(.+)\.)?([a-z0-9-]+)$/is.exec(key);
  if (http !== null) return http[1] !== undefined || !credentialKeys.test(http[2] as string);
  const helper = /^credential\.(?:(.+)\.)?helper$/is.exec(key);
  return helper === null || hasHost(helper[1] ?? "") || asksForHost(value);
}

/** In `credential.<url>`, git accepts a partial URL: `https://` alone means every host. */
function hasHost(address: string): boolean {
  const [host = ""] = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "").split("/");
  return /[^*.:]/.test(host.slice(host.lastIndexOf("@") + 1));
}

/** Git runs the helper in a shell. A helper that is not listed may print a password without checking which host it is for. */
function asksForHost(helper: string): boolean {
  const text = helper.trim();
  if (text === "") return true; // an empty value resets the helpers before it
  const words = plainWords(text.startsWith("!") ? text.slice(1) : text);
  if (words === null || words.includes("--ignore-host-check")) return false;
  const [program = "", ...rest] = words;
  const name = program.slice(program.lastIndexOf("/") + 1).replace(/\.exe$/i, "");
  if (text.startsWith("!") && commandHelpers.some(([known, ...more]) => name === known && startsWith(rest, more)))
    return true;
  // `store`, `/usr/bin/git-credential-store`, `!git-credential-store`, `!git credential-store`
  if (!text.startsWith("!") && !program.includes("/")) return namedHelpers.test(program);
  const full = name === "git" && text.startsWith("!") ? `git-${rest[0] ?? ""}` : name;
  return full.startsWith("git-credential-") && namedHelpers.test(full.slice("git-credential-".length));
}

/** Null if there is more than one command, or words that only a shell can interpret. */
function plainWords(text: string): string[] | null {
  const plain = text
    .trim()
    .replace(/"\$@"|\$@/g, "@")
    .replace(/^'([^'\\]*)'|^"([^"\\$`]*)"/, (_, single?: string, double?: string) =>
      (single ?? double ?? "").replaceAll(" ", "\\ "),
    )
    .replaceAll(/\$HOME\b|\$\{HOME\}/g, "~");
  if (!/^(?:[\w./~=@:,+ -]|\\ )+$/.test(plain)) return null;
  return plain.split(/(?<!\\) +/);
}

function startsWith(words: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((word, index) => words[index] === word);
}

export const noCredentials = "without credentials";

/** The text that a person sees before the gate contacts the host. */
export function describeCredentials(url: RemoteUrl, settings: readonly Setting[]): string {
  const { host, protocol } = url;
  if (protocol === "ssh") return `with your ssh keys, which ssh offers to ${host}`;
  const names = [
    ...new Set(
      settings.flatMap(([key, value]) => (isScoped(key, value) ? (credentialName(key, value, url) ?? []) : [])),
    ),
  ];
  return names.length === 0 ? noCredentials : `with ${names.join(" and ")}`;
}

function credentialName(key: string, value: string, url: RemoteUrl): string | null {
  const [, section = "", address, name = ""] = /^(http|credential)\.(?:(.+)\.)?([a-z0-9-]+)$/is.exec(key) ?? [];
  const isCredential = section.toLowerCase() === "credential";
  // In `credential.<url>`, git accepts a partial URL, such as a host alone.
  const whole = isCredential && !(address ?? "").includes("://") ? `${url.protocol}://${address}` : (address ?? "");
  if (address !== undefined && !address.endsWith("://") && !matchesAddress(whole, url.text)) return null;
  if (isCredential)
    return name.toLowerCase() === "helper" && value !== "" ? `what your credential helper has for ${url.host}` : null;
  if (address === undefined || !credentialKeys.test(name)) return null;
  return `your ${name.toLowerCase() === "extraheader" ? "header" : "credential"} for ${address}`;
}

/** Matches like git: equal scheme, host (`*` is one label) and port, and the pattern's path must be a prefix. */
export function matchesAddress(pattern: string, address: string): boolean {
  const [one, other] = [partsOf(pattern), partsOf(address)];
  if (one === null || other === null || one.scheme !== other.scheme || one.port !== other.port) return false;
  if (one.user !== null && one.user !== other.user) return false;
  const labels = one.host.split(".");
  const hostLabels = other.host.split(".");
  if (
    labels.length !== hostLabels.length ||
    !labels.every((label, index) => label === "*" || label === hostLabels[index])
  )
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

/** All credentials in these settings, for any host. The gate removes them from what a server sends back. */
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
