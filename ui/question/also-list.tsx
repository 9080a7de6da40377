// The other questions that an answer would answer as well, while its rules are edited.

import { useEffect, useState } from "preact/hooks";
import type { AlsoRequest, AlsoView, OfferView } from "../../src/web/api.ts";
import { post } from "../client.ts";
import { useLive } from "../live.ts";
import { linkTo } from "../route.ts";
import { T } from "../text.tsx";
import { alsoText } from "./offer-names.ts";

/** A person who types is not asked about each letter. */
const STILL_MS = 250;

export interface AlsoListProps {
  readonly question: string;
  readonly offer: OfferView;
  /** As edited, one rule a line. */
  readonly rules: readonly string[];
}

export function AlsoList({ question, offer: { decision, scope }, rules }: AlsoListProps) {
  const { state } = useLive();
  const [view, setView] = useState<AlsoView | null>(null);
  const lines = rules.join("\n");
  useEffect(() => {
    const newer = new AbortController();
    const timer = setTimeout(() => {
      const request: AlsoRequest = { decision, scope, rules };
      post<AlsoView>(`/api/questions/${encodeURIComponent(question)}/also`, request).then(
        (found) => void (newer.signal.aborted || setView(found)),
        () => void (newer.signal.aborted || setView(null)),
      );
    }, STILL_MS);
    return () => {
      clearTimeout(timer);
      newer.abort();
    };
  }, [question, decision, scope, lines, state?.version]);
  if (view === null || view.count === 0) return <p class="answer-also-list" aria-live="polite" />;
  const more = view.count - view.questions.length;
  return (
    <div class="answer-also-list" aria-live="polite">
      <p>
        <strong>{alsoText(view.count)}</strong>
      </p>
      <ul>
        {view.questions.map(({ id, title, session }) => (
          <li key={id}>
            <a href={linkTo.question(id)}>
              <T text={title} maxLength={200} />
            </a>{" "}
            <span class="quiet">
              session <T text={session} maxLength={60} />
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="quiet">and {more} more</p>}
    </div>
  );
}
