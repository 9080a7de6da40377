// Covers a credential in the body of an answer, wherever it is cut into pieces. The length stays the same.

import { Transform } from "node:stream";

/** `forms`: everything that is covered, as text. Upper and lower case count as the same. */
export function maskBody(forms: readonly string[]): Transform {
  const wanted = forms.map((form) => Buffer.from(form, "utf8").toString("latin1").toLowerCase());
  const kept = Math.max(0, ...wanted.map((form) => form.length)) - 1;
  let rest = "";
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = masked(rest + chunk.toString("latin1"), wanted);
      const cut = Math.max(0, text.length - kept); // the beginning of one may be at the end
      rest = text.slice(cut);
      done(null, Buffer.from(text.slice(0, cut), "latin1"));
    },
    flush(done) {
      done(null, Buffer.from(rest, "latin1"));
    },
  });
}

function masked(text: string, forms: readonly string[]): string {
  let result = text;
  const lower = text.toLowerCase(); // of the same length, because each character is a byte
  for (const form of forms)
    for (let at = lower.indexOf(form); at !== -1; at = lower.indexOf(form, at + 1))
      result = result.slice(0, at) + "*".repeat(form.length) + result.slice(at + form.length);
  return result;
}
