// Reads IP addresses.
// Invariant: one address has one text. An IPv4 address inside an IPv6 address (`::ffff:10.0.0.1`) is the IPv4 address.

export interface IpAddress {
  /** Dotted decimal, or IPv6 as RFC 5952 writes it, without brackets. */
  readonly text: string;
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** Null for anything else, such as `0x7f.1` or `010.0.0.1`, which some programs read as an address too. */
export function parseIpAddress(text: string): IpAddress | null {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): IpAddress | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return null;
  return { text, bits: 32, value: parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
}

function parseIpv6(text: string): IpAddress | null {
  if (!/^[0-9a-f:.]+$/i.test(text)) return null;
  const shown = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1);
  if (shown === undefined) return null;
  const [head = "", tail] = shown.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const all = [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
  const value = all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
  return value >> 32n === 0xffffn ? ipv4Of(value & 0xffff_ffffn) : { text: shown, bits: 128, value };
}

function ipv4Of(value: bigint): IpAddress {
  const parts = [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n);
  return { text: parts.join("."), bits: 32, value };
}

/** Whether the first `prefix` bits of both are the same. */
export function isInRange(address: IpAddress, range: IpAddress, prefix: number): boolean {
  const rest = BigInt(range.bits - prefix);
  return address.bits === range.bits && address.value >> rest === range.value >> rest;
}
