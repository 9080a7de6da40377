// Shows a staged commit that no question is about: its message and its diff. There is nothing to answer.

import type { StagedView } from "../../src/web/api.ts";
import { useKeys } from "../keys.ts";
import { useLive } from "../live.ts";
import { Problem } from "../problem.tsx";
import { useResource } from "../resource.ts";
import { goTo, linkTo } from "../route.ts";
import { T } from "../text.tsx";
import { Age } from "../time.tsx";
import { Changes } from "./changes.tsx";
import { Message } from "./push-head.tsx";
import { useSeen } from "./question-page.tsx";
import "./question.css";

export function StagedPage({ id }: { readonly id: string }) {
  const { state } = useLive();
  const path = `/api/staged/${encodeURIComponent(id)}`;
  const { value, error } = useResource<StagedView>(path, state?.version);
  const { seen, onSeen } = useSeen(id);
  useKeys("Staged commit", [{ key: "Escape", label: "Back to the queue", run: () => goTo(linkTo.queue()) }]);
  const [subject = ""] = value?.message.split("\n") ?? [];
  return (
    <>
      <nav class="way" aria-label="Queue">
        <a href={linkTo.queue()}>← Queue</a>
      </nav>
      {error !== null &&
        (error.status === 404 ? (
          <div class="alone">
            <h1>This commit is not staged any more</h1>
            <p>It was pushed or discarded. The log says which.</p>
          </div>
        ) : (
          <Problem error={error} />
        ))}
      {value !== null && error?.status !== 404 && (
        <article class="question is-single">
          <header class="question-head">
            <div class="question-marks">
              <span class="badge">staged</span>
              <span>
                <T text={value.agent} maxLength={80} />, session <T text={value.session} maxLength={80} />
              </span>
              <span class="quiet">
                <Age time={value.created} />
              </span>
            </div>
            <h1 class="question-title is-prose">
              <T text={subject} maxLength={2_000} />
            </h1>
            <p class="quiet">
              Nobody has asked to push it yet. When the agent does, the question appears in the queue.
            </p>
          </header>
          <div class="question-body">
            <Message text={value.message} />
            <p class="quiet">
              What lands also names the agent, in the trailer <code>Sallyport-Agent</code>.
            </p>
          </div>
          <div class="question-changes">
            <Changes key={id} at={path} files={value.view} seen={seen} onSeen={onSeen} />
          </div>
        </article>
      )}
    </>
  );
}
