// Decides whether a name says that its value is a secret: `API_TOKEN`, `--db-password`, `clientSecret`,
// `X-Api-Key`. Names are split into words, so that AUTHOR, MONKEY, KEYNOTE_SPEAKER and MAX_TOKENS do not match.

const secretWords = new Set(
  (
    "token secret secrets password passwords passwd passphrase passcode credential credentials apikey bearer " +
    "authorization cookie cookies sshpass otp jwt requirepass masterauth storepass keypass authkey"
  ).split(" "),
);

/** Words with one of these endings count too: PGPASSWORD, authtoken, clientsecret. */
const secretEndings = [
  "password",
  "passwd",
  "passphrase",
  "token",
  "secret",
  "apikey",
  "secretkey",
  "privatekey",
  "accesskey",
];

/** `key` alone can mean anything. After one of these words it is a secret. */
const keyKinds = new Set(
  (
    "api access private secret signing encryption encrypt decryption auth account master deploy service session app " +
    "application shared storage subscription ssh pgp gpg tls ssl hmac webhook license client admin root"
  ).split(" "),
);

/** A name with one of these endings is about a secret and does not hold it: TOKEN_FILE, password-stdin, secretName, tokenUrl. */
const aboutEndings = new Set(
  (
    "file files path paths dir directory folder name names url uri endpoint host port type kind format mode method methods " +
    "policy provider length len size count limit limits max min ttl age expiry expires expiration expire timeout stdin " +
    "prompt env var variable field column header helper store manager service scope scopes audience issuer version " +
    "algorithm alg rotation enabled disabled required parallelism usage budget cost index position offset hint regex " +
    "pattern socket sock cmd command jar template ref arn label description window parser limiter bucket cache " +
    "fd reset form test tests spec id ids"
  ).split(" "),
);

const aboutBeginnings = new Set(
  "max min num no has is use skip allow disable enable require requires show hide total count with without forgot per".split(
    " ",
  ),
);

/** Ordinary settings with auth or pass in their name: not secrets. */
const plainSetting =
  /^(?:|true|false|yes|no|on|off|0|1|basic|digest|bearer|none|null|oauth2?|ntlm|negotiate|token|password|always|never|auto|required|optional|enabled|disabled|any|anonymous|local|ldap|saml|oidc|peer|trust|md5|scram-sha-256)$/i;

/** `pass` in the sense of passing, not of a password. */
const sentence = /\s\S+\s|[^\p{ASCII}]{4}/u;

/** True if this value under this name is a secret. Without a value: if any value could be. */
export function isSecretName(name: string, value?: string): boolean {
  if (name.length < 2 || name.length > 128) return false;
  const words = wordsOf(name);
  const last = words.at(-1);
  if (last === undefined || aboutEndings.has(last) || aboutBeginnings.has(words[0] as string)) return false;
  if (words.some(isSecretWord)) return true;
  if (words.some((word, index) => isKeyWord(word) && index > 0 && keyKinds.has(words[index - 1] as string)))
    return true;
  if (words.length > 1 && last === "pwd" && words[0] !== "old" && words[0] !== "init") return true;
  if (last === "psk" || /^(?:db|pg|my|user|admin|root|app)?pw$/.test(last)) return true;
  if (last === "word" && words.at(-2) === "pass") return true;
  if (name === "Pwd") return true; // of a connection; PWD is a directory
  if (last === "pass" && value !== undefined && /^\d{1,4}$/.test(value)) return false; // of so many tests
  if (last === "auth" || last === "pass" || isPassWord(last))
    return value === undefined || !(plainSetting.test(value) || sentence.test(value.slice(0, 1_000)));
  // Language models count tokens: a number of tokens is not a secret, a list of tokens is.
  if (words.includes("tokens")) return value === undefined ? false : !/^[\d.,_\s-]*$/.test(value);
  return false;
}

/** Names of headers whose value is always a credential. */
export function isSecretHeader(name: string): boolean {
  return /^(?:(?:proxy-)?authorization|(?:set-)?cookie2?|private-token|job-token|x-(?:[a-z0-9]+-)*(?:token|key|secret|auth|password|signature))$/i.test(
    name,
  );
}

function isSecretWord(word: string): boolean {
  return secretWords.has(word) || (word.length > 6 && secretEndings.some((ending) => word.endsWith(ending)));
}

/** DBPASS and userpass match; compass, bypass and similar words do not. */
function isPassWord(word: string): boolean {
  return (
    word.endsWith("pass") &&
    !/^(?:com|encom|by|sur|tres|over|under|im|tran|multi|single|one|two|render|first|second|last|all|ask|any|post|pre|sub)pass$/.test(
      word,
    )
  );
}

function isKeyWord(word: string): boolean {
  return word === "key" || word === "keys";
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
