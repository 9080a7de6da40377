// The failures of a workspace if there is no file to read.

import { fail, type Result } from "../shared/result.ts";
import type { WorkspacePath } from "./path.ts";

export function fileNotFound(path: WorkspacePath): Result<never> {
  return fail("not_found", `There is no file ${path} in the workspace.`, { hint: "list_files shows what is there." });
}

export function notReadable(path: WorkspacePath, kind: "directory" | "link"): Result<never> {
  if (kind === "link") return fail("invalid_args", `${path} is a link, not a file.`);
  return fail("invalid_args", `${path === "" ? "The workspace" : path} is a directory, not a file.`, {
    hint: "list_files shows what is in it.",
  });
}
