// One call as a line of the timeline: how it stands, the tool, what was asked, the decision and the outcome, and how long it took.
// It opens to its entries in place; the line itself leads to the whole story.

import type { TargetedKeyboardEvent } from "preact";
import type { CallRow } from "../../src/web/api.ts";
import { linkTo } from "../route.ts";
import { SeverityBadge } from "../severity.tsx";
import { shown, T } from "../text.tsx";
import { wordsOf } from "./event-words.ts";
import { Found } from "./found.tsx";
import { clockText, spanText } from "./time-text.ts";
import type { CallEntries } from "./timeline.ts";

export interface CallEntryProps {
  readonly call: CallRow;
  readonly of: CallEntries;
  readonly isOpen: boolean;
  /** The text that was searched for; "" if none was. */
  readonly query: string;
  readonly toggle: (id: string) => void;
}

export function CallEntry({ call, of: { id, rows }, isOpen, query, toggle }: CallEntryProps) {
  const { label, tone } = wordsOf(call.event);
  const [{ time }] = rows;
  const found = foundIn(call, rows, query);
  const decided = decisionWords(call);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key !== (isOpen ? "ArrowLeft" : "ArrowRight")) return;
    event.preventDefault();
    toggle(id);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys of the link and the button in it
    <div class="call" onKeyDown={onKeyDown}>
      <button
        class="call-open"
        type="button"
        aria-expanded={isOpen}
        aria-label={`Entries of the call at ${clockText(time)}`}
        onClick={() => toggle(id)}
      />
      <a class={`entry is-call is-${tone}${isOpen ? " has-below" : ""}`} href={linkTo.call(id)} data-row-focus>
        <time class="entry-time" dateTime={time}>
          {clockText(time)}
        </time>
        <span class="entry-event">{shown(label, { maxLength: 40 })}</span>
        <span class="entry-tool">
          <T text={call.tool ?? ""} maxLength={60} />
        </span>
        <span class="entry-summary">
          <span class="entry-words">
            {found !== null && (
              <span class="entry-found">
                <Found text={found} query={query} /> ·{" "}
              </span>
            )}
            <Found text={call.asked} query={query} />
          </span>
          <span class="call-outcome">
            {decided !== "" && <span class="call-decision">{decided}</span>}
            {decided !== "" && call.outcome !== "" && <span class="call-decision"> · </span>}
            {call.outcome !== "" && <Found text={call.outcome} query={query} />}
          </span>
          {call.severity !== undefined && <SeverityBadge severity={call.severity} />}
        </span>
        <span class="call-took">{call.took_ms === null ? "" : spanText(call.took_ms)}</span>
        <span class="entry-who">
          <T text={call.agent ?? ""} maxLength={60} />
        </span>
      </a>
    </div>
  );
}

/** A refusal has its own word already. */
function decisionWords({ decision, is_asked, event }: CallRow): string {
  if (decision === "allow") return is_asked ? "asked, allowed" : "allowed";
  return decision === "deny" && is_asked && event === "tool.call.denied" ? "asked" : "";
}

/** What was searched for, if the line does not have it: from the newest entry that does. */
function foundIn(call: CallRow, rows: CallEntries["rows"], query: string): string | null {
  const small = query.trim().toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(small);
  if (small === "" || has(call.asked) || has(call.outcome)) return null;
  const row = rows.find(({ found, summary }) => found !== undefined || has(summary));
  return row === undefined ? null : (row.found ?? row.summary);
}
