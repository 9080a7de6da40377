// Where the parts of the diff are in the page: what stands above it, and which file an element belongs to.

/** What stays at the top of the page while it is scrolled: its own header, and our bar where there is room. */
export function stuckHeight(bar: HTMLElement | null): number {
  if (bar === null) return 0;
  const { position, top } = getComputedStyle(bar);
  return position === "sticky" ? Number.parseFloat(top) + bar.offsetHeight : pageHeaderHeight();
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

/** The button that was pressed may stand elsewhere now, or nowhere: then the file has the focus. */
export function keepFocus(list: Element | null, file: number, asker: HTMLElement): void {
  const section = sectionOf(list, file);
  const { gap, way } = asker.dataset;
  const there = `[data-gap="${gap}"]`;
  const next =
    section?.querySelector<HTMLElement>(`${there}[data-way="${way}"]`) ?? section?.querySelector<HTMLElement>(there);
  (next ?? section?.querySelector<HTMLElement>(".diff-fold"))?.focus({ preventScroll: true });
}
