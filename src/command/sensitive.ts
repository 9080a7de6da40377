// Places that Shell does not name, whatever is granted above them: the seed's system directories, and where people keep keys.
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
