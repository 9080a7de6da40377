// Rows of one kind under a title, in the queue and among what has not landed.

import type { ComponentChildren } from "preact";

export function QueueGroup({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="queue-group">
      <h2>{title}</h2>
      <ul class="list panel">{children}</ul>
    </section>
  );
}
