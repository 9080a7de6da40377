// Where secrets lie, by name. For Shell: the places that it does not name, whatever is granted above them. For a pull: the
// files that a person is asked about, one by one.
// A grant on such a place itself, or inside it, is the operator's own word and counts.

export const sensitiveDirectories: readonly string[] = [
  "/etc",
  "/root",
  "/proc",
  "/sys",
  "/boot",
  "/usr/sbin",
  "/dev/tcp",
  "/dev/udp",
  "/run/secrets",
  "/run/docker.sock",
  "/var/run/docker.sock",
];

/** Names that hold keys wherever they lie. */
export const sensitiveNames: ReadonlySet<string> = new Set([
  ".ssh",
  ".aws",
  ".gnupg",
  ".netrc",
  ".git-credentials",
  ".kube",
  ".docker",
  ".password-store",
]);

/** Names that most often hold a password or a token, but that a project may well keep for other reasons. */
const likelyNames: ReadonlySet<string> = new Set([
  ".azure",
  "_netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".my.cnf",
  ".mylogin.cnf",
  ".htpasswd",
  ".dockercfg",
  ".s3cfg",
  ".boto",
]);

/** Of whole paths: what lies in a directory that is shared with others' settings. */
const likelyPlaces = /(?:^|\/)\.config\/(?:gcloud|gh|rclone)(?:\/|$)/;

/** Of the last name alone, in small letters. */
const likelyFiles: readonly RegExp[] = [
  /\.env$/,
  /\.(?:pem|key|p8|pk8|p12|pfx|jks|jceks|keystore|ppk|kdbx?)$/,
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519|xmss)|ssh_host_.*_key)(?![a-z0-9])(?!.*\.pub$)/,
  /(?:private|secret).*\.asc$|^secring\./,
  /^(?:credentials?|secrets?)(?:\.(?:json|ya?ml|toml|ini|csv|properties|txt))?$/,
  /^(?:service[-_]?account|client[-_]?secret).*\.json$/,
  /\.tfstate$|\.tfvars(?:\.json)?$/,
];

// Meant to be read: what to fill in, without what is filled in.
const example = /^\.env.*[._-](?:example|sample|template|dist)$|^(?:.*[._-])?(?:example|sample|template)\.env$/;

// SECURITY(T30): what is not named here comes in unasked.
/** Whether a file of a repository looks like a secret by its path from the root. Case does not count, nor the mark of a copy. */
export function looksSecret(path: string): boolean {
  const names = path.toLowerCase().split("/");
  const file = (names.pop() ?? "").replace(/(?:~|\.(?:bak|backup|old|orig|save|sw[op]))+$/, "");
  const isSecretPlace = (name: string): boolean =>
    sensitiveNames.has(name) || likelyNames.has(name) || name.startsWith(".env");
  if (names.some(isSecretPlace) || likelyPlaces.test([...names, file].join("/"))) return true;
  return !example.test(file) && (isSecretPlace(file) || likelyFiles.some((pattern) => pattern.test(file)));
}
