// What sessions have not landed: one row for each session, and what was discarded within the last day.

import { useState } from "preact/hooks";
import type { DiscardedRow, UnlandedView } from "../../src/web/api-changes.ts";
import { type ApiError, post } from "../client.ts";
import { OwnLimit, useOwn } from "../devices/own-allowance.tsx";
import { useLive } from "../live.ts";
import { momentText } from "../log/time-text.ts";
import { ErrorText, Problem } from "../problem.tsx";
import { errorOf, useResource } from "../resource.ts";
import { linkTo } from "../route.ts";
import { shown, T } from "../text.tsx";
import { Age } from "../time.tsx";
import { SessionFacts, SessionMarks } from "./session-facts.tsx";
import { QueueGroup } from "../queue/queue-group.tsx";
import "../queue/queue.css";
import "./unlanded.css";

export function UnlandedPage() {
  const { state } = useLive();
  const [restored, setRestored] = useState(0);
  const { value, error } = useResource<UnlandedView>("/api/changes", `${state?.changes ?? ""} ${restored}`);
  return (
    <div class="queue">
      <div class="page-head">
        <h1>Changes</h1>
        {value !== null && !value.isComplete && (
          <p class="quiet" role="status">
            Looking into the sessions…
          </p>
        )}
      </div>
      {error !== null && <Problem error={error} />}
      {value !== null && <Rows view={value} />}
      {value !== null && value.discarded.length > 0 && <OwnLimit />}
      {value !== null && value.discarded.length > 0 && (
        <QueueGroup title="Discarded within the last day">
          {value.discarded.map((row) => (
            <Discarded key={`${row.name} ${row.discarded}`} row={row} onRestored={() => setRestored(restored + 1)} />
          ))}
        </QueueGroup>
      )}
    </div>
  );
}

function Rows({ view: { sessions, more, isComplete } }: { readonly view: UnlandedView }) {
  if (sessions.length === 0)
    return isComplete ? (
      <p class="quiet unlanded-none">
        No session has work that has not landed. What an agent changes in its draft appears here, with its diff, and
        waits until you land or discard it.
      </p>
    ) : null;
  const title = sessions.length === 1 ? "1 session has not landed" : `${sessions.length} sessions have not landed`;
  return (
    <>
      <QueueGroup title={title}>
        {sessions.map((row) => (
          <li key={row.draft}>
            <a class="queue-row" href={linkTo.session(row.draft)}>
              <span class="queue-title is-prose">
                <T text={row.session} maxLength={200} />
              </span>
              <span class="queue-marks">
                <SessionMarks row={row} />
              </span>
              <SessionFacts row={row} />
              <span class="queue-age">
                <Age time={row.begun} />
              </span>
            </a>
          </li>
        ))}
      </QueueGroup>
      {more > 0 && <p class="notice is-medium">{more} older ones were not looked at.</p>}
    </>
  );
}

function Discarded({ row, onRestored }: { readonly row: DiscardedRow; readonly onRestored: () => void }) {
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const isLimited = useOwn()?.limit !== undefined;
  const restore = () => {
    setIsBusy(true);
    setError(null);
    post(`/api/discarded/${encodeURIComponent(row.name)}/restore`, {})
      .then(onRestored, (thrown: unknown) => setError(errorOf(thrown)))
      .finally(() => setIsBusy(false));
  };
  return (
    <li class="discarded-row">
      <span class="discarded-name">
        <T text={row.session} maxLength={200} />
        <span class="quiet">
          {" "}
          of <T text={row.agent} maxLength={80} />, kept until {momentText(row.keptUntil, Date.now())}
        </span>
      </span>
      {isLimited || (
        <button
          type="button"
          class="button is-small"
          disabled={isBusy}
          aria-label={`Restore ${shown(row.session, { maxLength: 100 })}`}
          onClick={(event) => event.isTrusted && restore()}
        >
          Restore
        </button>
      )}
      {error !== null && (
        <div role="alert">
          <ErrorText error={error} />
        </div>
      )}
    </li>
  );
}
