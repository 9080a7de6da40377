// A picture of lines in the colour of the text around it. Whoever shows it says in words what it means.

import type { ComponentChildren } from "preact";

interface DrawingProps {
  /** Of a side of its square, in its own units. */
  readonly size: number;
  readonly width?: number;
  readonly children: ComponentChildren;
}

export function Drawing({ size, width = 2, children }: DrawingProps) {
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      fill="none"
      stroke="currentColor"
      stroke-width={width}
      stroke-linecap="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}
