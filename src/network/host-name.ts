// Reads a host as a program in a box sends it, in a DNS query or to the proxy port.
// Invariant: what comes out is an address in its one spelling, or a name that no resolver reads as an address.

import { parseIpAddress } from "../shared/ip-address.ts";

const NAME_CHARACTERS = 253;
/** As hosts are named (RFC 1123), and with `_`, which real names have. A name that is not ASCII comes as punycode. */
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
/** SECURITY(T65): resolvers read `0x7f.1`, `017700000001` and `127.1` as addresses. No top-level domain is a number. */
const endsInNumber = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/** Null: neither a name nor an address. The address of IPv6 may be in brackets. This machine is `localhost`. */
export function parseRemoteHost(text: string): string | null {
  const inBrackets = /^\[([^\]]*:[^\]]*)\]$/.exec(text)?.[1];
  const address = parseIpAddress(inBrackets ?? text);
  if (address !== null) return isLoopback(address.text) ? "localhost" : address.text;
  const name = text.toLowerCase().replace(/\.$/, "");
  if (isLocalName(name)) return "localhost";
  const isName = name.length <= NAME_CHARACTERS && name.split(".").every((part) => label.test(part));
  return isName && !endsInNumber.test(name) ? name : null;
}

const isLoopback = (address: string): boolean => address === "127.0.0.1" || address === "::1";

/** Every name below `localhost` is the machine itself (RFC 6761): no resolver is asked. */
const isLocalName = (name: string): boolean => name === "localhost" || name.endsWith(".localhost");
