// Staged commits in the shape that callers see.

import { z } from "zod";
import type { StagedCommit } from "../../git/staged.ts";
import { workspaceRoot } from "../../workspace/path.ts";

export const stagedCommitShape = z.object({
  id: z.string(),
  message: z.string(),
  files: z.array(
    z.object({
      sandboxPath: z.string(),
      operation: z.enum(["create", "update", "delete"]),
      contentHash: z.string(),
      size: z.number(),
    }),
  ),
  createdAt: z.string(),
});

export function stagedResult({ id, message, files, createdAt }: StagedCommit): z.infer<typeof stagedCommitShape> {
  return {
    id,
    message,
    files: files.map(({ path, operation, after }) => ({
      sandboxPath: `${workspaceRoot}/${path}`,
      operation,
      contentHash: after?.contentHash ?? "",
      size: after?.size ?? 0,
    })),
    createdAt: new Date(createdAt).toISOString(),
  };
}
