// Plans what adding Sallyport to one agent program, or removing it, would change. It only reads.

import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { joinPath } from "../shared/path.ts";
import { type AgentApp, type AppPaths, projectDirectory, type InstallScope, serverName } from "./agent-apps.ts";
import { type AgentFile, readAgentFile } from "./agent-files.ts";
import { type InitNote, type InitNotes, withoutAdded } from "./init-notes.ts";
import {
  type Inserted,
  insertJsonEntry,
  jsonEntry,
  type JsonEntry,
  jsonSnippet,
  withoutJsonEntry,
} from "./jsonc-insert.ts";
import { findLastingProgram, serverStart, type ServerStart } from "../config/server-command.ts";
import { insertTomlTable, tomlSnippet, type TomlEntry, withoutTomlTable } from "./toml-insert.ts";

export interface AgentPlan {
  readonly app: AgentApp;
  /** `entry`: the server. `allowance`: the program may call its tools without a question of its own. */
  readonly adds: "entry" | "allowance";
  /** An allowance that is an item of a list. */
  readonly item?: string | undefined;
  readonly scope: InstallScope;
  /** The path as named; it may be a link. */
  readonly file: string;
  /** Null if the file cannot be read. */
  readonly opened: AgentFile | null;
  readonly start: ServerStart;
  /** The content of a new file, for pasting. */
  readonly snippet: string;
  readonly change:
    | { readonly state: "add" | "remove"; readonly text: string | null }
    /** `isAsInitAdds`: the entry is exactly what init would add. */
    | { readonly state: "present"; readonly isAsInitAdds: boolean }
    | { readonly state: "absent" }
    | { readonly state: "impossible"; readonly reason: string };
}

export interface AgentPlanContext {
  readonly appPaths: AppPaths;
  /** null for the program's default. */
  readonly scope: InstallScope | null;
  readonly isUndo?: boolean;
  readonly start?: ServerStart;
  /** Notes about earlier additions, for undo. */
  readonly notes?: InitNotes;
}

/** Why the program seems to be installed; null if nothing says so. */
export function traceOf(app: AgentApp, appPaths: AppPaths): string | null {
  const program = app.programs.find((name) => findLastingProgram(name, appPaths.environment) !== null);
  if (program !== undefined) return `\`${program}\` is on the PATH`;
  const inProject = app.projectFiles.map((name) => joinPath(appPaths.project, name));
  const file = [...app.userFiles(appPaths), app.trace(appPaths), ...inProject].find((path) => existsSync(path));
  return file === undefined ? null : `${file} is there`;
}

function scopeFor(app: AgentApp, { appPaths, scope }: AgentPlanContext): InstallScope {
  return appPaths.project === appPaths.home ? "user" : (scope ?? app.scope);
}

/** The allowance of a program that needs one; null for every other. */
export function planAllowance(app: AgentApp, context: AgentPlanContext): AgentPlan | null {
  if (app.allowance === undefined) return null;
  const { appPaths, isUndo = false, notes } = context;
  const { userFile, projectFile, adds } = app.allowance;
  const scope = scopeFor(app, context);
  if (scope === "project" && projectFile === null) return null;
  const file = scope === "user" ? userFile(appPaths) : joinPath(appPaths.project, projectFile ?? "");
  const entry: JsonEntry | null = "item" in adds ? { path: adds.path, name: null, value: adds.item } : null;
  const content = "content" in adds ? adds.content : "";
  const snippet = entry === null ? content : jsonSnippet(entry);
  const item = "item" in adds ? adds.item : undefined;
  const plan = { app, adds: "allowance", item, scope, file, start: startFor(app, scope, appPaths), snippet } as const;
  const read = readAgentFile(file);
  if (!read.ok) return { ...plan, opened: null, change: { state: "impossible", reason: read.reason } };
  const { real, text } = read.file;
  const present = entry === null ? wholeFile(text, content) : changeOf(insertJsonEntry(text ?? "", entry), () => true);
  const change = (): AgentPlan["change"] => {
    if (!isUndo) return present;
    if (present.state === "add") return { state: "absent" };
    if (present.state !== "present" || !present.isAsInitAdds) return present;
    // The person may have written the same item before init ran.
    const note = notes?.find(real, text ?? "");
    if ("item" in adds && note === undefined && notes?.hasAdded(real, adds.item) !== true) return present;
    return taken(text ?? "", note, entry === null ? "" : withoutJsonEntry(text ?? "", entry));
  };
  return { ...plan, opened: read.file, change: change() };
}

function wholeFile(text: string | null, content: string): AgentPlan["change"] {
  return text === null ? { state: "add", text: content } : { state: "present", isAsInitAdds: text === content };
}

export function planAgent(app: AgentApp, context: AgentPlanContext): AgentPlan {
  const { appPaths, isUndo = false, start: ownStart, notes } = context;
  const scope = scopeFor(app, context);
  const inProject = app.projectFiles.map((name) => joinPath(appPaths.project, name));
  const files = scope === "user" ? app.userFiles(appPaths) : inProject;
  const file = files.find((path) => existsSync(path)) ?? files[0] ?? "";
  const start = ownStart ?? startFor(app, scope, appPaths);
  if (file === "") {
    const reason = `${app.name} has no file of a project for servers, only ${app.userFiles(appPaths)[0]}`;
    return {
      app,
      adds: "entry",
      scope,
      file,
      opened: null,
      start,
      snippet: snippetOf(app, start),
      change: { state: "impossible", reason },
    };
  }
  const read = readAgentFile(file);
  const text = read.ok ? (read.file.text ?? "") : "";
  return {
    app,
    adds: "entry",
    scope,
    file,
    opened: read.ok ? read.file : null,
    start,
    snippet: snippetOf(app, start),
    change: !read.ok
      ? { state: "impossible", reason: read.reason }
      : isUndo
        ? removal(app, start, text, notes?.find(read.file.real, text))
        : addition(app, start, text),
  };
}

function startFor(app: AgentApp, scope: InstallScope, appPaths: AppPaths): ServerStart {
  const { environment, project } = appPaths;
  const { command, args } = serverStart({ environment, project: scope === "project" ? project : null });
  const word = app.projectWord[scope];
  return {
    command,
    args: [...args, ...(word === null ? [] : ["--project", word === projectDirectory ? project : word])],
  };
}

function snippetOf(app: AgentApp, start: ServerStart): string {
  return app.format === "toml" ? tomlSnippet(tomlEntry(app, start)) : jsonSnippet(jsonEntryOf(app, start, ""));
}

function tomlEntry(app: AgentApp, start: ServerStart): TomlEntry {
  const [[table]] = app.paths as readonly [readonly [string]];
  return { table: [table, serverName], values: app.entry(start) as TomlEntry["values"] };
}

/** Where in the file the entry goes: the first key path that is a map of servers, else the last. */
function jsonEntryOf(app: AgentApp, start: ServerStart, text: string): JsonEntry {
  const isMap = (path: readonly string[]) => {
    const found = jsonEntry(text, path);
    return typeof found === "object" && found !== null && !Object.hasOwn(found, "type");
  };
  const path = app.paths.find((one) => jsonEntry(text, [...one, serverName]) !== undefined) ?? app.paths.find(isMap);
  return { path: path ?? (app.paths.at(-1) as readonly string[]), name: serverName, value: app.entry(start) };
}

function addition(app: AgentApp, start: ServerStart, text: string): AgentPlan["change"] {
  return app.format === "toml"
    ? changeOf(
        insertTomlTable(text, tomlEntry(app, start)),
        () => withoutTomlTable(text, tomlEntry(app, start)) !== null,
      )
    : changeOf(insertJsonEntry(text, jsonEntryOf(app, start, text)), (value) =>
        isDeepStrictEqual(value, app.entry(start)),
      );
}

function changeOf(inserted: Inserted, isAsInitAdds: (value: unknown) => boolean): AgentPlan["change"] {
  switch (inserted.state) {
    case "added":
      return { state: "add", text: inserted.text };
    case "impossible":
      return inserted;
    case "present":
      return { state: "present", isAsInitAdds: isAsInitAdds(inserted.value) };
  }
}

function removal(app: AgentApp, start: ServerStart, text: string, note: InitNote | undefined): AgentPlan["change"] {
  const present = addition(app, start, text);
  if (present.state === "add") return { state: "absent" };
  if (present.state !== "present") return present;
  if (app.format === "toml")
    return present.isAsInitAdds ? taken(text, note, withoutTomlTable(text, tomlEntry(app, start))) : present;
  const entry = jsonEntryOf(app, start, text);
  // A program that writes its file anew may add words of its own to the entry, and an older init had fewer.
  const isOurs = startsTheSame(jsonEntry(text, [...entry.path, serverName]), entry.value);
  return isOurs ? taken(text, note, withoutJsonEntry(text, entry)) : present;
}

function startsTheSame(found: unknown, added: unknown): boolean {
  const words = (entry: unknown) => {
    const { command, args } = (entry ?? {}) as { readonly command?: unknown; readonly args?: unknown };
    return [command, args];
  };
  return isDeepStrictEqual(words(found), words(added));
}

/** With a note, the very bytes that were there; a file that init created is removed. */
function taken(text: string, note: InitNote | undefined, without: string | null): AgentPlan["change"] {
  if (note !== undefined) return { state: "remove", text: withoutAdded(text, note) };
  if (without === null)
    return { state: "impossible", reason: `the text around ${serverName} was changed since; take it out by hand` };
  return { state: "remove", text: without.trim() === "" ? null : without };
}
