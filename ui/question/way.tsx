// The way from a question to its neighbours in the queue.

import type { ComponentChildren } from "preact";
import type { QueueView } from "../../src/web/api.ts";
import { linkTo } from "../route.ts";

interface Near {
  readonly previous: string | null;
  readonly next: string | null;
}

export function neighbours(queue: QueueView | null, id: string): Near {
  const ids = queue?.questions.map((row) => row.id) ?? [];
  const at = ids.indexOf(id);
  if (at < 0) return { previous: null, next: ids[0] ?? null };
  return { previous: ids[at - 1] ?? null, next: ids[at + 1] ?? null };
}

export function Way({ near }: { readonly near: Near }) {
  return (
    <nav class="way" aria-label="Queue">
      <a href={linkTo.queue()}>← Queue</a>
      <span class="way-near">
        <Step to={near.previous}>Previous</Step>
        <Step to={near.next}>Next</Step>
      </span>
    </nav>
  );
}

function Step({ to, children }: { readonly to: string | null; readonly children: ComponentChildren }) {
  return to === null ? <span class="quiet">{children}</span> : <a href={linkTo.question(to)}>{children}</a>;
}
