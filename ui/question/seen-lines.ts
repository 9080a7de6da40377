// Which texts a person has had on the screen whole: each of their lines, to its end.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** The mark at the end of each line says which text it belongs to. */
export const lineEnd = "data-line-of";

/** The header of the page stands over what is behind it. */
const BELOW_HEADER = "-56px 0px 0px 0px";

/** `area` holds the texts, and nothing stands over it. `shown` changes with what it holds; what was seen stays seen. */
export function useSeenTexts(area: RefObject<HTMLElement | null>, shown: string): ReadonlySet<string> {
  const unseen = useRef(new Map<string, number>());
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  useLayoutEffect(() => {
    const marks = [...(area.current?.querySelectorAll<HTMLElement>(`[${lineEnd}]`) ?? [])];
    const known = new Set(unseen.current.keys());
    const fresh = marks.filter((mark) => !known.has(textOf(mark)));
    for (const mark of fresh) unseen.current.set(textOf(mark), (unseen.current.get(textOf(mark)) ?? 0) + 1);
    const observer = new IntersectionObserver(
      (entries) => {
        const whole: string[] = [];
        for (const { target, isIntersecting } of entries) {
          const name = textOf(target);
          if (!isIntersecting || isDone.has(target)) continue;
          isDone.add(target);
          observer.unobserve(target);
          const left = (unseen.current.get(name) ?? 0) - 1;
          unseen.current.set(name, left);
          if (left === 0) whole.push(name);
        }
        if (whole.length > 0) setSeen((before) => new Set([...before, ...whole]));
      },
      { rootMargin: BELOW_HEADER },
    );
    for (const mark of marks) if (!isDone.has(mark)) observer.observe(mark);
    return () => observer.disconnect();
  }, [shown]);
  return seen;
}

/** Ends of lines that were on the screen. */
const isDone = new WeakSet<Element>();

function textOf(mark: Element): string {
  return mark.getAttribute(lineEnd) ?? "";
}
