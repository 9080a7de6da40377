// read_file: returns a workspace file as text, whole or some lines of it, or as base64.

import { z } from "zod";
import { toBase64, utf8Length } from "../shared/bytes.ts";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { parseWorkspacePath, spellWorkspacePath, type WorkspacePath } from "../workspace/path.ts";
import { decodeUtf8 } from "../workspace/text.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { pathArgument } from "./files/file-arguments.ts";
import type { Tool } from "./tool.ts";
import { readThrough } from "./files/workspace-file.ts";
import { workspacePlan } from "./files/workspace-plan.ts";

const line = z.int().min(1).max(1e9);
const readArguments = z
  .strictObject({
    path: pathArgument,
    encoding: z.enum(["utf8", "base64"]).optional().describe("base64 for what is not text. Default utf8."),
    start_line: line.optional().describe("The first line, counted from 1. Default 1."),
    end_line: line.optional().describe("The last line, included. Default: the end."),
  })
  .meta({ examples: [{ path: "src/main.ts" }, { path: "log.txt", start_line: 100, end_line: 150 }] });

type ReadArguments = z.infer<typeof readArguments>;

export const readFileTool: Tool<ReadArguments> = {
  name: "read_file",
  title: "Read a file",
  description:
    "Reads a file of the workspace. For a long one, name the lines: what is too long to return is refused, with its length.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: "never" },
  arguments: readArguments,
  result: z.object({
    content: z.string(),
    encoding: z.enum(["utf8", "base64"]),
    size: z.number(),
    total_lines: z.number().optional(),
  }),
  plan(args, { workspace }) {
    const path = parseWorkspacePath(workspace.spelled(args.path));
    if (!path.ok) return path;
    const problem = rangeProblem(args);
    if (problem !== null) return fail("invalid_args", problem);
    const { start_line = null, end_line = null } = args;
    return workspacePlan("read_file", path.value, "r", { start_line, end_line }, (files) =>
      read(path.value, args, files),
    );
  },
};

function rangeProblem({ encoding, start_line, end_line }: ReadArguments): string | null {
  if (encoding === "base64" && (start_line ?? end_line) !== undefined) return "start_line: base64 has no lines.";
  if (start_line !== undefined && end_line !== undefined && end_line < start_line)
    return `end_line: ${end_line} is before start_line, ${start_line}.`;
  return null;
}

async function read(
  path: WorkspacePath,
  args: ReadArguments,
  files: Workspace,
): Promise<Result<Record<string, unknown>>> {
  const file = await readThrough(path, files);
  if (!file.ok) return file;
  const { bytes } = file.value;
  if (args.encoding === "base64") {
    if (bytes.length > limits.readFileBytes) return tooLong(path, bytes.length, "It has no lines that could be named.");
    return ok({ content: toBase64(bytes), encoding: "base64", size: bytes.length });
  }
  const text = decodeUtf8(bytes);
  if (text === undefined)
    return fail("invalid_args", `encoding: ${spellWorkspacePath(path)} is not UTF-8 text.`, {
      hint: 'Read it with "encoding": "base64".',
    });
  const lines = text.split("\n");
  // A line feed at the end ends the last line and does not start another one.
  const total_lines = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const isWhole = args.start_line === undefined && args.end_line === undefined;
  const content = isWhole ? text : pick(lines, args, total_lines);
  if (utf8Length(content) > limits.readFileBytes)
    return tooLong(
      path,
      utf8Length(content),
      `It has ${total_lines} lines: name some of them with start_line and end_line.`,
    );
  return ok({ content, encoding: "utf8", size: bytes.length, total_lines });
}

function pick(lines: readonly string[], { start_line = 1, end_line = Infinity }: ReadArguments, total: number): string {
  const end = Math.min(end_line, total);
  if (start_line > end) return "";
  return lines.slice(start_line - 1, end).join("\n") + (end < lines.length ? "\n" : "");
}

function tooLong(path: WorkspacePath, bytes: number, hint: string): Result<never> {
  return fail(
    "invalid_args",
    `path: ${spellWorkspacePath(path)} is too long to return: ${bytes} bytes, at most ${limits.readFileBytes}.`,
    { hint },
  );
}
