// Exactly what would land, and the person's yes or no to it.
// Invariant: no yes without what matters on the screen, as for a question; no single key says it.

import { useRef, useState } from "preact/hooks";
import { nameUnseen, unseenThatMatters } from "../../src/action/review-duty.ts";
import type { LandingAnswer, LandingView } from "../../src/web/api-changes.ts";
import { type ApiError, post } from "../client.ts";
import { OnlyAll } from "../devices/own-allowance.tsx";
import { useKeys } from "../keys.ts";
import { ErrorText, Problem } from "../problem.tsx";
import { AnswerBar } from "../question/answer-bar.tsx";
import { Held } from "../question/answer-panel.tsx";
import { useArmed } from "../question/armed.ts";
import { Changes, unseenText } from "../question/changes.tsx";
import { PushHead } from "../question/push-head.tsx";
import { useSeen } from "../question/question-page.tsx";
import { Warnings } from "../question/warnings.tsx";
import { errorOf, useResource } from "../resource.ts";
import { goTo, linkTo } from "../route.ts";
import { T } from "../text.tsx";
import { EndPanel } from "./landing-end.tsx";
import { MergeHead } from "./merge-head.tsx";
import { counted } from "./session-facts.tsx";
import "../question/question.css";
import "./unlanded.css";

export function LandingPage({ id }: { readonly id: string }) {
  const path = `/api/landings/${encodeURIComponent(id)}`;
  const [asked, setAsked] = useState(0);
  const { value, error } = useResource<LandingView>(path, String(asked));
  const [answered, setAnswered] = useState<LandingView | null>(null);
  const view = answered ?? value;
  const back = view === null ? linkTo.changes() : linkTo.session(view.draft);
  useKeys("Landing", [{ key: "Escape", label: "Back", run: () => goTo(back) }]);
  return (
    <>
      <nav class="way" aria-label="Changes">
        <a href={back}>← Back to the changes</a>
      </nav>
      {error !== null && <Problem error={error} />}
      {view !== null && (
        <Landing view={view} path={path} onAnswered={setAnswered} onStale={() => setAsked(asked + 1)} />
      )}
    </>
  );
}

interface LandingProps {
  readonly view: LandingView;
  readonly path: string;
  readonly onAnswered: (view: LandingView) => void;
  readonly onStale: () => void;
}

function Landing(props: LandingProps) {
  const { view, path } = props;
  const { seen, onSeen } = useSeen(view.digest);
  const total = view.view.length;
  return (
    <article class={`question${total > 0 ? " is-push" : ""}`}>
      <header class="question-head">
        <div class="question-marks">
          <span class="badge">{view.how === "branch" ? "onto a branch" : "into the files"}</span>
          <span>
            session <T text={view.session} maxLength={80} /> of <T text={view.agent} maxLength={80} />
          </span>
        </div>
        <h1 class="question-title is-prose">{titleOf(view)}</h1>
      </header>
      <div class="question-body">
        <Warnings warnings={view.warnings} />
        {view.push === null ? <MergeHead view={view} /> : <PushHead push={view.push} />}
      </div>
      {view.view.length > 0 && (
        <>
          <div class="question-changes">
            <Changes key={view.digest} at={path} files={view.view} seen={seen} onSeen={onSeen} />
          </div>
          <AnswerBar left={total - seen.size} total={total} over={view.end === null ? null : "It is decided"} />
        </>
      )}
      <div class="question-side">
        {view.end === null ? (
          <OnlyAll>
            <DecidePanel {...props} seen={seen} />
          </OnlyAll>
        ) : (
          <EndPanel view={view} end={view.end} />
        )}
      </div>
    </article>
  );
}

function titleOf({ push, project }: LandingView) {
  if (push === null)
    return (
      <>
        Write into <T text={project ?? ""} maxLength={300} />
      </>
    );
  const commits = push.commits?.length ?? 1;
  return (
    <>
      Land {counted(commits, "commit")} on <T text={push.branch} maxLength={200} />
    </>
  );
}

function DecidePanel({ view, path, seen, onAnswered, onStale }: LandingProps & { readonly seen: ReadonlySet<number> }) {
  const [error, setError] = useState<ApiError | null>(null);
  const [isSending, setIsSending] = useState(false);
  const [isUnseenSaid, setIsUnseenSaid] = useState(false);
  const yes = useRef<HTMLButtonElement>(null);
  const grave = unseenThatMatters(view.view.map((file, n) => ({ file, isSeen: seen.has(n) })));
  const canLand = (grave.length === 0 || isUnseenSaid) && view.view.length > 0;
  const isArmed = useArmed(`${view.digest} ${canLand}`);
  useKeys("Answer", [{ key: "a", label: "Go to the yes", run: () => yes.current?.focus() }]);
  const send = (decision: LandingAnswer["decision"]) => (event: Event) => {
    if (!isArmed(event) || isSending) return;
    setIsSending(true);
    setError(null);
    const body: LandingAnswer = { decision, digest: view.digest };
    post<LandingView>(`${path}/answer`, body)
      .then(onAnswered, (thrown: unknown) => {
        const problem = errorOf(thrown);
        setError(problem);
        if (problem.status === 409 || problem.status === 404) onStale();
      })
      .finally(() => setIsSending(false));
  };
  return (
    <section class="answer panel" aria-labelledby="answer-title" data-sending={isSending}>
      <h2 id="answer-title" class="panel-title">
        Your answer
      </h2>
      <div class="panel-body">
        {view.view.length > 0 && seen.size < view.view.length && (
          <p class="answer-caution">{unseenText(view.view, seen)}</p>
        )}
        {grave.length > 0 && <Held what={nameUnseen(grave)} isSaid={isUnseenSaid} onSaid={setIsUnseenSaid} />}
        {view.view.length === 0 && <p>Nothing of it can be written.</p>}
        {canLand && (
          <button ref={yes} type="button" class="button is-main" data-allow onClick={send("allow")}>
            {yesText(view)}
          </button>
        )}
        <button type="button" class="button is-no" onClick={send("deny")}>
          Leave it
        </button>
        {isSending && <p role="status">Sending…</p>}
        {error !== null && (
          <div role="alert">
            <ErrorText error={error} />
          </div>
        )}
      </div>
    </section>
  );
}

function yesText({ push }: LandingView): string {
  if (push === null) return "Write it into the project";
  const commits = push.commits?.length ?? 1;
  return commits === 1 ? "Land this commit" : `Land these ${commits} commits`;
}
