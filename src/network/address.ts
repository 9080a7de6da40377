// Which addresses the gate does not connect a box to, unless a grant names them.
// Invariant: a text that is not an address, or an address that this file does not know to be public, is refused.

import { type IpAddress, isInRange, parseIpAddress } from "../shared/ip-address.ts";

interface Range {
  readonly start: IpAddress;
  readonly bits: number;
}

/** SECURITY(T60): what only this machine or its network answers at, or nobody: from IANA's registry of special addresses. */
const refusedIPv4 = [
  "0.0.0.0/8", // this machine: Linux connects to itself
  "10.0.0.0/8",
  "100.64.0.0/10", // behind the address translation of a carrier
  "127.0.0.0/8",
  "169.254.0.0/16", // the link, and the metadata of cloud machines
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.88.99.0/24", // relays of 6to4
  "192.168.0.0/16",
  "198.18.0.0/15", // what names lead to in a box
  "224.0.0.0/4",
  "240.0.0.0/4",
].map(rangeOf);

/** Everything else of IPv6 is refused, also ranges that are not in use yet. */
const publicIPv6 = rangeOf("2000::/3");
/** Protocols of their own, such as Teredo, which hides an IPv4 address. */
const refusedIPv6 = rangeOf("2001::/23");
/** Where a translator sends what goes to such an address: the bits of the IPv4 address begin at `at`. */
const translated = [
  { range: rangeOf("64:ff9b::/96"), at: 96n }, // NAT64
  { range: rangeOf("2002::/16"), at: 16n }, // 6to4
];

/** Whether the gate connects to this address only for a grant that names it, or that says `private`. */
export function isRefusedAddress(text: string): boolean {
  const address = parseIpAddress(text);
  if (address === null) return true;
  if (address.bits === 32) return refusedIPv4.some((range) => isIn(address, range));
  const inside = translated.find(({ range }) => isIn(address, range));
  if (inside !== undefined) return isRefusedAddress(ipv4At(address.value, inside.at));
  return !isIn(address, publicIPv6) || isIn(address, refusedIPv6);
}

const isIn = (address: IpAddress, { start, bits }: Range): boolean => isInRange(address, start, bits);

function rangeOf(text: string): Range {
  const [start = "", bits] = text.split("/");
  const address = parseIpAddress(start);
  if (address === null) throw new Error(`${text} is not a range`);
  return { start: address, bits: Number(bits) };
}

function ipv4At(value: bigint, at: bigint): string {
  const bits = (value >> (96n - at)) & 0xffff_ffffn;
  return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join(".");
}
