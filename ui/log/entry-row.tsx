// One line of the timeline: the time, the event, the tool, a summary, and the agent and session.

import type { LogRow } from "../../src/web/api.ts";
import { linkTo } from "../route.ts";
import { SeverityBadge } from "../severity.tsx";
import { shown, T } from "../text.tsx";
import { wordsOf } from "./event-words.ts";
import { clockText } from "./time-text.ts";
import type { Thread } from "./timeline.ts";

export interface EntryRowProps {
  readonly row: LogRow;
  readonly thread: Thread;
}

export function EntryRow({ row, thread }: EntryRowProps) {
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
          <T text={row.summary} maxLength={400} />
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
