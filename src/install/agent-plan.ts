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

export function planAgent(
  app: AgentApp,
  { appPaths, scope: wanted, isUndo = false, start: ownStart, notes }: AgentPlanContext,
): AgentPlan {
  const scope = appPaths.project === appPaths.home ? "user" : (wanted ?? app.scope);
  const inProject = app.projectFiles.map((name) => joinPath(appPaths.project, name));
  const files = scope === "user" ? app.userFiles(appPaths) : inProject;
  const file = files.find((path) => existsSync(path)) ?? files[0] ?? "";
  const start = ownStart ?? startFor(app, scope, appPaths);
  if (file === "") {
    const reason = `${app.name} has no file of a project for servers, only ${app.userFiles(appPaths)[0]}`;
    return {
      app,
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
  const inserted: Inserted =
    app.format === "toml"
      ? insertTomlTable(text, tomlEntry(app, start))
      : insertJsonEntry(text, jsonEntryOf(app, start, text));
  switch (inserted.state) {
    case "added":
      return { state: "add", text: inserted.text };
    case "impossible":
      return inserted;
    case "present":
      return {
        state: "present",
        isAsInitAdds:
          app.format === "toml"
            ? withoutTomlTable(text, tomlEntry(app, start)) !== null
            : isDeepStrictEqual(inserted.value, app.entry(start)),
      };
  }
}

function removal(app: AgentApp, start: ServerStart, text: string, note: InitNote | undefined): AgentPlan["change"] {
  const present = addition(app, start, text);
  if (present.state === "add") return { state: "absent" };
  if (present.state !== "present" || !present.isAsInitAdds) return present;
  if (note !== undefined) return { state: "remove", text: withoutAdded(text, note) };
  const before =
    app.format === "toml"
      ? withoutTomlTable(text, tomlEntry(app, start))
      : withoutJsonEntry(text, jsonEntryOf(app, start, text));
  if (before === null)
    return { state: "impossible", reason: `the text around ${serverName} was changed since: take it out by hand` };
  // A file that init created is removed.
  return { state: "remove", text: before === "" ? null : before };
}
