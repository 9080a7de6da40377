// Positions of the parts of a diff in the page: what is above it, and the file of an element.

/** The height of what sticks to the top of the page while it scrolls: the page's header, and the diff's bar if there is room. */
export function stuckHeight(bar: HTMLElement | null): number {
  if (bar === null) return 0;
  const { position, top } = getComputedStyle(bar);
  return position === "sticky" ? Number.parseFloat(top) + bar.offsetHeight : pageHeaderHeight();
}

/** Where the visible part of the page ends: above what lies over the diff. */
export function visibleBottom(): number {
  const over = document.querySelector("[data-over-diff]");
  return over === null ? innerHeight : Math.min(innerHeight, over.getBoundingClientRect().top);
}

export function pageHeaderHeight(): number {
  const header = document.querySelector<HTMLElement>(".header");
  return header !== null && getComputedStyle(header).position === "sticky" ? header.offsetHeight : 0;
}

export function sectionOf(list: Element | null, n: number): Element | null {
  return list?.querySelector(`[data-file="${n}"]`) ?? null;
}

export function fileOf(target: EventTarget | null): number {
  const section = target instanceof Element ? target.closest<HTMLElement>("[data-file]") : null;
  return Number(section?.dataset["file"] ?? -1);
}

/** The pressed button may have moved or disappeared. If it is gone, the file gets the focus. */
export function keepFocus(list: Element | null, file: number, asker: HTMLElement): void {
  const section = sectionOf(list, file);
  const { gap, way } = asker.dataset;
  const there = `[data-gap="${gap}"]`;
  const next =
    section?.querySelector<HTMLElement>(`${there}[data-way="${way}"]`) ?? section?.querySelector<HTMLElement>(there);
  (next ?? section?.querySelector<HTMLElement>(".diff-fold"))?.focus({ preventScroll: true });
}
