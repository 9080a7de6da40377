// The question about what the person has just begun, in the place where they began it.

import { useEffect, useState } from "preact/hooks";
import type { QueueView } from "../../src/web/api.ts";
import { useLive } from "../../ui/live.ts";
import { QuestionPage } from "../../ui/question/question-page.tsx";
import { useResource } from "../../ui/resource.ts";
import { useInView } from "./use-in-view.ts";

/** `tools`: those of the calls that were begun here. The oldest question of one of them is shown, whole. */
export function AskedHere({ tools }: { readonly tools: readonly string[] }) {
  const { state } = useLive();
  const { value } = useResource<QueueView>("/api/queue", state?.version);
  const [id, setId] = useState<string | null>(null);
  const asked = value?.questions.find(({ tool }) => tools.includes(tool))?.id ?? null;
  // An answered question stays until the next one, or until the view around it goes on.
  useEffect(() => {
    if (asked !== null) setId(asked);
  }, [asked]);
  const shown = useInView<HTMLDivElement>(id ?? "");
  return id === null ? null : (
    <div ref={shown} class="asked-here">
      <QuestionPage key={id} id={id} isInside />
    </div>
  );
}
