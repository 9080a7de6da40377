// An IP address as hexadecimal digits: 8 for IPv4, 32 for IPv6.

import { parseIpAddress } from "../shared/ip-address.ts";

export function addressDigits(text: string): string {
  const address = parseIpAddress(text);
  if (address === null) throw new TypeError(`not an address: ${text}`);
  return address.value.toString(16).padStart(address.bits / 4, "0");
}
