// Reads hosts, as they stand in grants, rules, effects and arguments, and compares them.
// Invariant: one host has one text: a name in lower case, in punycode and without a final dot; an IPv4 address in dotted
// decimal; an IPv6 address compressed. 127.0.0.1 and ::1 are `localhost`.

import { type IpAddress, isInRange, parseIpAddress } from "../shared/ip-address.ts";
import { fail, ok, type Result } from "../shared/result.ts";

export type HostPattern =
  | { readonly kind: "name"; readonly name: string }
  /** `*.example.org` is a name with one label more, `**.example.org` any name below it. */
  | { readonly kind: "below"; readonly suffix: string; readonly isDeep: boolean }
  /** This machine itself. */
  | { readonly kind: "localhost" }
  /** A single address is a range of 32 or 128 bits. */
  | { readonly kind: "range"; readonly address: string; readonly bits: number };

export interface HostAndPort {
  readonly host: HostPattern;
  /** Null if no port is written. */
  readonly port: number | "any" | null;
}

const forms = "Write host:port, *.host:port, localhost:port, 10.0.0.1:port, 10.1.0.0/16:port or [2001:db8::1]:port.";

export function parseHostAndPort(text: string): Result<HostAndPort> {
  if (text.includes("://"))
    return fail("invalid_args", `${JSON.stringify(text)} is a URL, not a host`, {
      hint: "Write the host and the port alone, as in example.org:443.",
    });
  const isBareIpv6 = !text.startsWith("[") && text.split(":").length > 2;
  const found = isBareIpv6 ? [text, text, undefined] : /^(\[[^[\]]*\](?:\/\d+)?|[^:[\]]*)(?::(\d+|\*))?$/.exec(text);
  const host = parseHostPattern((found?.[1] ?? "").replace(/^\[(.*)\]/, "$1"), text);
  if (!host.ok) return host;
  const port = found?.[2];
  if (port === undefined || port === "*") return ok({ host: host.value, port: port === "*" ? "any" : null });
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535)
    return fail("invalid_args", `${JSON.stringify(text)}: ${port} is not a port`, {
      hint: "Ports are 1 to 65535; :* is any.",
    });
  return ok({ host: host.value, port: Number(port) });
}

function parseHostPattern(host: string, written: string): Result<HostPattern> {
  const below = /^(\*\*?)\.(.+)$/.exec(host);
  if (below !== null) {
    const inner = parseHost(below[2] ?? "", written);
    if (!inner.ok) return inner;
    if (inner.value.kind !== "name") return notHost(written, `nothing is below ${below[2]}`);
    return ok({ kind: "below", suffix: inner.value.name, isDeep: below[1] === "**" });
  }
  const range = /^([^/]+)\/(\d{1,3})$/.exec(host);
  return range === null ? parseHost(host, written) : parseRange(range[1] ?? "", Number(range[2]), written);
}

function parseRange(start: string, bits: number, written: string): Result<HostPattern> {
  const address = parseIpAddress(start);
  if (address === null) return notHost(written, `${start} is not an IP address`);
  const rest = BigInt(Math.max(0, address.bits - bits));
  const least = address.bits === 32 ? 8 : 7;
  if (bits > address.bits || bits < least)
    return notHost(written, `a range here has ${least} to ${address.bits} bits`, 'Every host is ["*"].');
  if ((address.value >> rest) << rest !== address.value)
    return notHost(written, `the range does not begin at ${address.text}`, "Write its first address.");
  return ok(rangeOf(address, bits));
}

function rangeOf(address: IpAddress, bits: number): HostPattern {
  const isLoopback = bits === address.bits && (address.text === "127.0.0.1" || address.text === "::1");
  return isLoopback ? { kind: "localhost" } : { kind: "range", address: address.text, bits };
}

/** A host alone, without a pattern. */
function parseHost(host: string, written: string): Result<HostPattern> {
  const address = parseIpAddress(host);
  if (address !== null) return ok(rangeOf(address, address.bits));
  // URL would read the other characters as something else than a part of the name.
  const shown = /[\s%/\\?#@:<>^|[\]*]/.test(host) || host === "" ? null : URL.parse(`http://${host}/`);
  if (shown === null) return notHost(written);
  const name = shown.hostname.replace(/\.$/, "");
  const meant = parseIpAddress(name);
  // 2130706433, 0x7f.1 and 0177.0.0.1 are 127.0.0.1 for many programs, and names for others.
  if (meant !== null)
    return notHost(written, `this is an odd spelling of ${meant.text}`, `Write ${meant.text} if you mean it.`);
  if (name.length > 253 || !name.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label))) return notHost(written);
  return ok(name === "localhost" ? { kind: "localhost" } : { kind: "name", name });
}

function notHost(written: string, why?: string, hint: string = forms): Result<never> {
  const reason = why === undefined ? "" : `: ${why}`;
  return fail("invalid_args", `${JSON.stringify(written)} is not a host${reason}`, { hint });
}

export interface OneHost {
  readonly host: HostPattern;
  /** Null if it is not known. */
  readonly port: number | null;
}

/** One host, as a connection or an effect names it; null for a pattern, a range, and what cannot be read. */
export function parseOneHost(text: string): OneHost | null {
  const parsed = parseHostAndPort(text);
  if (!parsed.ok) return null;
  const { host, port } = parsed.value;
  if (port === "any" || host.kind === "below") return null;
  return host.kind === "range" && host.bits !== parseIpAddress(host.address)?.bits ? null : { host, port };
}

export function hostText(host: HostPattern): string {
  switch (host.kind) {
    case "name":
      return host.name;
    case "localhost":
      return "localhost";
    case "below":
      return `${host.isDeep ? "**" : "*"}.${host.suffix}`;
    case "range": {
      const whole = parseIpAddress(host.address)?.bits;
      return host.bits === whole ? host.address : `${host.address}/${host.bits}`;
    }
  }
}

/** The text of a host with a port, as in effects, rules and questions. A port of null is any. */
export function hostAndPortText(host: HostPattern, port: number | null): string {
  const text = hostText(host);
  const bracketed = text.includes(":") ? text.replace(/^[^/]*/, "[$&]") : text;
  return `${bracketed}:${port ?? "*"}`;
}

/** Whether the outer one stands for every host that the inner one stands for. */
export function coversHost(outer: HostPattern, inner: HostPattern): boolean {
  switch (outer.kind) {
    case "name":
      return inner.kind === "name" && inner.name === outer.name;
    case "localhost":
      return inner.kind === "localhost";
    case "below":
      return coversBelow(outer, inner);
    case "range": {
      const within = inner.kind === "localhost" ? { address: "127.0.0.1", bits: 32 } : inner;
      return "bits" in within && within.bits >= outer.bits && isBetween(within.address, outer);
    }
  }
}

function coversBelow(outer: HostPattern & { readonly kind: "below" }, inner: HostPattern): boolean {
  if (inner.kind === "below")
    return inner.suffix === outer.suffix
      ? outer.isDeep || !inner.isDeep
      : outer.isDeep && inner.suffix.endsWith(`.${outer.suffix}`);
  if (inner.kind !== "name" || !inner.name.endsWith(`.${outer.suffix}`)) return false;
  return outer.isDeep || !inner.name.slice(0, -outer.suffix.length - 1).includes(".");
}

function isBetween(address: string, { address: start, bits }: { readonly address: string; readonly bits: number }) {
  const [one, first] = [parseIpAddress(address), parseIpAddress(start)];
  return one !== null && first !== null && isInRange(one, first, bits);
}
