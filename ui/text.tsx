// Shows text that an agent may have written. All such text on the page goes through this file.
// Invariant: the text goes through the display function and becomes a text node, never markup.

import { type DisplayOptions, displayText } from "../src/shared/display.ts";

export interface TextProps extends DisplayOptions {
  readonly text: string;
}

/** SECURITY(T19): nothing in the text can act on the page, or reorder or hide the text around it. */
export function T({ text, maxLength, multiline }: TextProps) {
  return <bdi>{shown(text, { maxLength, multiline })}</bdi>;
}

/** The same for attributes and other uses that take only a string: titles, labels, values of fields. */
export function shown(
  text: string,
  options: { maxLength?: number | undefined; multiline?: boolean | undefined } = {},
): string {
  return displayText(text, {
    ...(options.maxLength === undefined ? {} : { maxLength: options.maxLength }),
    ...(options.multiline === undefined ? {} : { multiline: options.multiline }),
  });
}
