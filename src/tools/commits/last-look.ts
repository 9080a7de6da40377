// What a person has seen of the last push of the same work: the same session, to the same branch. The next one says which files are as
// they were then. It changes nothing about what has to be looked at before a yes.

import type { DiffFile } from "../../action/diff-file.ts";
import type { SessionCommits } from "../../git/publish/push/session-commits.ts";
import type { LookedTarget } from "../../git/staged.ts";
import type { TargetState } from "../../git/target/target.ts";

export class LastLook {
  readonly #commits: SessionCommits;
  readonly #target: LookedTarget;

  constructor(commits: SessionCommits, { address, branch }: TargetState) {
    this.#commits = commits;
    this.#target = { place: address, branch };
  }

  compare(diff: readonly DiffFile[]): readonly DiffFile[] {
    const { staged, session } = this.#commits;
    const seen = staged.looked(session, this.#target);
    if (seen === null) return diff;
    return diff.map((file) => ({ ...file, since: seen.has(this.#key(file)) ? "same" : "changed" }));
  }

  /** A person has answered about these. */
  note(diff: readonly DiffFile[]): void {
    const { staged, session } = this.#commits;
    staged.noteLooked(
      session,
      this.#target,
      diff.map((file) => this.#key(file)),
    );
  }

  #key({ path, oldId, newId, oldMode, newMode }: DiffFile): string {
    const text = JSON.stringify([path, oldId, newId, oldMode, newMode]);
    // SECURITY(T29): the agent chooses both contents, so a part of the hash could be made equal.
    return this.#commits.hashes.hex("sha256", text);
  }
}
