// What one session has not landed: its diff as it is now, and what a person can do about it.
// Invariant: what is decided about is what is on the screen. If the session goes on, the page shows that first.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ChangesView, SessionNow, UnlandedView } from "../../src/web/api-changes.ts";
import { useKeys } from "../keys.ts";
import { useLive } from "../live.ts";
import { Problem } from "../problem.tsx";
import { Warnings } from "../question/warnings.tsx";
import { useResource } from "../resource.ts";
import { goTo, linkTo } from "../route.ts";
import { T } from "../text.tsx";
import { Age } from "../time.tsx";
import { Changes } from "../question/changes.tsx";
import { QuestionItem } from "../queue/queue-row.tsx";
import { useSeen } from "../question/question-page.tsx";
import { OnlyAll } from "../devices/own-allowance.tsx";
import { LandPanel } from "./land-panel.tsx";
import { behindText, counted, SessionMarks } from "./session-facts.tsx";
import "../queue/queue.css";
import "../question/question.css";
import "./unlanded.css";

export function SessionChangesPage({ name }: { readonly name: string }) {
  const { state } = useLive();
  const [stale, setStale] = useState(0);
  const list = useResource<UnlandedView>("/api/changes", state?.changes).value;
  const row = list?.sessions.find(({ draft }) => draft === name);
  const version = `${row?.digest ?? ""} ${stale}`;
  const path = `/api/changes/${encodeURIComponent(name)}`;
  const { value, error } = useResource<ChangesView>(list === null ? null : path, version);
  useKeys("Changes", [{ key: "Escape", label: "Back to the list", run: () => goTo(linkTo.changes()) }]);
  return (
    <>
      <nav class="way" aria-label="Changes">
        <a href={linkTo.changes()}>← Changes</a>
      </nav>
      {error !== null && (error.status === 404 ? <Gone /> : <Problem error={error} />)}
      {value !== null && error?.status !== 404 && (
        <Session view={{ ...value, use: row?.use ?? value.use }} path={path} onStale={() => setStale(stale + 1)} />
      )}
    </>
  );
}

interface SessionProps {
  readonly view: ChangesView;
  readonly path: string;
  readonly onStale: () => void;
}

function Session({ view, path, onStale }: SessionProps) {
  const { digest } = view;
  const { seen, onSeen } = useSeen(digest);
  const hasChanged = useHasChanged(digest);
  return (
    <article class="question">
      <header class="question-head">
        <div class="question-marks">
          <SessionMarks row={view} />
          <span>
            <T text={view.agent} maxLength={80} />
          </span>
          <span class="quiet">
            <Age time={view.begun} />
          </span>
        </div>
        <h1 class="question-title is-prose">
          <T text={view.session} maxLength={300} />
        </h1>
        <p class="quiet question-from">
          {view.project === null ? "A workspace in memory" : <T text={view.project} maxLength={400} />}
          {view.behind !== null && `; ${behindText(view.behind)}`}
        </p>
      </header>
      <div class="question-side">
        {hasChanged && (
          <p class="notice is-high is-loud" role="alert">
            <strong>The session has gone on</strong> while you looked. This is what it has now.
          </p>
        )}
        <OnlyAll>
          <LandPanel view={view} path={path} onStale={onStale} />
        </OnlyAll>
      </div>
      <div class="question-body">
        <Warnings warnings={view.warnings} />
        <Now path={path} />
        {view.made.length > 0 && <MadeCommits made={view.made} count={view.commits ?? view.made.length} />}
      </div>
      <div class="question-changes">
        <Changes key={digest} at={`${path}@${digest}`} files={view.view} seen={seen} onSeen={onSeen} />
      </div>
    </article>
  );
}

/** What its programs reach, and what they wait for, while they run. */
function Now({ path }: { readonly path: string }) {
  const { state } = useLive();
  const { value } = useResource<SessionNow>(`${path}/now`, `${state?.lastSeq ?? ""} ${state?.version ?? ""}`);
  if (value === null) return null;
  const { hosts, questions } = value;
  return (
    <>
      {questions.length > 0 && (
        <section class="question-section">
          <h2>{questions.length === 1 ? "1 question waits" : `${questions.length} questions wait`}</h2>
          <ul class="list panel">
            {questions.map((row) => (
              <QuestionItem key={row.id} row={row} />
            ))}
          </ul>
        </section>
      )}
      {hosts.length > 0 && (
        <section class="question-section">
          <h2>Hosts</h2>
          <ul class="list panel made">
            {hosts.map(({ host, decision }) => (
              <li key={host}>
                <span class="mono">
                  <T text={host} maxLength={300} />
                </span>{" "}
                <span class="quiet">{hostText[decision]}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const hostText = { allow: "reached", deny: "refused", ask: "not let through: nobody answered in time" } as const;

function MadeCommits({ made, count }: { readonly made: ChangesView["made"]; readonly count: number }) {
  return (
    <section class="question-section">
      <h2>{counted(count, "commit")} made inside</h2>
      <ul class="list panel made">
        {made.map(({ id, message }) => (
          <li key={id}>
            <span class="mono quiet">
              <T text={id.slice(0, 12)} />
            </span>{" "}
            <T text={message.split("\n")[0] ?? ""} maxLength={300} />
          </li>
        ))}
      </ul>
      {count > made.length && <p class="quiet">These are the newest of them.</p>}
    </section>
  );
}

function Gone() {
  return (
    <div class="alone">
      <h1>Nothing of this session is left to land</h1>
      <p>It has landed, or was discarded. The log says which.</p>
      <p>
        <a href={linkTo.changes()}>Go to the changes</a>
      </p>
    </div>
  );
}

/** Whether the content is another one than when the view was opened. */
function useHasChanged(digest: string): boolean {
  const first = useRef(digest);
  const [has, setHas] = useState(false);
  useEffect(() => {
    if (first.current !== digest) setHas(true);
  }, [digest]);
  return has;
}
