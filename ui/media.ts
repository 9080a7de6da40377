// Follows a media query.

import { useEffect, useState } from "preact/hooks";

export function useMedia(query: string): boolean {
  const [isMatched, setIsMatched] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const follow = () => setIsMatched(media.matches);
    media.addEventListener("change", follow);
    follow();
    return () => media.removeEventListener("change", follow);
  }, [query]);
  return isMatched;
}

/** `rem` in pixels, because the rows of a list grow with the person's font size. */
export function useRem(): number {
  const [size, setSize] = useState(remSize);
  useEffect(() => {
    const follow = () => setSize(remSize());
    addEventListener("resize", follow);
    return () => removeEventListener("resize", follow);
  }, []);
  return size;
}

function remSize(): number {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}
