// What is known of a session's work before its diff: how much it is, whose, where, and how far the project has gone on.

import { sizeText } from "../../src/action/diff-facts.ts";
import type { SessionChanges } from "../../src/runtime/session-changes.ts";
import { T } from "../text.tsx";

export function SessionMarks({ row }: { readonly row: SessionChanges }) {
  const { files, added, removed, use, problem } = row;
  return (
    <>
      {use === "running" && <span class="badge is-medium">at work</span>}
      {use === "open" && <span class="badge is-low">open</span>}
      {problem !== null && <span class="badge is-high">cannot be read</span>}
      {files !== null && <span class="badge">{files === 1 ? "1 file" : `${files} files`}</span>}
      {added !== null && removed !== null && (
        <span class="counts">
          <span class="is-added">+{added}</span> <span class="is-removed">−{removed}</span>
        </span>
      )}
    </>
  );
}

export function SessionFacts({ row }: { readonly row: SessionChanges }) {
  const { agent, project, commits, behind, bytes } = row;
  return (
    <span class="queue-facts">
      <span>
        <T text={agent} maxLength={80} />
      </span>
      <span class="queue-project">{project === null ? "in memory" : <T text={project} maxLength={200} />}</span>
      {commits !== null && commits > 0 && <span>{counted(commits, "commit")} inside</span>}
      {behind !== null && <span>{behindText(behind)}</span>}
      <span>{sizeText(bytes)}</span>
    </span>
  );
}

/** `the project has 2 commits, 1 file since`. */
export function behindText({ commits, files, rewritten }: NonNullable<SessionChanges["behind"]>): string {
  const parts = [
    ...(rewritten ? ["other history"] : commits > 0 ? [counted(commits, "commit")] : []),
    ...(files > 0 ? [counted(files, "file")] : []),
  ];
  return `the project has ${parts.join(", ")} since`;
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
