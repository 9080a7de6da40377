// The schema of a git target in arguments: a closed set of types, each with its own fields and no others.

import { z } from "zod";
import { limits } from "../../shared/limits.ts";
import type { GitTarget } from "../../git/target/target.ts";
import { ok, type Result } from "../../shared/result.ts";
import { repositoryOnDisk, type RepositoryContext } from "../programs/path-on-disk.ts";
import { argumentText } from "../programs/program-arguments.ts";

const branch = argumentText.min(1).max(255).optional();
const pathText = argumentText.min(1).max(limits.pathBytes);

export const gitTarget = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("local"),
    path: pathText.describe("Absolute, or relative to the project (`.`)."),
    branch,
  }),
  z.strictObject({ type: z.literal("local-bare"), path: pathText, branch }),
  z.strictObject({ type: z.literal("github"), repo: argumentText.min(1).max(200).describe("owner/name"), branch }),
  z.strictObject({ type: z.literal("remote"), url: argumentText.min(1).max(2000).describe("https or ssh."), branch }),
]);

/** Replaces /workspace in the path by the workspace's directory on the disk. */
export function targetOnDisk(target: GitTarget, context: RepositoryContext): Result<GitTarget> {
  if (target.type !== "local" && target.type !== "local-bare") return ok(target);
  const path = repositoryOnDisk(target.path, "path", context);
  return path.ok ? ok({ ...target, path: path.value }) : path;
}
