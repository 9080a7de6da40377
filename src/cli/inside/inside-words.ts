// What the words of the command inside mean where they leave something out: paths, files, and the commit to push.

import { resolve } from "node:path";
import type { Reply } from "../../runtime/reply.ts";
import { UsageError } from "../usage-error.ts";

export interface InsideCaller {
  readonly call: (tool: string, args: object) => Promise<Reply>;
  /** Where the program was started. */
  readonly cwd: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

type Refused = Extract<Reply, { ok: false }>;

interface StageWords {
  readonly files: readonly string[];
  readonly message: string | undefined;
  /** True: all that have not landed. */
  readonly commits: string | true | undefined;
}

/** The arguments of git_stage. Without files, all that differ and are not staged. */
export async function stagedFiles(
  { files, message, commits }: StageWords,
  caller: InsideCaller,
): Promise<object | Refused> {
  if (commits !== undefined && files.length > 0) throw new UsageError("--commits: it cannot stand beside files");
  if (commits !== undefined)
    return { commits: commits === true ? "all" : commits, ...(message === undefined ? {} : { message }) };
  if (message === undefined)
    throw new UsageError("-m: the message is missing", 'Such as: sallyport stage -m "What it does" FILE');
  if (files.length > 0) return { message, files: files.map((path) => resolve(caller.cwd, path)) };
  const status = await caller.call("git_status", {});
  if (!status.ok) return status;
  const { unstaged, more } = status.result as unknown as Status;
  if (unstaged.length === 0) throw new UsageError("nothing differs that is not staged");
  if (more !== undefined) throw new UsageError(`${unstaged.length + more} files differ`, "Name files or directories.");
  return { message, files: unstaged.map(({ path }) => path) };
}

interface Status {
  readonly staged: readonly { readonly id: string; readonly message: string }[];
  readonly unstaged: readonly { readonly path: string }[];
  readonly more?: number;
}

/** The one that is named, or the only one that is staged. */
export async function chosenCommit(id: string | undefined, caller: InsideCaller): Promise<string | Refused> {
  if (id !== undefined) return id;
  const status = await caller.call("git_status", {});
  if (!status.ok) return status;
  const { staged } = status.result as unknown as Status;
  const [only, ...others] = staged;
  if (only === undefined)
    throw new UsageError("nothing is staged", "Such as: sallyport stage --commits, or sallyport stage -m TEXT FILE");
  if (others.length > 0)
    throw new UsageError(
      `${staged.length} commits are staged`,
      `Name one: ${staged.map((one) => `${one.id} (${one.message.split("\n")[0]})`).join(", ")}`,
    );
  return only.id;
}
