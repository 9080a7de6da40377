// Files that others execute later: repositories' own directories, and the settings of editors, agents and shells.

import { baseName } from "../shared/path.ts";

export type ExecutedKind = "file" | "directory";

export const executedLater: ReadonlyMap<string, ExecutedKind> = new Map([
  ...[
    ".git",
    ".vscode",
    ".idea",
    ".claude",
    ".cursor",
    ".codex",
    ".gemini",
    ".windsurf",
    ".continue",
    ".devcontainer",
    ".husky",
  ].map((name) => [name, "directory"] as const),
  ...[
    ".mcp.json",
    ".envrc",
    ".gitmodules",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".gitconfig",
  ].map((name) => [name, "file"] as const),
]);

/** `/repo/.vscode/tasks.json` gives `/repo/.vscode`; null where no name on the way is one of these. */
export function executedPart(path: string): string | null {
  if (!path.startsWith(".") && !path.includes("/.")) return null; // they all begin with a dot
  const names = path.split("/");
  const at = names.findIndex((name) => executedLater.has(name.toLowerCase()));
  return at < 0 ? null : names.slice(0, at + 1).join("/");
}

/** A name as disks take it that fold case, drop dots and blanks at the end, or do not see what draws nothing. */
export function foldName(name: string): string {
  return name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}

/** Commits go through `git_stage` and `git_push`, whatever anybody says. */
export function isRepositoryPart(part: string): boolean {
  return baseName(part).toLowerCase() === ".git";
}
