// One complete question: what the agent wants, why the gate asks, and the answer. It follows changes made by others.
// Invariant: an answer is about what is on the screen. If the question changes, the page says so first.

import { useEffect, useRef, useState } from "preact/hooks";
import { nameUnseen, unseenThatMatters } from "../../src/action/review-duty.ts";
import type { AnswerUse } from "../../src/approval/answer-use.ts";
import type { ReviewComment } from "../../src/approval/review-comments.ts";
import { limits } from "../../src/shared/limits.ts";
import type { AnswerTaken, QuestionView, QueueView } from "../../src/web/api.ts";
import { useKeys } from "../keys.ts";
import { useLive } from "../live.ts";
import { Problem } from "../problem.tsx";
import { useResource } from "../resource.ts";
import { Limit } from "../devices/own-allowance.tsx";
import { goTo, linkTo } from "../route.ts";
import { SeverityBadge } from "../severity.tsx";
import { shown, T } from "../text.tsx";
import { Age, OpenFor } from "../time.tsx";
import { AnswerBar } from "./answer-bar.tsx";
import { AnswerPanel } from "./answer-panel.tsx";
import { Changes, unseenText } from "./changes.tsx";
import { CommentDialog, type LinePlace } from "./comment-dialog.tsx";
import { GonePanel } from "./gone-panel.tsx";
import { PushHead } from "./push-head.tsx";
import { HEADING_CHARACTERS, QuestionBody } from "./question-body.tsx";
import { ResultPanel } from "./result-panel.tsx";
import { Told } from "./told.tsx";
import { neighbours, Way } from "./way.tsx";
import "./question.css";

export interface QuestionPageProps {
  readonly id: string;
  /** True inside a view that goes on by itself after the answer: then there is no way to other questions. */
  readonly isInside?: boolean;
}

export function QuestionPage({ id, isInside = false }: QuestionPageProps) {
  const { state } = useLive();
  const [asked, setAsked] = useState(0);
  const version = `${state?.version ?? ""} ${asked}`;
  const { value, error } = useResource<QuestionView>(`/api/questions/${encodeURIComponent(id)}`, version);
  const queue = useResource<QueueView>("/api/queue", version).value;
  const [answered, setAnswered] = useState<AnswerTaken | null>(null);
  const [isSending, setIsSending] = useState(false);
  const near = neighbours(queue, id);
  const ways = [
    { key: "Escape", label: "Back to the queue", run: () => goTo(linkTo.queue()) },
    { key: "]", label: "Next question", run: () => near.next !== null && goTo(linkTo.question(near.next)) },
    { key: "[", label: "Previous question", run: () => near.previous !== null && goTo(linkTo.question(near.previous)) },
  ];
  useKeys("Question", isInside ? [] : ways);
  const isGone = error?.status === 404;
  if (value === null)
    return (
      <>
        {!isInside && <Way near={near} />}
        {isGone ? <Gone id={id} next={near.next} /> : error !== null && <Problem error={error} />}
      </>
    );
  return (
    <>
      {!isInside && <Way near={near} />}
      <Question
        question={value}
        isInside={isInside}
        answered={answered}
        isSending={isSending}
        isGone={isGone}
        next={near.next ?? near.previous}
        onAnswered={setAnswered}
        onSending={setIsSending}
        onStale={() => setAsked((count) => count + 1)}
      />
    </>
  );
}

/** Of a push the title names the target and the branch, so it is whole. */
const TITLE_CHARACTERS = 20_000;

interface QuestionProps {
  readonly question: QuestionView;
  readonly isInside: boolean;
  readonly answered: AnswerTaken | null;
  /** True while this page sends an answer. An answer reported meanwhile may be its own, which its reply describes. */
  readonly isSending: boolean;
  readonly isGone: boolean;
  readonly next: string | null;
  readonly onAnswered: (answered: AnswerTaken) => void;
  readonly onSending: (isSending: boolean) => void;
  readonly onStale: () => void;
}

function Question(props: QuestionProps) {
  const { question, answered, isGone } = props;
  const changes = useChanges(question.digest);
  const { seen, onSeen } = useSeen(question.digest);
  const { comments, onComments } = useComments(question.digest);
  const [place, setPlace] = useState<LinePlace | null>(null);
  const total = question.files.length;
  const caution = total === 0 || seen.size >= total ? null : unseenText(question.files, seen);
  const grave = unseenThatMatters(question.files.map((file, n) => ({ file, isSeen: seen.has(n) })));
  const held = grave.length === 0 ? null : nameUnseen(grave);
  const changed = changes > 0 && (
    <p class="notice is-high is-loud" role="alert">
      <strong>This question has changed</strong> while you looked at it. Read it again before you answer.
    </p>
  );
  return (
    <article class={`question${total > 0 ? " is-push" : ""}`}>
      <header class="question-head">
        <div class="question-marks">
          <SeverityBadge severity={question.severity} />
          <span>
            <T text={question.agent} maxLength={80} /> asks
          </span>
          <span class="quiet">
            <Age time={question.asked} />
            {question.answered === null && answered === null && !isGone && (
              <>
                {" · "}
                <OpenFor until={question.expires} isAwaited={question.awaited} />
              </>
            )}
          </span>
        </div>
        <h1 class="question-title">
          <T text={question.title} maxLength={question.action === null ? HEADING_CHARACTERS : TITLE_CHARACTERS} />
        </h1>
        <p class="quiet question-from">
          <T text={question.tool} maxLength={80} /> in <T text={question.project} maxLength={400} />, session{" "}
          <span title={shown(question.session)}>
            <T text={question.sessionName} maxLength={80} />
          </span>
          {question.client !== undefined && (
            <>
              , asked by <T text={question.client} maxLength={100} /> as it calls itself
            </>
          )}
        </p>
        {question.told !== undefined && <Told told={question.told} />}
      </header>
      <div class="question-body">
        {question.action === null ? <QuestionBody question={question} /> : <PushHead push={question.action} isTitled />}
      </div>
      {total > 0 && (
        <>
          <div class="question-changes">
            <Changes
              key={question.digest}
              at={`/api/questions/${encodeURIComponent(question.id)}`}
              files={question.files}
              seen={seen}
              onSeen={onSeen}
              onComment={setPlace}
            />
          </div>
          <AnswerBar left={total - seen.size} total={total} comments={comments.length} over={overText(props)}>
            {changed}
          </AnswerBar>
        </>
      )}
      <div class="question-side">
        {total === 0 && changed}
        {question.action !== null &&
          [...new Set(question.because)].map((reason) => (
            <p key={reason} class="quiet push-reason">
              Asked: <T text={reason} maxLength={400_000} />
            </p>
          ))}
        <Answer {...props} {...{ caution, held, comments, onComments }} />
      </div>
      {place !== null && overText(props) === null && comments.length < limits.reviewComments && (
        <CommentDialog
          place={place}
          onAdd={(comment) => onComments([...comments, comment])}
          onClose={() => setPlace(null)}
        />
      )}
    </article>
  );
}

/** Null while it can be answered here. */
function overText({ question, answered, isSending, isGone }: QuestionProps): string | null {
  if (answered !== null || (question.answered !== null && !isSending)) return "It is answered";
  return isGone && !isSending ? "It does not wait any more" : null;
}

interface AnswerProps extends QuestionProps {
  readonly caution: string | null;
  readonly held: string | null;
  readonly comments: readonly ReviewComment[];
  readonly onComments: (comments: readonly ReviewComment[]) => void;
}

function Answer(props: AnswerProps) {
  const { question, isInside, answered, isSending, isGone, next } = props;
  const { caution, held, comments, onComments, onAnswered, onSending, onStale } = props;
  const pickUp = latestPickUp(question, answered, isGone);
  if (answered !== null) return <ResultPanel {...answered} {...{ pickUp, next, isInside }} who={null} />;
  if (question.answered !== null && !isSending) {
    const { decision, scope, who, with: follows = null } = question.answered;
    const said = {
      decision: decision === "allow" ? "allow" : "deny",
      scope,
      who,
      follows,
      pickUp,
      next,
      isInside,
    } as const;
    return <ResultPanel {...said} note={null} />;
  }
  if (isGone && !isSending) return <GonePanel id={question.id} next={next} />;
  if (question.limit !== undefined) return <Limit text={question.limit} />;
  // A different digest is a different question, so nothing that was begun for the old one continues.
  const review = { caution, held, comments, onComments };
  return <AnswerPanel key={question.digest} {...{ question, ...review, onAnswered, onSending, onStale }} />;
}

/** A later state of the question replaces the state in the reply to the answer. */
function latestPickUp({ answered: stored }: QuestionView, answered: AnswerTaken | null, isGone: boolean): AnswerUse {
  const known = [stored?.pickUp, answered?.pickUp];
  const taken = known.find((one) => one?.state === "taken");
  if (taken !== undefined) return taken;
  return isGone ? { state: "over" } : (known.find((one) => one !== undefined) ?? { state: "awaited" });
}

/** How often the content of the question changed since it was opened. */
function useChanges(digest: string): number {
  const last = useRef(digest);
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    if (last.current === digest) return;
    last.current = digest;
    setChanges((count) => count + 1);
  }, [digest]);
  return changes;
}

/** Which files were on the screen. A change of the content resets it. */
export function useSeen(digest: string): { readonly seen: ReadonlySet<number>; readonly onSeen: (n: number) => void } {
  const [held, setHeld] = useState<{ readonly of: string; readonly seen: ReadonlySet<number> }>(() => ({
    of: digest,
    seen: new Set(),
  }));
  const seen = held.of === digest ? held.seen : new Set<number>();
  const onSeen = (n: number) =>
    setHeld((before) => {
      const known = before.of === digest ? before.seen : new Set<number>();
      return known.has(n) ? before : { of: digest, seen: new Set([...known, n]) };
    });
  return { seen, onSeen };
}

/** Comments on lines of what is shown. A change of the content takes them away: their lines may be others now. */
function useComments(digest: string) {
  const [held, setHeld] = useState<{ readonly of: string; readonly list: readonly ReviewComment[] }>({
    of: digest,
    list: [],
  });
  const onComments = (list: readonly ReviewComment[]) => setHeld({ of: digest, list });
  return { comments: held.of === digest ? held.list : [], onComments };
}

function Gone({ id, next }: { readonly id: string; readonly next: string | null }) {
  return (
    <div class="question-gone">
      <h1>This question does not wait any more</h1>
      <GonePanel id={id} next={next} />
    </div>
  );
}
