// The route within the place where a person works: views of its own, and those of the page that both gates have.

import { decodePart, parseRoute, type Route } from "../../ui/route.ts";

type OwnName = "files" | "draft" | "agent" | "settings";

export type WorkRoute = { readonly name: OwnName } | { readonly name: "file"; readonly id: string } | SharedRoute;

type SharedRoute = Extract<Route, { readonly id: string }> | { readonly name: "queue" | "log" | "unknown" };

const ownNames: readonly string[] = ["files", "draft", "agent", "settings"] satisfies OwnName[];
const sharedNames: readonly string[] = ["queue", "question", "staged", "log", "call"] satisfies Route["name"][];

export function parseWorkRoute(hash: string): WorkRoute {
  const [, first = "", second] = (hash.replace(/^#/, "").split("?")[0] ?? "").split("/");
  if (second === undefined && ownNames.includes(first)) return { name: first as OwnName };
  if (first === "file" && second !== undefined) {
    const id = decodePart(second);
    return id === null ? { name: "unknown" } : { name: "file", id };
  }
  const route = parseRoute(hash);
  return sharedNames.includes(route.name) ? (route as SharedRoute) : { name: "unknown" };
}

export const linkToWork = {
  files: () => "#/files",
  file: (path: string) => `#/file/${encodeURIComponent(path)}`,
  draft: () => "#/draft",
  agent: () => "#/agent",
  settings: () => "#/settings",
} as const;
