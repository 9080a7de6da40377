// Symbolic links of a workspace: which targets are allowed, and where a path leads. It works on text; the kernel follows no link.
// Invariant: an accepted link leads into the workspace, whatever the other links are. It has `..` only at its beginning, where it means
// the real directories above the link, which are never links.

import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { byteLength, nameProblem, type WorkspacePath, workspaceRoot } from "./path.ts";

/** Returns the target unchanged if a link at `path` may have it. */
export function parseLinkTarget(path: WorkspacePath, target: string): Result<string> {
  const problem = targetProblem(path, target);
  if (problem === undefined) return ok(target);
  return fail("fs_denied", `The link ${path} to ${JSON.stringify(target.slice(0, 120))} ${problem}.`, {
    hint: "A link in the workspace leads to a place in the workspace, such as ../shared/a.ts.",
  });
}

function targetProblem(path: WorkspacePath, target: string): string | undefined {
  if (target === "") return "leads nowhere";
  if (byteLength(target) > limits.workspacePathBytes) return `is longer than ${limits.workspacePathBytes} bytes`;
  const isAbsolute = target.startsWith("/");
  if (isAbsolute && target !== workspaceRoot && !target.startsWith(`${workspaceRoot}/`))
    return "leads out of the workspace";
  let above = isAbsolute ? 0 : path.split("/").length - 1;
  let hasName = isAbsolute;
  for (const part of partsOf(isAbsolute ? target.slice(workspaceRoot.length) : target)) {
    if (part === "..") {
      if (hasName) return "goes up again after a name, so that nobody can tell where it leads";
      if (above === 0) return "leads out of the workspace";
      above -= 1;
      continue;
    }
    hasName = true;
    const problem = nameProblem(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Follows every link in `path`, including the last name. The result need not exist. */
export function resolveLinks(
  path: WorkspacePath,
  linkAt: (path: WorkspacePath) => string | undefined,
): Result<WorkspacePath> {
  const todo = partsOf(path).reverse();
  let real: string[] = [];
  let followed = 0;
  for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
    if (part === "..") {
      if (real.pop() === undefined) return leadsOut(path);
      continue;
    }
    // SECURITY(T03): a directory on disk may contain links that `parseLinkTarget` never checked.
    if (nameProblem(part) !== undefined) return leadsOut(path);
    real.push(part);
    const target = linkAt(real.join("/") as WorkspacePath);
    if (target === undefined) continue;
    followed += 1;
    if (followed > limits.workspaceLinks)
      return fail("invalid_args", `${path} goes through more than ${limits.workspaceLinks} links.`, {
        hint: "They probably lead to each other. Name the file itself.",
      });
    if (target.startsWith("/")) {
      if (target !== workspaceRoot && !target.startsWith(`${workspaceRoot}/`)) return leadsOut(path);
      real = [];
      todo.push(...partsOf(target.slice(workspaceRoot.length)).reverse());
    } else {
      real.pop();
      todo.push(...partsOf(target).reverse());
    }
  }
  return ok(real.join("/") as WorkspacePath);
}

function leadsOut(path: WorkspacePath): Result<never> {
  return fail("fs_denied", `${path} leads out of the workspace by a link.`, {
    hint: `Only what lies below ${workspaceRoot} can be reached.`,
  });
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}
