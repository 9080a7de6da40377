// edit_file: replaces a text in a workspace file. The text must occur exactly once.

import { z } from "zod";
import { fail, ok, type Result } from "../shared/result.ts";
import { editText } from "../workspace/edit.ts";
import { parseWorkspacePath, spellWorkspacePath, type WorkspacePath } from "../workspace/path.ts";
import { decodeUtf8 } from "../workspace/text.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { pathArgument } from "./files/file-arguments.ts";
import type { Tool } from "./tool.ts";
import { readThrough } from "./files/workspace-file.ts";
import { workspacePlan } from "./files/workspace-plan.ts";

const text = z.string().refine((value) => value.isWellFormed(), "holds half of a surrogate pair, which has no bytes");
const editArguments = z
  .strictObject({
    path: pathArgument,
    old_text: text.describe("The text to replace, exactly as it is in the file. It must be there once."),
    new_text: text.describe("What comes in its place. Empty removes it."),
  })
  .meta({ examples: [{ path: "src/main.ts", old_text: "const port = 80;", new_text: "const port = 8080;" }] });

type EditArguments = z.infer<typeof editArguments>;

export const editFileTool: Tool<EditArguments> = {
  name: "edit_file",
  title: "Edit a file",
  description:
    "Replaces one piece of text in a workspace file. If it is not there exactly once, nothing changes and the error shows the nearest place.",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: "never" },
  arguments: editArguments,
  result: z.object({ path: z.string(), size: z.number() }),
  plan(args, { hashes, workspace }) {
    const path = parseWorkspacePath(workspace.spelled(args.path));
    if (!path.ok) return path;
    const details = {
      old_text_sha256: hashes.hex("sha256", args.old_text),
      new_text_sha256: hashes.hex("sha256", args.new_text),
    };
    return workspacePlan("edit_file", path.value, "rw", details, (files) => edit(path.value, args, files));
  },
};

async function edit(
  path: WorkspacePath,
  args: EditArguments,
  files: Workspace,
): Promise<Result<Record<string, unknown>>> {
  const file = await readThrough(path, files);
  if (!file.ok) return file;
  const before = decodeUtf8(file.value.bytes);
  if (before === undefined)
    return fail("invalid_args", `path: ${spellWorkspacePath(path)} is not UTF-8 text.`, {
      hint: "Replace it whole with write_file.",
    });
  const edited = editText(before, args.old_text, args.new_text);
  if (!edited.ok) return edited;
  const bytes = new TextEncoder().encode(edited.value.text);
  const { path: realPath, executable, version } = file.value.entry;
  // If somebody else changed the file meanwhile, this change is refused, so that theirs is not lost.
  const applied = await files.apply([{ operation: "write", path: realPath, bytes, executable, basedOn: version }]);
  return applied.ok ? ok({ path: spellWorkspacePath(path), size: bytes.length }) : applied;
}
