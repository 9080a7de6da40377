// The keyboard: what each key does now, in one list, so that the help can show it.
// Invariant: a key does nothing if it is typed into a field, repeated while held, or pressed with Ctrl, Alt or Meta.

import { useLayoutEffect, useRef } from "preact/hooks";

export interface KeyBinding {
  /** As in `KeyboardEvent.key`. */
  readonly key: string;
  /** What the key does, for the help. */
  readonly label: string;
  readonly run: (event: KeyboardEvent) => void;
  /** True if the key also works while it is held. For moving, never for answering. */
  readonly repeats?: boolean;
}

const layers: { readonly title: string; current: readonly KeyBinding[] }[] = [];

/** Binds the keys while the component is mounted. The newest layer comes first; a layer with `isBelow` comes last. */
export function useKeys(title: string, bindings: readonly KeyBinding[], isBelow = false): void {
  const held = useRef({ title, current: bindings });
  held.current.current = bindings;
  // Binds in the layout effect, so that the keys work as soon as the person sees the component.
  useLayoutEffect(() => {
    const layer = held.current;
    if (isBelow) layers.unshift(layer);
    else layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

const strays = new Set<(key: string) => void>();

/** Calls `told` for each character that is typed outside a field and has no binding. */
export function useStrayKeys(onStray: (key: string) => void): void {
  const held = useRef(onStray);
  held.current = onStray;
  useLayoutEffect(() => {
    const tell = (key: string) => held.current(key);
    strays.add(tell);
    return () => void strays.delete(tell);
  }, []);
}

/** Everything that a key does now, the newest layer first. */
export function boundKeys(): readonly { readonly title: string; readonly bindings: readonly KeyBinding[] }[] {
  return layers.toReversed().map(({ title, current }) => ({ title, bindings: current }));
}

export function listenToKeys(): () => void {
  const pressed = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target) || isInDialog()) return;
    // Enter and space belong to the link or button that has the focus.
    if ((event.key === "Enter" || event.key === " ") && isControl(event.target)) return;
    for (const { current } of layers.toReversed()) {
      const found = current.find(({ key }) => key === event.key);
      if (found === undefined) continue;
      if (event.repeat && found.repeats !== true) return;
      event.preventDefault();
      found.run(event);
      return;
    }
    if ([...event.key].length === 1) for (const tell of strays) tell(event.key);
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("a, button, summary") !== null;
}

function isInDialog(): boolean {
  return document.querySelector("dialog[open]") !== null;
}
