// What came of a landing.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { LandingEnd, LandingView } from "../../src/web/api-changes.ts";
import { displayName } from "../../src/shared/odd-name.ts";
import { ConflictSides } from "../problem.tsx";
import { linkTo } from "../route.ts";
import { T } from "../text.tsx";
import { Paths } from "./merge-head.tsx";
import { counted } from "./session-facts.tsx";

export function EndPanel({ view, end }: { readonly view: LandingView; readonly end: LandingEnd }) {
  const link = useRef<HTMLAnchorElement>(null);
  // The pressed button is gone, so the focus moves on.
  useLayoutEffect(() => link.current?.focus(), []);
  const isLanded = end.state === "landed";
  return (
    <section class={`answer panel ${isLanded ? "is-yes" : "is-no"}`} aria-labelledby="answer-title" role="status">
      <h2 id="answer-title" class="panel-title">
        {{ landed: "Landed", left: "Left as it is", failed: "Nothing has landed" }[end.state]}
      </h2>
      <div class="panel-body">
        {end.state === "left" && <p>The session keeps it.</p>}
        {end.state === "failed" && (
          <>
            <p class="problem">
              <T text={end.message} />
            </p>
            {end.hint !== undefined && (
              <p class="problem-hint">
                <T text={end.hint} />
              </p>
            )}
            {end.conflict !== undefined && <ConflictSides conflict={end.conflict} />}
          </>
        )}
        {end.state === "landed" && <LandedText end={end} />}
        <div class="button-row">
          <a ref={link} class="button is-main" href={isLanded ? linkTo.changes() : linkTo.session(view.draft)}>
            {isLanded ? "Back to the list" : "Back to the changes"}
          </a>
        </div>
      </div>
    </section>
  );
}

function LandedText({ end }: { readonly end: Extract<LandingEnd, { state: "landed" }> }) {
  const { files, commit, place, conflicts, left, notes } = end;
  return (
    <>
      <p>
        {counted(files, "file")} {commit === null ? "written into" : "landed in"} <T text={place} maxLength={400} />
        {commit === null ? ". Nothing is committed." : "."}
      </p>
      {commit !== null && (
        <p>
          {commit.count === 1 ? "Commit" : `${commit.count} commits, the last`}{" "}
          <span class="mono">
            <T text={commit.id.slice(0, 12)} />
          </span>{" "}
          on{" "}
          <span class="mono">
            <T text={commit.branch} maxLength={250} />
          </span>
          .
        </p>
      )}
      {conflicts.length > 0 && (
        <div>
          With conflict marks:
          <Paths paths={conflicts} />
        </div>
      )}
      {left.map(({ path, why }) => (
        <p key={path} class="notice is-medium">
          <T text={displayName(path)} maxLength={1_000} /> was left as it is: <T text={why} maxLength={500} />
        </p>
      ))}
      {notes.map((note) => (
        <p key={note} class="notice is-medium">
          <T text={note} />
        </p>
      ))}
    </>
  );
}
