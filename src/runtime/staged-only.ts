// Finds content that only the index of a session has: it is neither committed nor in the files, and a pull would lose it.

import { brokenAnswer, nulParts, textOrNull } from "../git/draft/draft-git.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { spellWorkspacePath, type WorkspacePath } from "../workspace/path.ts";
import type { PullGit } from "./pull-git.ts";
import type { SessionWork } from "./pull-series.ts";

const NAMED = 10;
const COMPARED = ["--raw", "-z", "--no-renames", "--ignore-submodules=all"];

/** Refuses if there is such content. */
export async function refuseStagedOnly(git: PullGit, { tip, work }: SessionWork): Promise<Result<undefined>> {
  const staged = await readContents(git.own(["diff-index", "--cached", ...COMPARED, tip]));
  if (!staged.ok) return staged;
  const written = await readContents(git.outside(["diff-tree", "-r", ...COMPARED, tip, work]));
  if (!written.ok) return written;
  const suspects = [...staged.value].filter(([path, id]) => !/^0+$/.test(id) && written.value.get(path) !== id);
  if (suspects.length === 0) return ok(undefined);
  // Content that a filter made of the file, and a file that git ignores.
  const differing = await readContents(git.own(["diff-files", ...COMPARED]));
  if (!differing.ok) return differing;
  const lost = suspects.flatMap(([path]) => (differing.value.has(path) ? [path] : []));
  if (lost.length === 0) return ok(undefined);
  const named = lost.slice(0, NAMED).map(spelled);
  const more = lost.length > NAMED ? ` and ${lost.length - NAMED} more` : "";
  return fail(
    "conflict",
    `What is staged differs from the last commit and from the file, in ${named.join(", ")}${more}.`,
    {
      hint: "Nothing was changed. A pull keeps commits and files, but not what is staged only: commit it, or unstage it with `git restore --staged`; then pull again.",
    },
  );
}

/** The id of the new content by path, which has one character for each byte. */
async function readContents(output: Promise<Result<Uint8Array>>): Promise<Result<Map<string, string>>> {
  const said = await output;
  if (!said.ok) return said;
  const parts = nulParts(said.value)?.map((part) => Buffer.from(part).toString("latin1"));
  if (parts === undefined || parts.length % 2 === 1) return brokenAnswer("a list is cut off");
  const contents = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2) {
    const id = /^:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) [A-Z]\d*$/.exec(parts[at] ?? "")?.[1];
    if (id === undefined) return brokenAnswer("a change has no id");
    contents.set(parts[at + 1] ?? "", id);
  }
  return ok(contents);
}

function spelled(path: string): string {
  const text = textOrNull(Buffer.from(path, "latin1"));
  return text === null ? JSON.stringify(path) : spellWorkspacePath(text as WorkspacePath);
}
