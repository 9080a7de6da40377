// Finds secrets inside one text: an argument, a script, a URL, a header, a configuration file in a heredoc.
// It removes only the values, because the record of a script must still show the script.
// Invariant: linear in the length of the text. What was scanned as a value is never scanned again.

import { mapPieces } from "./map-pieces.ts";
import { redactCommands } from "./redact-commands.ts";
import { redactFileFormats } from "./redact-file-formats.ts";
import { redactLists } from "./redact-lists.ts";
import { redactNamed } from "./redact-named.ts";
import { redactUrls } from "./redact-url.ts";
import { redactShapes } from "./secret-shape.ts";

export function redactText(text: string): string {
  return mapPieces(text, redactPiece);
}

function redactPiece(text: string): string {
  if (text.length < 3) return text;
  // A name and its value are two words or have a sign between them, so a plain path needs no scan.
  if (!/^-|[\s=:?&,<]/.test(text)) return redactShapes(text);
  return redactFlat(redactLists(redactShapes(text), (word) => redactFlat(redactShapes(word))));
}

function redactFlat(text: string): string {
  return redactNamed(redactFileFormats(redactCommands(redactUrls(text))));
}
