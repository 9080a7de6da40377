// What a person is shown of a text that an agent wrote, in each form: for comparing two gates.

import { displayCommand, displayText } from "../../src/shared/display.ts";

export function shownWords(text: string): readonly string[] {
  return [displayText(text), displayText(text, { multiline: true }), displayCommand([text, text])];
}
