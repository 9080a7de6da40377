// How the gate asks the git of a draft, and what git answers to it.
// Invariant: the agent can write everything that this git reads. An answer that is not in the expected form is a failure.

import { fail, ok, type Result } from "../../shared/result.ts";
import type { ObjectId } from "../publish/object.ts";

export interface DraftGit {
  /**
   * The complete output of a git that runs in the draft's box, at the root of its work tree, with inert configuration. Fails if git
   * does not end with 0, or says more than a limit. The words may begin with options of git itself.
   */
  read(words: readonly string[], stdin: string): Promise<Result<Uint8Array>>;
}

export interface BatchObject {
  readonly id: ObjectId;
  readonly type: string;
  readonly content: Uint8Array;
}

const LF = 0x0a;
// No header of an object is longer. Git repeats the name of a missing object, which is longer.
const MOST_DIGITS = 15;
const objectHead = new RegExp(`^([0-9a-f]{40}|[0-9a-f]{64}) (blob|tree|commit|tag) (\\d{1,${MOST_DIGITS}})$`);
// Names of files that are not UTF-8 are left out, not changed.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function brokenAnswer(what: string): Result<never> {
  return fail("tool_failed", `The draft's git gave an answer that cannot be right: ${what}.`, {
    hint: "git fsck in the workspace may say what is broken.",
  });
}

/** Null if the bytes are not UTF-8. */
export function textOrNull(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** The parts of an output in which each part ends with NUL; null if the last one does not. */
export function nulParts(output: Uint8Array): Uint8Array[] | null {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0, at);
    if (end < 0) return null;
    parts.push(output.subarray(at, end));
    at = end + 1;
  }
  return parts;
}

/** The objects in the order of their names, null for a missing one. No name may contain a line feed. One process reads them all. */
export async function readBatch(git: DraftGit, names: readonly string[]): Promise<Result<(BatchObject | null)[]>> {
  if (names.length === 0) return ok([]);
  const output = await git.read(["cat-file", "--batch"], names.map((name) => `${name}\n`).join(""));
  return output.ok ? parseBatch(output.value, names) : output;
}

function parseBatch(output: Uint8Array, names: readonly string[]): Result<(BatchObject | null)[]> {
  const objects: (BatchObject | null)[] = [];
  let at = 0;
  for (const name of names) {
    const end = output.indexOf(LF, at);
    const head = end < 0 ? null : textOrNull(output.subarray(at, end));
    if (head === null) return brokenAnswer("it has fewer objects than were asked for");
    at = end + 1;
    // Newer versions of git say which objects belong to a submodule.
    if (head === `${name} missing` || head === `${name} submodule`) {
      objects.push(null);
      continue;
    }
    const [, id = "", type = "", size] = objectHead.exec(head) ?? [];
    if (size === undefined) return brokenAnswer("an object has no header");
    const behind = at + Number(size);
    if (behind >= output.length || output[behind] !== LF) return brokenAnswer("an object is cut off");
    objects.push({ id, type, content: output.subarray(at, behind) });
    at = behind + 1;
  }
  return at === output.length ? ok(objects) : brokenAnswer("it has more objects than were asked for");
}
