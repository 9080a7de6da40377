// Files that hold no secret although their names look like it: settings of npm without a token, and public keys.
// Invariant: a file that is not surely one of these is not harmless.

const mostBytes = 256 * 1024;

/** Whether a file with a secret's name is harmless. `undefined`: its bytes are not known. */
export function isHarmless(path: string, bytes: Uint8Array | undefined): boolean {
  if (bytes === undefined || bytes.length > mostBytes) return false;
  const text = decoded(bytes);
  if (text === null) return false;
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return isPublicKeys(lines) || (name === ".npmrc" && lines.every(isPlainNpmLine));
}

function decoded(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

const isEmptyOrComment = (line: string): boolean => line === "" || line.startsWith("#");

/** The file holds public keys and nothing else: a note beside a key may hold a password. */
function isPublicKeys(lines: readonly string[]): boolean {
  let block: string | null = null;
  let keys = 0;
  for (const line of lines) {
    const edge = /^-----(BEGIN|END) ([A-Z0-9 ]+)-----$/.exec(line);
    if (edge !== null) {
      const isBegin = edge[1] === "BEGIN";
      if (isBegin !== (block === null) || !isPublicBlock(edge[2] ?? "") || (!isBegin && edge[2] !== block))
        return false;
      block = isBegin ? (edge[2] ?? null) : null;
      keys += 1;
    } else if (block !== null) {
      if (!isBlockLine(line)) return false;
    } else if (publicLine.test(line)) keys += 1;
    else if (line !== "") return false;
  }
  return keys > 0 && block === null;
}

/** A line of base64; in PGP also a line such as `Version: …` before it, or the checksum after it. */
function isBlockLine(line: string): boolean {
  return /^(?:[0-9A-Za-z+/]*={0,2}|=[0-9A-Za-z+/]{4}|(?:Version|Charset|Hash): [\w .()/-]*)$/.test(line);
}

function isPublicBlock(kind: string): boolean {
  return /^(?:(?:RSA |DSA |EC )?PUBLIC KEY|(?:X509 |TRUSTED )?CERTIFICATE|(?:NEW )?CERTIFICATE REQUEST|X509 CRL|PGP PUBLIC KEY BLOCK|SSH2 PUBLIC KEY|DH PARAMETERS|EC PARAMETERS)$/.test(
    kind,
  );
}

const publicLine =
  /^(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d+|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com) AAAA[0-9A-Za-z+/=]+(?: [^\s]+)?$/;

// Keys that npm knows as secrets, and names that secrets have elsewhere.
const secretKey =
  /(?:^|[:_.-])_?(?:auth|authtoken|password|passwd|token|secret|key|keyfile|certfile|cert|otp|username|email)$/i;

/** A setting that is no secret, or that takes one from the environment: `${NPM_TOKEN}`. */
function isPlainNpmLine(line: string): boolean {
  if (isEmptyOrComment(line) || line.startsWith(";")) return !/[A-Za-z0-9_-]{20,}/.test(line);
  const [, key = "", value = ""] = /^([^=]*?)\s*(?:=\s*(.*))?$/.exec(line) ?? [];
  if (/^["']?\$\{[A-Za-z_]\w*\}["']?$/.test(value)) return true;
  if (secretKey.test(key.replace(/\[\]$/, "")) && value !== "") return false;
  // Not harmless: credentials in an address, and long words that are neither an address nor a path.
  return !/:\/\/[^/\s]*@/.test(value) && !/(?<![\w./:@-])[A-Za-z0-9_+-]{20,}={0,2}(?![\w./:@-])/.test(value);
}
