// Shows a question that no longer waits. The record says what happened to it.

import { endReasons } from "../../src/approval/shared-store.ts";
import { withdrawnText } from "../../src/audit/entry-text.ts";
import type { LogPage, LogRow } from "../../src/web/api.ts";
import { useResource } from "../resource.ts";
import { linkTo } from "../route.ts";
import { T } from "../text.tsx";

export function GonePanel({ id, next }: { readonly id: string; readonly next: string | null }) {
  const { value } = useResource<LogPage>(`/api/log?limit=20&text=${encodeURIComponent(id)}`);
  const withdrawal = withdrawalIn(value);
  const answered = value?.entries.find(({ event }) => event === "approval.answered");
  return (
    <section class="answer panel" aria-labelledby="answer-title" role="status">
      <h2 id="answer-title" class="panel-title">
        {endOf(value)}
      </h2>
      <div class="panel-body">
        {answered !== undefined && (
          <p>
            <T text={answered.summary} />
          </p>
        )}
        {withdrawal !== undefined && (
          <p>
            {withdrawal.summary.startsWith(`${withdrawnText} ${endReasons.caller}`)
              ? "The call that asked was cancelled"
              : "The session that asked has ended"}
            : nothing could pick an answer up.
          </p>
        )}
        <p>This page has changed nothing.</p>
        <div class="button-row">
          <a class="button is-main" href={next === null ? linkTo.queue() : linkTo.question(next)}>
            {next === null ? "Back to the queue" : "Next question"}
          </a>
          <a class="button is-plain" href={callLink(value)}>
            {callLink(value) === linkTo.log() ? "Log" : "The whole story"}
          </a>
        </div>
      </div>
    </section>
  );
}

function endOf(page: LogPage | null): string {
  if (page === null) return "Looking in the record…";
  const has = (event: string) => page.entries.some((entry) => entry.event === event);
  if (withdrawalIn(page) !== undefined) return "Withdrawn";
  if (has("approval.answered")) return "Answered elsewhere";
  if (has("approval.timeout")) return "Nobody answered in time";
  return page.entries.length === 0 ? "The record does not know it" : "It was not answered";
}

/** Also found if the question had timed out before it was withdrawn. */
function withdrawalIn(page: LogPage | null): LogRow | undefined {
  return page?.entries.find(({ event, summary }) => event === "approval.timeout" && summary.startsWith(withdrawnText));
}

function callLink(page: LogPage | null): string {
  const call = page?.entries.find(({ call_id }) => call_id !== null)?.call_id ?? null;
  return call === null ? linkTo.log() : linkTo.call(call);
}
