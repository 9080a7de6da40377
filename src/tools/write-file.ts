// write_file: creates a workspace file, or replaces its whole content.

import { z } from "zod";
import { parseBase64 } from "../shared/bytes.ts";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { parseWorkspacePath, spellWorkspacePath, type WorkspacePath } from "../workspace/path.ts";
import { pathArgument } from "./files/file-arguments.ts";
import type { PlainTool, PlanContext, WorkPlan } from "./tool.ts";
import { workspacePlan } from "./files/workspace-plan.ts";

const writeArguments = z
  .strictObject({
    path: pathArgument,
    content: z.string().describe("The whole content."),
    encoding: z.enum(["utf8", "base64"]).optional().describe("How content is written here. Default utf8."),
    executable: z.boolean().optional().describe("Default: as the file was; a new one is not."),
  })
  .meta({
    examples: [
      { path: "notes.md", content: "# Notes\n" },
      { path: "run.sh", content: "#!/bin/sh\n", executable: true },
    ],
  });

const paddedBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

type WriteArguments = z.infer<typeof writeArguments>;

export const writeFileTool: PlainTool<WriteArguments> = {
  name: "write_file",
  title: "Write a file",
  description:
    "Writes a whole file of the workspace; directories above it are made. To change a part of a file, use edit_file.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: "never" },
  arguments: writeArguments,
  result: z.object({ path: z.string(), operation: z.enum(["create", "update", "unchanged"]), size: z.number() }),
  plan: (args, context) => planWrite(args, context, undefined),
};

const savedArguments = writeArguments.extend({ replaces: z.string().nullable().optional() });

/**
 * For a person's editor: `replaces` is the SHA-256 of what the person has seen, null if there was no file. A file that is something
 * else when the write takes place stays as it is.
 */
export const saveFileTool: PlainTool<z.infer<typeof savedArguments>> = {
  ...writeFileTool,
  arguments: savedArguments,
  plan: (args, context) => planWrite(args, context, args.replaces),
};

function planWrite(
  args: WriteArguments,
  { hashes, workspace }: PlanContext,
  replaces: string | null | undefined,
): Result<WorkPlan> {
  const path = parseWorkspacePath(workspace.spelled(args.path));
  if (!path.ok) return path;
  const bytes = decode(args);
  if (!bytes.ok) return bytes;
  const sha256 = hashes.hex("sha256", bytes.value);
  const details = { size: bytes.value.length, sha256, executable: args.executable ?? null };
  const seen = replaces === undefined ? {} : { replaces };
  return workspacePlan("write_file", path.value, "rw", { ...details, ...seen }, async (files) => {
    const resolved = await files.resolve(path.value);
    if (!resolved.ok) return resolved;
    const before = await files.entry(resolved.value);
    const now = replaces === undefined || before === undefined ? null : await files.read(resolved.value);
    if (now?.ok === false) return now;
    if (replaces !== undefined && replaces !== (now === null ? null : hashes.hex("sha256", now.value.bytes)))
      return hasChanged(path.value);
    const change = {
      operation: "write" as const,
      path: resolved.value,
      bytes: bytes.value,
      executable: args.executable ?? before?.executable ?? false,
      // SECURITY(T95): another call may write between the comparison and here.
      ...(replaces === undefined ? {} : { basedOn: now?.value.entry.version ?? 0 }),
    };
    const applied = await files.apply([change]);
    if (!applied.ok) return applied;
    const { operation = "unchanged", size = bytes.value.length } = applied.value.changes[0] ?? {};
    return ok({ path: spellWorkspacePath(path.value), operation, size });
  });
}

function hasChanged(path: WorkspacePath): Result<never> {
  return fail("changed", `${path} has changed since you opened it. Nothing was written.`, {
    hint: "Look at what it is now, and write it again.",
  });
}

function decode({ content, encoding }: WriteArguments): Result<Uint8Array> {
  if (encoding === "base64") {
    const text = content.replace(/\s+/g, "");
    const bytes = paddedBase64.test(text) ? parseBase64(text) : null;
    if (bytes === null)
      return fail("invalid_args", "content: is not base64.", {
        hint: "Letters, digits, + and /, padded with = to a multiple of four.",
      });
    return bounded(bytes);
  }
  if (!content.isWellFormed())
    return fail("invalid_args", "content: holds half of a surrogate pair, which has no bytes.");
  return bounded(new TextEncoder().encode(content));
}

function bounded(bytes: Uint8Array): Result<Uint8Array> {
  if (bytes.length <= limits.workspaceFileBytes) return ok(bytes);
  return fail("invalid_args", `content: ${bytes.length} bytes; a file may have ${limits.workspaceFileBytes}.`);
}
