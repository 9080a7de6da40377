// Views whose code is a separate file, loaded when they are first opened.

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/** `load` returns the component. Until it is loaded, a short line is shown instead. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [View, setView] = useState<ComponentType<Props> | null>(() => loaded);
    const [hasFailed, setHasFailed] = useState(false);
    useEffect(() => {
      if (View !== null) return;
      let isGone = false;
      load().then(
        (found) => {
          loaded = found;
          if (!isGone) setView(() => found);
        },
        () => {
          if (!isGone) setHasFailed(true);
        },
      );
      return () => {
        isGone = true;
      };
    }, []);
    if (hasFailed) return <p role="alert">This part of the page did not load. Is Sallyport still running?</p>;
    return View === null ? <p class="quiet">Loading…</p> : <View {...props} />;
  };
}
