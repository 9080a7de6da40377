// What waits for a person: questions first, then staged commits that no question is about.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { QueueView } from "../../src/web/api.ts";
import { Drawing } from "../drawing.tsx";
import { useKeys } from "../keys.ts";
import { useLive } from "../live.ts";
import { Problem } from "../problem.tsx";
import { useResource } from "../resource.ts";
import { routeQuery, useHash } from "../route.ts";
import { T } from "../text.tsx";
import { countFitting, countUnlisted, QuestionRows } from "./alike-rows.tsx";
import { choiceQuery, QueueFilterBar, readChoice } from "./queue-filter.tsx";
import { StagedItem } from "./queue-row.tsx";
import { QueueGroup } from "./queue-group.tsx";
import "./queue.css";

/** The row that the person opened last. When they return, they continue from there. */
let opened: string | null = null;

export function QueuePage() {
  const { state } = useLive();
  const choice = readChoice(routeQuery(useHash()));
  const query = choiceQuery(choice);
  const { value, error } = useResource<QueueView>(`/api/queue${query === "" ? "" : `?${query}`}`, state?.version);
  const view = useLast(value);
  const rows = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (value === null || opened === null) return;
    rowLinks(rows.current)
      .find((link) => link.getAttribute("href") === opened)
      ?.focus();
    opened = null;
  }, [value]);
  const move = (step: 1 | -1) => () => moveFocus(rows.current, step);
  useKeys("Queue", [
    { key: "j", label: "Next", run: move(1), repeats: true },
    { key: "k", label: "Previous", run: move(-1), repeats: true },
    { key: "ArrowDown", label: "Next", run: move(1), repeats: true },
    { key: "ArrowUp", label: "Previous", run: move(-1), repeats: true },
    { key: "Enter", label: "Open", run: () => firstRow(rows.current)?.click() },
  ]);
  return (
    <div ref={rows} class="queue" onClick={(event) => (opened = rowOf(event.target)?.getAttribute("href") ?? null)}>
      <div class="page-head">
        <h1>Queue</h1>
        {view !== null && isFilled(view) && <Keys />}
      </div>
      {error !== null && <Problem error={error} />}
      {view?.facets !== undefined && (waitingIn(view) >= FILTER_FROM || query !== "") && (
        <QueueFilterBar choice={choice} facets={view.facets} />
      )}
      {view !== null &&
        (isFilled(view) || waitingIn(view) > 0 ? <Rows view={view} /> : <Empty demo={view.demo ?? "sallyport demo"} />)}
    </div>
  );
}

/** With fewer questions a filter would only be in the way. */
const FILTER_FROM = 4;

/** While another list is loading, the last one stays. */
function useLast(value: QueueView | null): QueueView | null {
  const held = useRef<QueueView | null>(null);
  if (value !== null) held.current = value;
  return held.current;
}

function waitingIn(view: QueueView): number {
  return view.waiting ?? countFitting(view);
}

function Rows({ view }: { readonly view: QueueView }) {
  const { questions, staged } = view;
  const unlisted = countUnlisted(view);
  const [waiting, fitting] = [waitingIn(view), countFitting(view)];
  const title = waiting === 1 ? "1 question waits" : `${waiting} questions wait`;
  return (
    <>
      {fitting === 0 && waiting > 0 && <p class="notice">No question that waits fits this filter; {waiting} wait.</p>}
      {questions.length > 0 && (
        <QueueGroup title={fitting === waiting ? title : `${fitting} of ${title}`}>
          <QuestionRows view={view} />
        </QueueGroup>
      )}
      {unlisted > 0 && (
        <p class="notice is-medium">
          {unlisted} more wait and come here as these are answered. These are the first ones of each agent and session.
        </p>
      )}
      {staged.length > 0 && (
        <QueueGroup title={staged.length === 1 ? "1 staged commit" : `${staged.length} staged commits`}>
          {staged.map((row) => (
            <StagedItem key={row.id} row={row} />
          ))}
        </QueueGroup>
      )}
    </>
  );
}

function Keys() {
  return (
    <p class="queue-keys quiet">
      <kbd>j</kbd> <kbd>k</kbd> move <kbd>Enter</kbd> open <kbd>?</kbd> all keys
    </p>
  );
}

function Empty({ demo }: { readonly demo: string }) {
  return (
    <div class="queue-empty">
      <Drawing size={48}>
        <path d="M10 42V22a14 14 0 0 1 28 0v20M24 21v21M17 26v16M31 26v16M6 42h36" />
      </Drawing>
      <h2>Nothing waits for you</h2>
      <p>
        When an agent wants to do something that the rules ask about, the question appears here: what it wants, why it
        is asked, and what each answer will mean. Commits that an agent has staged appear here too, with their diff.
      </p>
      <p>
        To see one now, run{" "}
        <code>
          <T text={demo} maxLength={1_000} />
        </code>{" "}
        in another terminal.
      </p>
    </div>
  );
}

function isFilled({ questions, staged }: QueueView): boolean {
  return questions.length + staged.length > 0;
}

function rowLinks(within: HTMLElement | null): HTMLElement[] {
  return [...(within?.querySelectorAll<HTMLElement>("a.queue-row") ?? [])];
}

function rowOf(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest("a.queue-row") : null;
}

function firstRow(within: HTMLElement | null): HTMLElement | undefined {
  return rowLinks(within)[0];
}

function moveFocus(within: HTMLElement | null, step: 1 | -1): void {
  const links = rowLinks(within);
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (step === 1 ? 0 : links.length - 1) : Math.min(Math.max(at + step, 0), links.length - 1);
  links[next]?.focus();
}
