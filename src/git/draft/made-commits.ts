// Lists the commits that were made in a draft since its first one.

import { ok, type Result } from "../../shared/result.ts";
import type { ObjectId } from "../publish/object.ts";
import type { MadeCommits } from "../publish/push/compared-base.ts";
import { brokenAnswer, type DraftGit, nulParts, textOrNull } from "./draft-git.ts";

const MOST_LISTED = 20;
const MESSAGE_CHARACTERS = 120;

export async function madeCommits(git: DraftGit, base: ObjectId): Promise<Result<MadeCommits>> {
  // A branch without a commit has nothing to list, and is no error.
  const range = ["--ignore-missing", `^${base}`, "HEAD", "--"];
  const counted = await git.read(["rev-list", "--count", ...range], "");
  if (!counted.ok) return counted;
  const count = /^(\d{1,9})\n$/.exec(textOrNull(counted.value) ?? "")?.[1];
  if (count === undefined) return brokenAnswer("the number of commits is no number");
  if (Number(count) === 0) return ok({ count: 0, newest: [] });
  // For git, `-n` counts before `--reverse` does.
  const words = ["log", "-z", "--reverse", `-n${MOST_LISTED}`, "--encoding=UTF-8", "--no-show-signature"];
  const listed = await git.read([...words, "--format=tformat:%H%x00%s", ...range], "");
  if (!listed.ok) return listed;
  const parts = nulParts(listed.value);
  if (parts === null || parts.length !== 2 * Math.min(MOST_LISTED, Number(count)))
    return brokenAnswer("the list of commits is cut off");
  const texts = parts.map((part) => new TextDecoder().decode(part));
  const newest = [];
  for (let at = 0; at < texts.length; at += 2) {
    const [id = "", message = ""] = texts.slice(at, at + 2);
    if (id.length !== base.length || !/^[0-9a-f]+$/.test(id)) return brokenAnswer("a commit has no id");
    newest.push({ id, message: [...message].slice(0, MESSAGE_CHARACTERS).join("") });
  }
  return ok({ count: Number(count), newest });
}
