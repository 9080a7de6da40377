// One entry as a line of the timeline, alone or in its call: the time, the event, the tool, a summary, and the agent and session.

import type { LogRow } from "../../src/web/api.ts";
import { linkTo } from "../route.ts";
import { SeverityBadge } from "../severity.tsx";
import { shown, T } from "../text.tsx";
import { wordsOf } from "./event-words.ts";
import { Found } from "./found.tsx";
import { clockText } from "./time-text.ts";

export interface EntryRowProps {
  readonly row: LogRow;
  /** The place in an open call; null for an entry without a call. */
  readonly thread: "inside" | "last" | null;
  /** The text that was searched for; "" if none was. */
  readonly query: string;
}

export function EntryRow({ row, thread, query }: EntryRowProps) {
  const { label, tone } = wordsOf(row.event);
  const style = `entry is-${tone}${thread === null ? "" : " has-above"}${thread === "inside" ? " has-below" : ""}`;
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
