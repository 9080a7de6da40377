// Prepares the files that boxes are made of, once, in the state directory: a small /etc, the first process, the system call filters,
// and the unreadable file and directory that are mounted over hidden paths.
// Invariant: it copies nothing secret, and names each prepared file by the hash of its content.

import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import type { Cover } from "../process/launch.ts";
import { parentPath } from "../shared/path.ts";
import { findCovers } from "./kernel-files.ts";
import { makeDirectories } from "../process/make-directories.ts";
import { readNativeProgram } from "./native-program.ts";
import { isFilterable, seccompProgram } from "./seccomp.ts";

export interface PreparedFiles {
  readonly directory: string;
  readonly etc: string;
  /** The same for a box that reaches single hosts: its names are looked up in the box. Made when it is first needed. */
  etcOfHosts(): string;
  readonly init: string;
  /** Mounts what a box shows of a workspace in memory or of a draft, and starts bubblewrap. */
  readonly keeper: string;
  /** Starts the boxes. */
  readonly forker: string;
  /** Runs before a box's command if the gate runs as root. Null otherwise. */
  readonly devices: string | null;
  /** What the box mounts over files of /proc. */
  readonly covers: readonly Cover[];
  /** Nobody may open it. The box binds it over files that a grant hides. */
  readonly hiddenFile: string;
  readonly hiddenDirectory: string;
  seccomp(unix: boolean): string;
}

// Copied unchanged: files that the loader, the C library and interpreters read. No shadow, no keys, no host names.
const etcCopies = [
  "alternatives",
  "bash.bashrc",
  "chromium.d", // Debian's chromium does not start without it
  "debian_version",
  "fonts",
  "gai.conf",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "locale.alias",
  "magic",
  "mime.types",
  "networks",
  "nsswitch.conf",
  "os-release",
  "perl",
  "protocols",
  "python3",
  "rpc",
  "services",
  "timezone",
  "ssl/certs",
  "ssl/openssl.cnf",
  "pki/tls/certs",
  "pki/ca-trust/extracted",
  "ca-certificates.conf",
  "crypto-policies",
];
const etcCopyPatterns = [/^python3\.\d+$/, /^java(-.*)?$/, /^lsb-release$/];
const networkFiles = ["resolv.conf", "host.conf"];

export function prepareBoxFiles(
  stateDirectory: string,
  architecture: string,
  etcNames: readonly string[],
): PreparedFiles {
  if (!isFilterable(architecture)) throw new Error(`there is no system call filter for the processor ${architecture}`);
  const directory = `${stateDirectory}/box`;
  makeDirectories(directory, 0o700);
  const seccomp = (unix: boolean) =>
    prepareFile(directory, unix ? "filter-unix" : "filter", seccompProgram({ architecture, unix }), 0o400);
  const isRoot = process.getuid?.() === 0;
  const hiddenDirectory = prepareHiddenDirectory(directory);
  let etcOfHosts: string | null = null;
  const files = {
    directory,
    etc: prepareEtc(directory, etcNames, {}),
    etcOfHosts: () => (etcOfHosts ??= prepareEtc(directory, etcNames, resolverFiles)),
    init: prepareFile(directory, "init", readNativeProgram("init", architecture), 0o555),
    keeper: prepareFile(directory, "keeper", readNativeProgram("keeper", architecture), 0o555),
    forker: prepareFile(directory, "forker", readNativeProgram("forker", architecture), 0o555),
    devices: isRoot ? prepareFile(directory, "devices", readNativeProgram("devices", architecture), 0o555) : null,
    covers: findCovers(hiddenDirectory, isRoot),
    hiddenFile: prepareFile(directory, "hidden", Buffer.alloc(0), 0o000),
    hiddenDirectory,
  };
  const filters = new Map<boolean, string>();
  return {
    ...files,
    seccomp(unix) {
      const filter = filters.get(unix) ?? seccomp(unix);
      filters.set(unix, filter);
      return filter;
    },
  };
}

function prepareFile(directory: string, name: string, content: Buffer, mode: number): string {
  const path = `${directory}/${name}-${hashOf([content])}`;
  if (!existsSync(path)) {
    const draft = `${path}.${process.pid}.new`;
    writeFileSync(draft, content, { mode: 0o600 });
    chmodSync(draft, mode);
    renameSync(draft, path);
  }
  return path;
}

function prepareHiddenDirectory(directory: string): string {
  const path = `${directory}/hidden-directory`;
  makeDirectories(path, 0o700);
  chmodSync(path, 0o000);
  return path;
}

/** The gate answers all questions about names, at any address. */
const resolverFiles = {
  "resolv.conf": "nameserver 127.0.0.1\noptions ndots:0 timeout:5 attempts:2\n",
  "nsswitch.conf":
    "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\nprotocols: files\nservices: files\n",
};

/** Makes a new copy only if its sources have changed. `own`: files with these texts instead of the machine's. */
function prepareEtc(directory: string, etcNames: readonly string[], own: Readonly<Record<string, string>>): string {
  const names = [
    ...etcCopies,
    ...etcNames.filter((name) => etcCopyPatterns.some((pattern) => pattern.test(name))),
    ...networkFiles,
  ];
  const present = names.filter((name) => !Object.hasOwn(own, name) && existsSync(`/etc/${name}`));
  const { passwd, group, hosts } = accountFiles();
  const texts = Object.entries(own).flat();
  const path = `${directory}/etc-${hashOf([passwd, group, hosts, ...texts, ...present.map(fingerprint)])}`;
  if (existsSync(path)) return path;
  const draft = mkdtempSync(`${directory}/etc-new-`);
  for (const name of present) copyEtc(name, draft);
  writeFileSync(`${draft}/passwd`, passwd);
  writeFileSync(`${draft}/group`, group);
  writeFileSync(`${draft}/hosts`, hosts);
  for (const [name, text] of Object.entries(own)) writeFileSync(`${draft}/${name}`, text);
  if (!existsSync(`${draft}/nsswitch.conf`))
    writeFileSync(`${draft}/nsswitch.conf`, "passwd: files\ngroup: files\nhosts: files dns\n");
  chmodSync(draft, 0o755);
  try {
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(path)) throw error; // another gate was faster, and its copy is the same
  }
  return path;
}

function copyEtc(name: string, draft: string): void {
  const target = `${draft}/${name}`;
  makeDirectories(parentPath(target), 0o777);
  const source = `/etc/${name}`;
  // resolv.conf is often a link into /run, which no box shows, so its content is copied.
  if (networkFiles.includes(name)) writeFileSync(target, readFileSync(source));
  else copyReadable(source, target);
}

/**
 * Leaves out what other users of the machine may not read. Links stay as they are. `cpSync` takes several times as long for
 * hundreds of certificates, because it looks at each path and its parents again and again.
 */
function copyReadable(source: string, target: string): void {
  const found = lstatSync(source);
  if (found.isSymbolicLink()) return symlinkSync(readlinkSync(source), target);
  if ((found.mode & 0o004) === 0) return;
  if (found.isFile()) return copyFileSync(source, target);
  if (!found.isDirectory()) return;
  mkdirSync(target);
  for (const name of readdirSync(source)) copyReadable(`${source}/${name}`, `${target}/${name}`);
  chmodSync(target, found.mode & 0o7777);
}

function fingerprint(name: string): string {
  const { mtimeMs, size, ino } = statSync(`/etc/${name}`);
  return `${name} ${mtimeMs} ${size} ${ino}`;
}

/** Lists only the user that the box runs as, root and nobody. The agent does not need the machine's other accounts. */
function accountFiles(): { passwd: string; group: string; hosts: string } {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  const name = accountName(uid);
  const user = uid === 0 ? "" : `${name}:x:${uid}:${gid}::/tmp:/bin/sh\n`;
  const userGroup = gid === 0 ? "" : `${name}:x:${gid}:\n`;
  return {
    passwd: `root:x:0:0:root:/tmp:/bin/sh\n${user}nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n`,
    group: `root:x:0:\n${userGroup}nogroup:x:65534:\n`,
    hosts: "127.0.0.1 localhost box\n::1 localhost ip6-localhost\n",
  };
}

function accountName(uid: number): string {
  try {
    return userInfo().username;
  } catch {
    return `user${uid}`;
  }
}

function hashOf(parts: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, 16);
}
