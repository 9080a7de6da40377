// One line of the timeline: the time, the event, the tool, a summary, and the agent and session.

import type { ComponentChildren } from "preact";
import type { LogRow } from "../../src/web/api.ts";
import { linkTo } from "../route.ts";
import { SeverityBadge } from "../severity.tsx";
import { shown, T } from "../text.tsx";
import { wordsOf } from "./event-words.ts";
import { clockText } from "./time-text.ts";
import type { Thread } from "./timeline.ts";

/** The text, with what was searched for marked. */
function Found({ text, query }: { readonly text: string; readonly query: string }) {
  const safe = shown(text, { maxLength: 400 });
  const small = query.trim().toLowerCase();
  const lower = safe.toLowerCase();
  // Some letters change their length in lower case: then nothing is marked.
  if (small === "" || lower.length !== safe.length || !lower.includes(small)) return <bdi>{safe}</bdi>;
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (let at = lower.indexOf(small); at >= 0; at = lower.indexOf(small, from)) {
    parts.push(safe.slice(from, at), <mark key={at}>{safe.slice(at, at + small.length)}</mark>);
    from = at + small.length;
  }
  return (
    <bdi>
      {parts}
      {safe.slice(from)}
    </bdi>
  );
}

export interface EntryRowProps {
  readonly row: LogRow;
  readonly thread: Thread;
  /** The text that was searched for; "" if none was. */
  readonly query: string;
}

export function EntryRow({ row, thread, query }: EntryRowProps) {
  const { label, tone } = wordsOf(row.event);
  const style = `entry is-${tone}${thread.above ? " has-above" : ""}${thread.below ? " has-below" : ""}`;
  const words = (
    <>
      <time class="entry-time" dateTime={row.time}>
        {clockText(row.time)}
      </time>
      <span class="entry-event">{shown(label, { maxLength: 40 })}</span>
      <span class="entry-tool">
        <T text={row.tool ?? ""} maxLength={60} />
      </span>
      <span class="entry-summary">
        <span class="entry-words">
          {row.found !== undefined && (
            <span class="entry-found">
              <Found text={row.found} query={query} /> ·{" "}
            </span>
          )}
          <Found text={row.summary} query={query} />
        </span>
        {row.severity !== undefined && <SeverityBadge severity={row.severity} />}
      </span>
      <span class="entry-who">
        <T text={row.agent ?? ""} maxLength={60} />
      </span>
    </>
  );
  return row.call_id === null ? (
    <div class={style}>{words}</div>
  ) : (
    <a class={style} href={linkTo.call(row.call_id)} data-row-focus>
      {words}
    </a>
  );
}
