// Reads which name a TLS client asks for (SNI), from the first bytes of a connection, which is not opened for it.
// Invariant: a name is returned only if every reader of these bytes finds the same one.

export type ClientHello =
  | { readonly kind: "incomplete" }
  /** The bytes do not begin TLS. */
  | { readonly kind: "other" }
  /** TLS, in a form that this cannot read, or that two servers could read in two ways. */
  | { readonly kind: "unclear" }
  /** The name as it was sent. With an encrypted ClientHello, the one that is not encrypted. */
  | { readonly kind: "tls"; readonly name: string | null };

const HELLO_BYTES = 16 * 1024;
const RECORD_HEAD = 5;
const RECORD_BYTES = 18 * 1024;
const [CHANGE_CIPHER, ALERT, HANDSHAKE, HEARTBEAT] = [20, 21, 22, 24];
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;

/** All bytes from the beginning of the connection. */
export function readClientHello(bytes: Buffer): ClientHello {
  const type = bytes[0];
  if (type === undefined) return { kind: "incomplete" };
  if (type < CHANGE_CIPHER || type > HEARTBEAT) return readOldHello(bytes);
  if (type !== HANDSHAKE) return readBeforeHello(type, bytes);
  try {
    const body = helloBody(bytes);
    if (body === null) return bytes.length < HELLO_BYTES ? { kind: "incomplete" } : { kind: "unclear" };
    return { kind: "tls", name: serverName(body) };
  } catch (error) {
    if (!(error instanceof Unclear)) throw error;
    // Other protocols begin with this byte too, such as a message of MySQL whose length is 278. No server of TLS reads on there.
    return { kind: bytes[1] === 3 || error.isHello ? "unclear" : "other" };
  }
}

/**
 * SECURITY(T61): servers skip some records before the ClientHello: Go's a warning, OpenSSL an empty change of ciphers. No client sends one.
 * The lengths and values are what tells them from other protocols: a message of MySQL has 1 where a record of 256 bytes or more has it.
 */
function readBeforeHello(type: number, bytes: Buffer): ClientHello {
  const [, major = 0, minor = 1] = bytes;
  if (major >= 0x10) return { kind: "other" }; // for Go; others want 3
  if (bytes.length < RECORD_HEAD) return { kind: "incomplete" };
  const length = bytes.readUInt16BE(3);
  const isOfTls = major === 3 && minor <= 4;
  if (length === 0) return { kind: isOfTls ? "unclear" : "other" };
  const first = bytes[RECORD_HEAD];
  if (first === undefined) return { kind: "incomplete" };
  return { kind: isRecord(type, length, first, isOfTls && minor > 0) ? "unclear" : "other" };
}

function isRecord(type: number, length: number, first: number, isOfTls: boolean): boolean {
  if (type === CHANGE_CIPHER) return length === 1 && first === 1;
  if (type === ALERT) return length < 256 && (first === 1 || first === 2);
  return isOfTls && length <= RECORD_BYTES;
}

/** The form of SSL 2, which servers still take as a beginning of TLS. It has no room for a name. */
function readOldHello(bytes: Buffer): ClientHello {
  const isOld = ((bytes[0] ?? 0) & 0x80) !== 0 && (bytes[2] ?? CLIENT_HELLO) === CLIENT_HELLO && (bytes[3] ?? 3) === 3;
  if (!isOld) return { kind: "other" };
  return bytes.length < 4 ? { kind: "incomplete" } : { kind: "tls", name: null };
}

class Unclear extends Error {
  /** Whether a server of TLS could find a ClientHello here. */
  readonly isHello: boolean;

  constructor(isHello = true) {
    super();
    this.isHello = isHello;
  }
}

/**
 * A message may be in several records; an empty one adds nothing to it. Null: the rest has not come yet.
 * SECURITY(T61): whatever the version of a record is: Go takes any up to 0f ff.
 */
function helloBody(bytes: Buffer): Fields | null {
  const parts: Buffer[] = [];
  let [size, wanted] = [0, Infinity];
  for (let at = 0; at < bytes.length && at < HELLO_BYTES;) {
    // Go drops a warning between two fragments, so from the first byte of a ClientHello on nothing is another protocol.
    if (bytes[at] !== HANDSHAKE) throw new Unclear(parts.length > 0);
    if (at + RECORD_HEAD > bytes.length) return null;
    const length = bytes.readUInt16BE(at + 3);
    if (length > RECORD_BYTES) throw new Unclear(parts.length > 0);
    const part = bytes.subarray(at + RECORD_HEAD, at + RECORD_HEAD + length);
    at += RECORD_HEAD + length;
    if (part.length === 0) continue;
    if (parts.length === 0 && part[0] !== CLIENT_HELLO) throw new Unclear(false);
    parts.push(part);
    size += part.length;
    if (wanted === Infinity && size >= 4) wanted = 4 + Buffer.concat(parts).readUIntBE(1, 3);
    if (wanted !== Infinity && wanted > 4 + HELLO_BYTES) throw new Unclear(); // Go reads up to 64 KiB
    if (size >= wanted) return new Fields(Buffer.concat(parts).subarray(4, wanted));
  }
  return null;
}

function serverName(hello: Fields): string | null {
  hello.skip(2 + 32); // version and random bytes
  hello.take(1); // session
  hello.take(2); // ciphers
  hello.take(1); // compression
  if (hello.isEmpty) return null;
  const extensions = new Fields(hello.take(2));
  if (!hello.isEmpty) throw new Unclear();
  let name: string | null = null;
  const seen = new Set<number>();
  while (!extensions.isEmpty) {
    const type = extensions.number(2);
    const content = extensions.take(2);
    // SECURITY(T61): with two names, server and gate could each take another one.
    if (seen.has(type)) throw new Unclear();
    seen.add(type);
    if (type === SERVER_NAME) name = onlyName(new Fields(content));
  }
  return name;
}

function onlyName(extension: Fields): string {
  const list = new Fields(extension.take(2));
  if (list.number(1) !== HOST_NAME) throw new Unclear();
  const name = list.take(2);
  if (!list.isEmpty || !extension.isEmpty || name.length === 0) throw new Unclear();
  return name.toString("latin1");
}

/** Takes fields from the front, each with its length before it. */
class Fields {
  #rest: Buffer;

  constructor(bytes: Buffer) {
    this.#rest = bytes;
  }

  get isEmpty(): boolean {
    return this.#rest.length === 0;
  }

  skip(count: number): Buffer {
    if (this.#rest.length < count) throw new Unclear();
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  number(bytes: number): number {
    return this.skip(bytes).readUIntBE(0, bytes);
  }

  take(lengthBytes: number): Buffer {
    return this.skip(this.number(lengthBytes));
  }
}
