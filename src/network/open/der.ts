// Writes the few forms of DER that a certificate needs.

export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const digits = length < 0x100 ? [length] : [length >> 8, length & 255];
  const head = length < 0x80 ? [tag, length] : [tag, 0x80 | digits.length, ...digits];
  return Buffer.concat([Buffer.from(head), content]);
}

export const derSequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
export const derSet = (...parts: readonly Uint8Array[]): Buffer => der(0x31, ...parts);
export const derText = (text: string): Buffer => der(0x0c, Buffer.from(text, "utf8"));
export const derOctets = (...parts: readonly Uint8Array[]): Buffer => der(0x04, ...parts);
export const derTrue = Buffer.from([0x01, 0x01, 0xff]);

/** A positive number. */
export function derInteger(bytes: Uint8Array): Buffer {
  return der(0x02, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.from([0]), bytes]));
}

/** With the count of bits at the end that do not count. */
export function derBits(bytes: Uint8Array, unused = 0): Buffer {
  return der(0x03, Buffer.from([unused]), bytes);
}

/** By its numbers, as in 2.5.29.17. */
export function derObject(name: string): Buffer {
  const [first = 0, second = 0, ...rest] = name.split(".").map(Number);
  const base128 = (value: number): number[] =>
    value < 0x80 ? [value] : [...base128(Math.floor(value / 128)).map((digit) => digit | 0x80), value & 0x7f];
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** To the second, in the form for years from 1950 to 2049. */
export function derTime(time: Date): Buffer {
  return der(
    0x17,
    Buffer.from(
      `${time
        .toISOString()
        .replace(/[-:T]|\.\d+/g, "")
        .slice(2)}`,
    ),
  );
}
