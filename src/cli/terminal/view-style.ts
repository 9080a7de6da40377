// How to draw a view: size, colours, characters. It is read for each drawing, because windows change.

import type { WriteStream } from "node:tty";
import type { Screen, Style } from "./terminal.ts";

export interface ViewStyle {
  readonly width: number;
  readonly height: number;
  readonly isUnicode: boolean;
  paint(text: string, ...styles: readonly Style[]): string;
}

export function viewStyleOf(screen: Screen, stream: WriteStream): ViewStyle {
  return {
    width: Math.max(24, stream.columns || 80),
    height: Math.max(6, stream.rows || 24),
    isUnicode: screen.isUnicode,
    paint: (text, ...styles) => screen.paint(text, ...styles),
  };
}
