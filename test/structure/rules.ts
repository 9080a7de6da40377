// The rules of src/ as functions from a file's path and text to the list of what is wrong with it:
// the layers, the doors (each power in one place) and the names. browser-rules.ts and network-rules.ts have the others.

import { dirname, join, normalize } from "node:path/posix";
import { codeOnly, importsOf, withoutComments } from "./source-scan.ts";

/** Top to bottom: a folder imports only from lines above its own. */
const layers = [
  ["shared"],
  ["action"],
  ["policy", "audit"],
  ["command"],
  ["approval"],
  ["process"],
  ["workspace"],
  ["sandbox", "git", "network", "notify"],
  ["tools", "config", "store"],
  ["install", "runtime"],
  ["browser"],
  ["mcp", "web", "adapters"],
  ["cli"],
];

const roots = ["index.ts", "browser.ts"];
const writers = [
  "process/directory-handle.ts",
  "process/make-directories.ts",
  "process/move-if-free.ts",
  "process/new-file.ts",
  "store/",
  "config/amend.ts",
  "install/agent-files.ts",
  "workspace/",
  "sandbox/",
  "git/target/local/work-tree",
  "git/target/local/object-quarantine.ts",
  "git/target/local/sweep-landings.ts",
];
const environment = ["process/environment.ts", "config/"];
const forbiddenNames = ["utils", "helpers", "common", "manager", "service", "types", "index"];
export const maxLines = 400;

const writeCalls =
  /\b(?:writeFile|appendFile|writev?|mkdir|mkdtemp|rename|unlink|rm|rmdir|symlink|link|chmod|fchmod|lchown|chown|truncate|ftruncate|copyFile|cp|utimes|createWriteStream)(?:Sync)?\b/;
const openForWriting =
  /\bopen(?:Sync)?\s*\([^;]*?(?:["'](?:w|a|r\+|rs\+|as)[x+]*["']|\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)\b)/;

const recursiveMkdir = /\bmkdir(?:Sync)?\s*\([^;]*\brecursive\b/;

const readsEnvironment = /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[|\benv\b[^;]*\}\s*=\s*process\b/;

export type Sources = ReadonlyMap<string, string>;

const layerOf = (folder: string): number => layers.findIndex((line) => line.includes(folder));
const isUnder = (path: string, places: readonly string[]): boolean => places.some((place) => path.startsWith(place));
const folderOf = (path: string): string => (path.includes("/") ? path.slice(0, path.indexOf("/")) : "");

export function layerProblems(path: string, source: string): string[] {
  const folder = folderOf(path);
  if (folder === "")
    return roots.includes(path) ? [] : [`${path}: only ${roots.join(" and ")} stand outside the folders`];
  if (layerOf(folder) < 0) return [`${path}: ${folder}/ is not one of the layers`];
  return importsOf(source).flatMap(({ from }) => {
    if (!from.startsWith("."))
      return from.startsWith("/") || from.startsWith("sallyport") ? [`${path} imports ${from}`] : [];
    const target = normalize(join(dirname(path), from));
    const other = folderOf(target);
    return other === folder || (layerOf(other) >= 0 && layerOf(other) < layerOf(folder))
      ? []
      : [`${path} imports ${target}: ${folder}/ may import only from the lines above it`];
  });
}

const fromFs = String.raw`\s+from\s*["'](?:node:)?fs(?:\/promises)?["']`;

/** Whether a source takes one of these functions from node's file system module, by name or through an object. */
function usesFs(source: string, calls: RegExp): boolean {
  const text = withoutComments(source);
  const named = [...text.matchAll(new RegExp(String.raw`\bimport\s*\{([^}]*)\}${fromFs}`, "g"))]
    .map((match) => match[1])
    .join();
  const objects = [...text.matchAll(new RegExp(String.raw`\bimport\s+(?:\*\s+as\s+)?(\w+)${fromFs}`, "g"))].map(
    (match) => match[1],
  );
  const throughObject = new RegExp(`\\b(?:${[...objects, "promises"].join("|")})\\.${calls.source.slice(2)}`);
  if (named === "" && objects.length === 0) return false;
  return calls.test(named) || throughObject.test(codeOnly(source));
}

function writesToDisk(source: string): boolean {
  return (
    usesFs(source, writeCalls) || (/["'](?:node:)?fs/.test(source) && openForWriting.test(withoutComments(source)))
  );
}

/** What a file's content can be read by: a link would be followed, a device opened, a pipe waited for. */
const openCalls = /\b(?:open|openAsBlob|readFile|createReadStream|copyFile|cp)(?:Sync)?\b/;

/** Who opens files without `process/plain-file.ts`, and why none of them can have been made by an agent. */
export const openers: ReadonlyMap<string, string> = new Map([
  ["runtime/opened-hosts.ts", "certificates of the machine"],
  ["process/plain-file.ts", "it is the one way"],
  ["process/process-mark.ts", "the kernel's own files in /proc"],
  ["process/own-ports.ts", "it reads the kernel's list of UNIX sockets"],
  ["process/tcp-table.ts", "the kernel's own files in /proc"],
  ["cli/ports/ports-forward.ts", "the kernel's own files in /proc"],
  ["store/running-boxes.ts", "files of the gate in its state directory"],
  ["sandbox/bare-starter.ts", "the kernel's own files in /proc"],
  ["sandbox/layer/landing-files.ts", "files of a layer that were looked at, when no program of the box is left"],
  ["sandbox/layer/layer.ts", "a file that process/plain-file.ts has opened"],
  ["sandbox/layer/layer-roots.ts", "the kernel's own files in /proc"],
  ["sandbox/box-problem.ts", "the kernel's own files in /proc"],
  ["sandbox/disk-watch.ts", "the kernel's own files in /proc"],
  ["sandbox/unix-sockets.ts", "the kernel's own files in /proc"],
  ["sandbox/cgroup.ts", "the kernel's own files of control groups"],
  ["sandbox/own-limits.ts", "a file of the kernel about this process"],
  ["sandbox/remove-tree.ts", "descriptors of directories that name a path and can do nothing else with it"],
  ["sandbox/materialized-tree.ts", "directories, and new files, in the gate's own room"],
  ["sandbox/pipe-pool.ts", "pipes of our own, in the gate's own room"],
  ["sandbox/text-file.ts", "new files in the gate's own room"],
  ["sandbox/draft-removal.ts", "new files in the layer of a session"],
  ["sandbox/run-files.ts", "our own /dev/null"],
  ["sandbox/bubblewrap-starter.ts", "filters of our own, in the state directory"],
  ["sandbox/prepared.ts", "/etc, and new files in the state directory"],
  ["sandbox/hide-memory.ts", "files of our own in the state directory"],
  ["sandbox/probe-memory.ts", "the kernel's own files in /proc, and a file of our own in the state directory"],
  ["sandbox/draft-holder.ts", "a pipe and files of our own in the draft's directory, which no box shows"],
  ["sandbox/draft-in-use.ts", "the kernel's list of locks"],
  ["sandbox/draft-pull.ts", "the pipe of a pull, in a directory of the gate that no box shows"],
  ["sandbox/forked-output.ts", "/dev/null"],
  ["sandbox/listeners-trial.ts", "/dev/null"],
  ["sandbox/draft-changes.ts", "files of the holder's own mount, which no box shows"],
  ["sandbox/draft-use.ts", "a file of our own in the draft's directory, which no box shows"],
  ["sandbox/native-program.ts", "a file of this package"],
  ["config/server-command.ts", "a file of this package"],
  ["cli/version.ts", "a file of this package"],
  ["web/page-files.ts", "files of this package"],
  ["config/source.ts", "the configuration, which no grant may cover; not waited for, and only a regular file"],
  ["config/amend.ts", "the configuration, which no grant may cover"],
  [
    "install/agent-files.ts",
    "settings of agents' programs, that the person names; not waited for, and only regular files",
  ],
  ["store/private-directory.ts", "the state directory, which no grant may cover"],
  ["store/audit-key.ts", "the key's directory, which no grant may cover"],
  ["store/anchor-file.ts", "the state directory, and /proc"],
  ["store/keyed-file.ts", "the state directory, which no grant may cover"],
  ["store/delayed-sync.ts", "the state directory, which no grant may cover"],
  ["store/package-files.ts", "the state directory, which no grant may cover"],
  ["store/temp-directory.ts", "a directory of our own"],
  ["store/client-token.ts", "the state directory, which no grant may cover"],
  ["store/push-key.ts", "the state directory, which no grant may cover"],
  ["cli/terminal/own-terminal.ts", "the kernel's own files in /proc"],
  ["cli/demo/demo-steps.ts", "the tour's own directory, and /proc"],
  ["workspace/directory-commit.ts", "new files only, never one that is there"],
  ["process/new-file.ts", "new files only, never one that is there"],
  ["process/directory-handle.ts", "directories only, none behind a link"],
  ["git/target/local/work-tree-update.ts", "directories that are held already, and new files, never one that is there"],
  ["git/target/local/work-tree-index-lock.ts", "new files only, never one that is there"],
]);

export function openProblems(path: string, source: string): string[] {
  const opens = usesFs(source, openCalls);
  if (opens && !openers.has(path))
    return [
      `${path}: opens files by itself; use process/plain-file.ts, or say in \`openers\` why no agent can have made them`,
    ];
  return !opens && openers.has(path) ? [`${path}: is among \`openers\`, and opens nothing`] : [];
}

export function doorProblems(path: string, source: string): string[] {
  const code = codeOnly(source);
  const imports = importsOf(source).filter(({ typeOnly }) => !typeOnly);
  const takes = (name: string): boolean => imports.some(({ from }) => from === name || from === `node:${name}`);
  const problem = (holds: boolean, text: string): string[] => (holds ? [`${path}: ${text}`] : []);
  return [
    ...problem(takes("child_process") && path !== "process/start.ts", "child_process is only for process/start.ts"),
    ...problem(takes("cluster") || /\bgetBuiltinModule\b|\bprocess\.binding\b/.test(code), "a way round the doors"),
    ...problem(takes("sqlite") && !path.startsWith("store/"), "node:sqlite is only for store/"),
    ...problem(
      (readsEnvironment.test(code) || takes("process")) && !isUnder(path, environment),
      `process.env is only for ${environment.join(" and ")}`,
    ),
    ...problem(
      recursiveMkdir.test(code),
      "node's recursive mkdir never ends under /proc: see process/make-directories.ts",
    ),
    ...problem(writesToDisk(source) && !isUnder(path, writers), `writes to disk; only ${writers.join(" ")} may`),
  ];
}

export function nameProblems(path: string, source: string): string[] {
  const code = codeOnly(source);
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.ts$/, "");
  const problem = (holds: boolean, text: string): string[] => (holds ? [`${path}: ${text}`] : []);
  return [
    ...problem(/\bexport\s+default\b|\bas\s+default\b/.test(code), "has a default export"),
    ...problem(/^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s/m.test(code), "has an enum"),
    ...problem(path.includes("/") && forbiddenNames.includes(name), "has a name that says nothing"),
    ...problem(!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name), "is not in kebab-case"),
    ...problem(source.split("\n").length - 1 > maxLines, `is longer than ${maxLines} lines`),
  ];
}
