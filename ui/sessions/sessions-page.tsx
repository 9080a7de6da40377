// The sessions: what each one did, what it was granted, and a way to revoke that.

import { useState } from "preact/hooks";
import type { RememberedRow, SessionRow, SessionsView } from "../../src/web/api.ts";
import { useLive } from "../live.ts";
import { agoText, countText, momentText } from "../log/time-text.ts";
import { useResource } from "../resource.ts";
import { linkTo } from "../route.ts";
import { T } from "../text.tsx";
import { RememberedList } from "./remembered-list.tsx";
import "./sessions.css";

const SHOWN = 30;

export function SessionsPage() {
  const { state } = useLive();
  const [revoked, setRevoked] = useState<readonly string[]>([]);
  const [shown, setShown] = useState(SHOWN);
  const version = `${state?.version ?? ""} ${state?.lastSeq ?? ""} ${revoked.length}`;
  const { value, error } = useResource<SessionsView>("/api/sessions", version);
  const onRevoked = ({ scope, id }: RememberedRow) => {
    setRevoked([...revoked, `${scope} ${id}`]);
    // The pressed button is gone, so the focus moves to the beginning of the view.
    document.getElementById("main")?.focus({ preventScroll: true });
  };
  const held = (rows: readonly RememberedRow[]) => rows.filter(({ scope, id }) => !revoked.includes(`${scope} ${id}`));
  const sessions = value?.sessions ?? [];
  const remembered = held(value?.remembered ?? []);
  return (
    <>
      <div class="page-head">
        <h1>Sessions</h1>
        <p class="quiet" role="status">
          {revoked.length > 0
            ? "Revoked. It counts from the next call on."
            : value !== null && `${countText(sessions.length)} in the record`}
        </p>
      </div>
      {error !== null && (
        <p class="notice is-high" role="alert">
          {error.message}
        </p>
      )}
      {value !== null && (
        <section class="panel" aria-labelledby="remembered-title">
          <h2 class="panel-title" id="remembered-title">
            Remembered beyond one session
          </h2>
          {remembered.length === 0 ? (
            <p class="panel-body quiet">
              Nothing. An answer “for this project” or “everywhere” would stand here until you take it back.
            </p>
          ) : (
            <RememberedList rows={remembered} label="Remembered beyond one session" onRevoked={onRevoked} />
          )}
        </section>
      )}
      {value !== null && sessions.length === 0 && <p class="quiet sessions-none">No agent has called yet.</p>}
      <div class="sessions">
        {sessions.slice(0, shown).map((session) => (
          <SessionPanel
            key={`${session.name} ${session.agent}`}
            session={session}
            answers={held(session.answers)}
            onRevoked={onRevoked}
          />
        ))}
      </div>
      {sessions.length > shown && (
        <button class="button" type="button" onClick={() => setShown(shown + SHOWN)}>
          Show {Math.min(SHOWN, sessions.length - shown)} more of {countText(sessions.length - shown)}
        </button>
      )}
    </>
  );
}

interface SessionPanelProps {
  readonly session: SessionRow;
  readonly answers: readonly RememberedRow[];
  readonly onRevoked: (row: RememberedRow) => void;
}

function SessionPanel({ session, answers, onRevoked }: SessionPanelProps) {
  const { name, agent, calls, refused, first, last } = session;
  const now = Date.now();
  const link = `${linkTo.log()}?${new URLSearchParams({ session: name }).toString()}`;
  return (
    <section class="panel session">
      <div class="panel-body session-head">
        <h2>
          <T text={name} maxLength={100} />
        </h2>
        <dl class="session-facts">
          <div>
            <dt>agent</dt>
            <dd>
              <T text={agent} maxLength={60} />
            </dd>
          </div>
          <div>
            <dt>calls</dt>
            <dd>
              <a href={link}>{countText(calls)}</a>
            </dd>
          </div>
          <div>
            <dt>refused</dt>
            <dd>{refused === 0 ? "0" : <a href={`${link}&event=tool.call.denied`}>{countText(refused)}</a>}</dd>
          </div>
          <div>
            <dt>first</dt>
            <dd>
              <time dateTime={first}>{momentText(first, now)}</time>
            </dd>
          </div>
          <div>
            <dt>last</dt>
            <dd>
              <time dateTime={last}>{agoText(last, now)}</time>
            </dd>
          </div>
        </dl>
      </div>
      {answers.length > 0 && <RememberedList rows={answers} label="Granted in this session" onRevoked={onRevoked} />}
    </section>
  );
}
