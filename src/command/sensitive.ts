// Paths where secrets lie, by name. Shell does not let commands name them, whatever is granted above them. A pull asks a
// person about each such file. A grant on such a path itself, or below it, counts: the operator has written it.

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

/** Whole paths, because their directory also holds settings that are no secret. */
const likelyPaths = /(?:^|\/)\.config\/(?:gcloud|gh|rclone)(?:\/|$)/;

/** The file's name alone, in small letters. */
const likelyFiles: readonly RegExp[] = [
  /\.env$/,
  /\.(?:pem|key|p8|pk8|p12|pfx|jks|jceks|keystore|ppk|kdbx?)$/,
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519|xmss)|ssh_host_.*_key)(?![a-z0-9])(?!.*\.pub$)/,
  /(?:private|secret).*\.asc$|^secring\./,
  /^(?:credentials?|secrets?)(?:\.(?:json|ya?ml|toml|ini|csv|properties|txt))?$/,
  /^(?:service[-_]?account|client[-_]?secret).*\.json$/,
  /\.tfstate$|\.tfvars(?:\.json)?$/,
];

// Examples that say what to fill in, and hold no secret.
const example = /^\.env.*[._-](?:example|sample|template|dist)$|^(?:.*[._-])?(?:example|sample|template)\.env$/;

// SECURITY(T30): a file that is not named here comes in unasked.
/** Whether a file of a repository looks like a secret. Case does not count, nor does the ending of a copy such as `.bak`. */
export function looksSecret(path: string): boolean {
  const names = path.toLowerCase().split("/");
  const file = (names.pop() ?? "").replace(/(?:~|\.(?:bak|backup|old|orig|save|sw[op]))+$/, "");
  const isSecretName = (name: string): boolean =>
    sensitiveNames.has(name) || likelyNames.has(name) || name.startsWith(".env");
  if (names.some(isSecretName) || likelyPaths.test([...names, file].join("/"))) return true;
  return !example.test(file) && (isSecretName(file) || likelyFiles.some((pattern) => pattern.test(file)));
}
