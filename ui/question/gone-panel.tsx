// A question that does not wait any more: the record says what became of it.

import type { LogPage } from "../../src/web/api.ts";
import { useResource } from "../resource.ts";
import { linkTo } from "../route.ts";
import { T } from "../text.tsx";

export function GonePanel({ id, next }: { readonly id: string; readonly next: string | null }) {
  const { value } = useResource<LogPage>(`/api/log?limit=20&text=${encodeURIComponent(id)}`);
  const answered = value?.entries.find(({ event }) => event === "approval.answered");
  const isLate = value?.entries.some(({ event }) => event === "approval.timeout") ?? false;
  return (
    <section class="answer panel" aria-labelledby="answer-title" role="status">
      <h2 id="answer-title" class="panel-title">
        {answered !== undefined
          ? "Answered elsewhere"
          : isLate
            ? "Nobody answered in time"
            : "It does not wait any more"}
      </h2>
      <div class="panel-body">
        {answered !== undefined && (
          <p>
            <T text={answered.summary} />
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

function callLink(page: LogPage | null): string {
  const call = page?.entries.find(({ call_id }) => call_id !== null)?.call_id ?? null;
  return call === null ? linkTo.log() : linkTo.call(call);
}
