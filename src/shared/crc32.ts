// CRC-32, as of zip and png: finds what was cut off or damaged by accident. It is no protection against somebody.

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** `before`: the checksum of the bytes that come before these. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let value = ~before;
  // Not a for-of, which is several times slower over bytes.
  for (let at = 0; at < bytes.length; at += 1)
    value = (table[(value ^ (bytes[at] as number)) & 0xff] as number) ^ (value >>> 8);
  return ~value >>> 0;
}
