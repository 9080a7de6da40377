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
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;

/** All bytes from the beginning of the connection. */
export function readClientHello(bytes: Buffer): ClientHello {
  if (bytes.length === 0) return { kind: "incomplete" };
  if (bytes[0] !== HANDSHAKE) return readOldHello(bytes);
  if (bytes.length > 1 && bytes[1] !== 3) return { kind: "other" };
  try {
    const body = helloBody(bytes);
    if (body === null) return bytes.length < HELLO_BYTES ? { kind: "incomplete" } : { kind: "unclear" };
    return { kind: "tls", name: serverName(body) };
  } catch (error) {
    if (error instanceof Unclear) return { kind: "unclear" };
    throw error;
  }
}

/** The form of SSL 2, which servers still take as a beginning of TLS. It has no room for a name. */
function readOldHello(bytes: Buffer): ClientHello {
  const isOld = ((bytes[0] ?? 0) & 0x80) !== 0 && (bytes[2] ?? CLIENT_HELLO) === CLIENT_HELLO && (bytes[3] ?? 3) === 3;
  if (!isOld) return { kind: "other" };
  return bytes.length < 4 ? { kind: "incomplete" } : { kind: "tls", name: null };
}

class Unclear extends Error {}

/** A message may be in several records. Null: the rest has not come yet. */
function helloBody(bytes: Buffer): Fields | null {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== HANDSHAKE) throw new Unclear();
    if (at + RECORD_HEAD > bytes.length) return null;
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0) throw new Unclear();
    parts.push(bytes.subarray(at + RECORD_HEAD, at + RECORD_HEAD + length));
    at += RECORD_HEAD + length;
    const message = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    if (message.length > 0 && message[0] !== CLIENT_HELLO) throw new Unclear();
    if (message.length < 4) continue;
    const wanted = message.readUIntBE(1, 3);
    if (wanted > HELLO_BYTES) throw new Unclear();
    if (message.length - 4 >= wanted) return new Fields(message.subarray(4, 4 + wanted));
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
