// A session whose repository or commits are hostile, and what must hold of staging them and of `changes`.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Changer, newChanger } from "../fixtures/changed-session.ts";

export interface Hostile {
  readonly name: string;
  /** Runs in the draft, after two commits that change a.txt and add b.txt. */
  readonly script: string;
  /** What git itself says of such a repository, and of no healthy one. */
  readonly plain: RegExp;
  /** Null if the commits can still be staged. */
  readonly refused: RegExp | null;
}

// The object that a commit needs, as a loose file.
export const loose = `id=$(git rev-parse HEAD:b.txt); file=.git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-)`;

export const marker = ({ home }: Changer) => join(home, "marker");

export function refusal(person: Changer): string {
  const { out } = person.run(["call", "git_stage", '{"commits": "all"}', "--session", "fix"]);
  const reply = JSON.parse(out) as { ok: boolean; error?: string; message?: string };
  return reply.ok ? "" : `${reply.error}: ${reply.message}`;
}

/** What plain git says in the place of the session. */
export function plainGit(person: Changer): string {
  const script = `ended() { echo "$1 ended with $?"; }
    timeout 10 git fsck --full 2>&1; timeout 10 git show --stat HEAD 2>&1; git count-objects -v 2>&1
    git ls-tree -r HEAD 2>&1 | head -n 100; timeout 3 git cat-file -p HEAD:b.txt 2>&1; ended cat-file`;
  const { out } = person.run(["call", "Bash", JSON.stringify({ script }), "--session", "fix"]);
  return (JSON.parse(out) as { result: { stdout: string } }).result.stdout;
}

export function beginSession(t: TestContext): Changer {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash(
    "fix",
    // Whatever else is broken, git would run this where it works on the repository.
    `git config core.fsmonitor 'touch ${marker(person)}'; git config gc.auto 0; echo two >> a.txt; git commit -qam first; echo b > b.txt; git add b.txt; git commit -qm second`,
  );
  return person;
}

export function checkHostile(t: TestContext, { script, plain, refused }: Hostile): void {
  const person = beginSession(t);
  person.bash("fix", script);
  assert.match(plainGit(person), plain, "the control: git itself notices it");
  const before = person.git("for-each-ref") + person.git("count-objects", "-v");
  const answer = refusal(person);
  if (refused === null) assert.equal(answer, "");
  else assert.match(answer, refused);
  for (const words of [
    ["list"],
    ["diff", "fix"],
    ["land", "fix", "--commits", "--yes"],
    ["export", "fix", "--bundle", "b"],
  ]) {
    const done = person.changes(...words);
    assert.ok([0, 1].includes(done.code ?? -1), `${words.join(" ")}: ${done.code} ${done.err}`);
    assert.doesNotMatch(done.err, /\bat .*\.ts:\d+|Error:/, "a refusal, and not a fault");
  }
  person.git("fsck", "--strict", "--full");
  if (refused !== null) assert.equal(person.git("for-each-ref") + person.git("count-objects", "-v"), before);
  const fine = spawnSync("git", ["-C", person.project, "status", "--porcelain", "--ignored"], { encoding: "utf8" });
  assert.doesNotMatch(fine.stdout, /huge|x\//);
  assert.equal(existsSync(marker(person)), false, "nothing of the session's settings ran outside");
}
