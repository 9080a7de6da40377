// Finds out why no box can be built on this machine. Bubblewrap prints the same message for different causes that need different fixes,
// so this file looks at kernel settings and tries smaller boxes.

import { readFileSync } from "node:fs";

export interface BoxProblem {
  readonly message: string;
  readonly mend: string;
}

/** Runs `/bin/true` in bubblewrap with these arguments and returns how bubblewrap ended. */
export type TryBox = (words: readonly string[]) => { readonly exitCode: number | null; readonly stderr: string };

export const everyNamespace = [
  "--unshare-user",
  "--disable-userns",
  "--unshare-ipc",
  "--unshare-pid",
  "--unshare-uts",
  "--unshare-net",
  "--cap-drop",
  "ALL",
];

const files = ["--ro-bind", "/", "/", "--dev", "/dev"];

/** Tries the smallest box that has every namespace. If this box fails, every call fails. */
export function findBoxProblem(tryBox: TryBox): BoxProblem | null {
  const tried = tryBox([...everyNamespace, ...files, "--proc", "/proc"]);
  if (tried.exitCode === 0) return null;
  const lastLine = tried.stderr.trim().split("\n").at(-1) ?? "";
  const masks = procMasks();
  if (tryBox([...everyNamespace, ...files]).exitCode === 0) return maskedProc(masks, lastLine);
  return bySettings(lastLine) ?? byFilter(masks, lastLine) ?? unknown(lastLine);
}

/** Checks kernel settings that forbid user namespaces. The last two do not apply to root of the initial user namespace. */
function bySettings(lastLine: string): BoxProblem | null {
  const isRoot = process.getuid?.() === 0;
  const settings: readonly [name: string, off: string, on: string, isForRoot: boolean][] = [
    ["user.max_user_namespaces", "0", "10000", true],
    ["kernel.unprivileged_userns_clone", "0", "1", false],
    ["kernel.apparmor_restrict_unprivileged_userns", "1", "0", false],
  ];
  const wrong = settings.filter(
    ([name, off, , isForRoot]) => (isForRoot || !isRoot) && read(`/proc/sys/${name.replaceAll(".", "/")}`) === off,
  );
  if (wrong.length === 0) return null;
  const names = wrong.map(([name, off]) => `${name}=${off}`).join(", ");
  return {
    message: `the kernel is told to let nobody make user namespaces: ${names} (${lastLine})`,
    mend: `sudo sysctl ${wrong.map(([name, , on]) => `${name}=${on}`).join(" ")}`,
  };
}

function byFilter(masks: readonly string[], lastLine: string): BoxProblem | null {
  const mode = /^Seccomp:\s*(\d)/m.exec(read("/proc/self/status"))?.[1];
  if (mode !== "2") return null;
  const also = masks.length === 0 ? "" : `; ${masks.join(", ")} being covered would be the next obstacle`;
  return {
    message: `a system call filter around this process, as containers have, refuses to make namespaces or to mount (${lastLine})${also}`,
    mend: `give the container a filter that allows clone, unshare, mount, umount2 and pivot_root (Docker: --security-opt seccomp=FILE; Kubernetes: seccompProfile)${masks.length === 0 ? "" : `, and ${unmask}`}`,
  };
}

const unmask =
  "leave its /proc uncovered (Docker: --security-opt systempaths=unconfined; Kubernetes: procMount: Unmasked with hostUsers: false)";

function maskedProc(masks: readonly string[], lastLine: string): BoxProblem {
  const which = masks.length === 0 ? "parts of /proc are" : `${masks.join(", ")} ${masks.length === 1 ? "is" : "are"}`;
  return {
    message: `${which} covered, as in containers, and then the kernel lets no box have a /proc of its own (${lastLine})`,
    mend: `start the container so as to ${unmask}`,
  };
}

function unknown(lastLine: string): BoxProblem {
  return {
    message: `a box could not be built (${lastLine})`,
    mend: "let this user make user namespaces and mount in them: the words in brackets are what the kernel refused to bubblewrap",
  };
}

/** Paths of mounts over parts of /proc. A mount over `binfmt_misc`, which is an empty directory, does no harm. */
function procMasks(): string[] {
  const mounted = read("/proc/self/mountinfo")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "");
  const masks = mounted.filter((path) => path.startsWith("/proc/") && path !== "/proc/sys/fs/binfmt_misc");
  const shown = [...new Set(masks)].sort();
  return shown.length > 4 ? [...shown.slice(0, 4), `${shown.length - 4} more`] : shown;
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1").trim();
  } catch {
    return "";
  }
}
