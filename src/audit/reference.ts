// A name for a value that is elsewhere is no secret, and good to know.

import { redacted } from "./secret-shape.ts";

/** `$TOKEN`, `${TOKEN}`, `$(cat f)`, `%TOKEN%`, `{{ token }}`, `<token>`; and what was taken out already. */
export function isReference(value: string): boolean {
  return (
    value.startsWith(redacted) ||
    /^(?:\$\w+|\$\{[^}]*\}|\$|\$\(.*|`.*|%\w+%|\{\{.*|<[\w -]*>|\*+|\.\.\.|…)$/s.test(value)
  );
}
