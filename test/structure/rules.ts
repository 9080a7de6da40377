// The rules of src/ as functions from a file's path and text to the list of what is wrong with it:
// the layers, the doors (each power in one place), the names, and what must also run in a browser.

import { builtinModules } from "node:module";
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
  ["sandbox", "workspace", "git"],
  ["tools", "config", "store"],
  ["runtime"],
  ["mcp", "web", "adapters"],
  ["cli"],
];

const roots = ["index.ts", "browser.ts"];
const pure = ["shared/", "action/", "policy/", "approval/", "workspace/memory", "git/publish"];
const writers = [
  "store/",
  "config/amend.ts",
  "config/agent-files.ts",
  "workspace/",
  "sandbox/",
  "git/target/work-tree",
  "git/target/object-quarantine.ts",
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
const isBuiltin = (from: string): boolean => from.startsWith("node:") || builtinModules.includes(from);
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

/** What a file takes from node, itself or through what it imports: the browser cannot have it. */
function nodeImports(path: string, sources: Sources, seen = new Set<string>()): string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  return importsOf(sources.get(path) ?? "")
    .filter(({ typeOnly }) => !typeOnly)
    .flatMap(({ from }) => {
      if (isBuiltin(from)) return [`${path} imports ${from}`];
      return from.startsWith(".") ? nodeImports(normalize(join(dirname(path), from)), sources, seen) : [];
    });
}

const fromFs = String.raw`\s+from\s*["'](?:node:)?fs(?:\/promises)?["']`;

function writesToDisk(source: string): boolean {
  const text = withoutComments(source);
  const named = [...text.matchAll(new RegExp(String.raw`\bimport\s*\{([^}]*)\}${fromFs}`, "g"))]
    .map((match) => match[1])
    .join();
  const objects = [...text.matchAll(new RegExp(String.raw`\bimport\s+(?:\*\s+as\s+)?(\w+)${fromFs}`, "g"))].map(
    (match) => match[1],
  );
  const throughObject = new RegExp(`\\b(?:${[...objects, "promises"].join("|")})\\.${writeCalls.source.slice(2)}`);
  if (named === "" && objects.length === 0) return false;
  return writeCalls.test(named) || throughObject.test(codeOnly(source)) || openForWriting.test(text);
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
      "node's recursive mkdir never ends under /proc: see sandbox/make-directories.ts",
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

export function pureProblems(path: string, sources: Sources): string[] {
  return isUnder(path, pure)
    ? nodeImports(path, sources).map((text) => `${path} must run in a browser, but ${text}`)
    : [];
}
