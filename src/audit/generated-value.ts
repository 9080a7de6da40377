// Decides whether a value looks like a generated secret, where the text around it is not conclusive.

/** Letters with digits, or signs among them; not a number, a path, a file, or the name of a method. */
export function looksGenerated(value: string): boolean {
  if (value.length < 6 || value.length > 4_096 || /\s|:\/\//.test(value)) return false;
  if (!/[A-Za-z]/.test(value) || !/[0-9!@#$%^&*+=]/.test(value)) return false;
  if (/^[\w@./~-]*\/[\w@.~-]|\.[a-z][a-z0-9]{0,4}$|^[a-z]+\(|^<|>$|^[$%{[]|\.\.\./.test(value)) return false;
  if (/^[a-z][a-z-]*\d{0,4}$/i.test(value) && !/[A-Z].*\d.*[A-Za-z]/.test(value) && knownWord.test(value)) return false;
  return !/^(?:v?\d+(?:[.:-]\d+)*[a-z]{0,2}|\d{4}-\d\d-\d\d\S*|0x[0-9a-f]+)$/i.test(value);
}

const knownWord =
  /^(?:sha-?\d+|md5|base(?:16|32|58|64)|utf-?\d+|oauth2?|ed25519|x25519|curve25519|rs\d+|hs\d+|es\d+|ps\d+|argon2(?:id|i|d)?|aes-?\d+|ssh2|http2|x509|pkcs\d+|p256|secp256k1|k8s|ipv[46]|log4j|int\d+|uint\d+|float\d+|i\d+|u\d+)$/i;

/** A git id or a checksum looks alike, and is a secret only if something says so. */
export function looksHashed(value: string): boolean {
  return /^[0-9a-f]{7,128}$/.test(value);
}

/** Words that follow the name of a flag in a sentence about it. */
export function isSentenceWord(value: string): boolean {
  return /^(?:to|for|is|are|was|and|or|not|in|on|of|the|a|an|as|at|by|with|without|from|if|when|it|its|this|that|option|options|flag|flags|must|may|can|will|should|has|have|does|takes|instead|be|field|value|needs?|here|there|only)[.,;:]?$/i.test(
    value,
  );
}
