// A name for a value that is elsewhere is no secret, and good to know.

import { redacted } from "./secret-shape.ts";

/** `$TOKEN`, `${TOKEN}`, `$(cat f)`, `%TOKEN%`, `{{ token }}`, `<token>`, `./a-file`, `YOUR_TOKEN`; and what was taken out already. */
export function isReference(value: string): boolean {
  return (
    value.startsWith(redacted) ||
    /^(?:[A-Z]+_)*(?:TOKEN|KEY|PASSWORD|SECRET|PASS)$/.test(value) ||
    /^(?:\$\w+|\$\{[^}]*\}|\$\{\{.*|\$|\$\(.*|`.*|%\w+%|\{\{.*|\{[\w.]*\}|<[\w -]*>|\*+|(?:\.\.\.|…).*|\.{1,2}\/.*|~\/.*|id=.*|your[_-].*|x{3,})$/is.test(
      value,
    )
  );
}
