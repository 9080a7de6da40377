// A line of the queue: what is wanted, who asks, the severity, and how long it has waited.

import type { PushSummary, QuestionRow, StagedRow } from "../../src/web/api.ts";
import { linkTo } from "../route.ts";
import { SeverityBadge } from "../severity.tsx";
import { shown, T } from "../text.tsx";
import { Age } from "../time.tsx";

export function QuestionItem({ row }: { readonly row: QuestionRow }) {
  const more = row.wants ?? row.push?.message?.split("\n")[0];
  return (
    <li>
      <a class={`queue-row is-${row.severity}`} href={linkTo.question(row.id)}>
        <span class="queue-title">
          <T text={row.title} maxLength={400} />
        </span>
        <span class="queue-marks">
          <SeverityBadge severity={row.severity} />
          {row.push !== null && <PushMarks push={row.push} />}
        </span>
        {more !== undefined && (
          <span class="queue-wants">
            <T text={more} maxLength={400} />
          </span>
        )}
        <span class="queue-facts">
          <span>
            <T text={row.agent} maxLength={80} />
          </span>
          {row.client !== undefined && (
            <span>
              <T text={row.client} maxLength={60} />
            </span>
          )}
          <span>
            <T text={row.tool} maxLength={80} />
          </span>
          <span title={shown(row.session)}>
            session <T text={row.sessionName} maxLength={80} />
          </span>
          <span class="queue-project">
            <T text={row.project} maxLength={200} />
          </span>
        </span>
        <span class="queue-age">
          {row.awaited ? <span class="queue-awaited">a call waits</span> : "no call waits"} · <Age time={row.asked} />
        </span>
      </a>
    </li>
  );
}

function PushMarks({ push }: { readonly push: PushSummary }) {
  return (
    <>
      {push.isProtected && <span class="badge is-high">protected branch</span>}
      {push.isNewBranch && <span class="badge is-medium">new branch</span>}
      <span class="badge">{filesText(push.files)}</span>
    </>
  );
}

export function StagedItem({ row }: { readonly row: StagedRow }) {
  const [subject = ""] = row.message.split("\n");
  return (
    <li>
      <a class="queue-row" href={linkTo.staged(row.id)}>
        <span class="queue-title is-prose">
          <T text={subject} maxLength={400} />
        </span>
        <span class="queue-marks">
          <span class="badge">{filesText(row.files)}</span>
        </span>
        <span class="queue-facts">
          <span>
            <T text={row.agent} maxLength={80} />
          </span>
          <span>
            session <T text={row.session} maxLength={80} />
          </span>
        </span>
        <span class="queue-age">
          <Age time={row.created} />
        </span>
      </a>
    </li>
  );
}

function filesText(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}
