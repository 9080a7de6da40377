// The route within the place where a person works: views of its own, and those of the page that both gates have.

import { decodePart, parseRoute, type Route, routeQuery } from "../../ui/route.ts";

type OwnName = "files" | "search" | "run" | "draft" | "agent" | "settings";

export type WorkRoute = { readonly name: OwnName } | FileRoute | SharedRoute;

interface FileRoute {
  readonly name: "file";
  readonly id: string;
  /** To show at the beginning, counted from 1. */
  readonly line: number | null;
}

type SharedRoute = Extract<Route, { readonly id: string }> | { readonly name: "queue" | "log" | "unknown" };

const ownNames: readonly string[] = ["files", "search", "run", "draft", "agent", "settings"] satisfies OwnName[];
const sharedNames: readonly string[] = ["queue", "question", "staged", "log", "call"] satisfies Route["name"][];

export function parseWorkRoute(hash: string): WorkRoute {
  const [, first = "", second] = (hash.replace(/^#/, "").split("?")[0] ?? "").split("/");
  if (second === undefined && ownNames.includes(first)) return { name: first as OwnName };
  if (first === "file" && second !== undefined) {
    const id = decodePart(second);
    const line = Number(routeQuery(hash).get("line"));
    return id === null ? { name: "unknown" } : { name: "file", id, line: line > 0 ? line : null };
  }
  const route = parseRoute(hash);
  return sharedNames.includes(route.name) ? (route as SharedRoute) : { name: "unknown" };
}

export const linkToWork = {
  files: () => "#/files",
  search: () => "#/search",
  run: () => "#/run",
  file: (path: string, line?: number) =>
    `#/file/${encodeURIComponent(path)}${line === undefined ? "" : `?line=${line}`}`,
  draft: () => "#/draft",
  agent: () => "#/agent",
  settings: () => "#/settings",
} as const;
