// Recognises references to a value that is stored elsewhere. A reference is not a secret, and it is useful in the record.

import { redacted } from "./secret-shape.ts";

/** `$TOKEN`, `${TOKEN}`, `$(cat f)`, `%TOKEN%`, `{{ token }}`, `<token>`, `./a-file`, `YOUR_TOKEN`; and what was taken out already.
 * Only a bounded part of the value is read, so repeated checks stay cheap. */
export function isReference(value: string): boolean {
  return (
    value.startsWith(redacted) ||
    /^(?:[A-Z]{1,32}_){0,8}(?:TOKEN|KEY|PASSWORD|SECRET|PASS)$/.test(value) ||
    /^(?:\$\{\{|\$\(|`|\{\{|\.\.\.|…|\.{1,2}\/|~\/|id=|your[_-])/i.test(value) ||
    /^(?:\$\w{0,128}|\$\{[^}]{0,512}\}|%\w{1,128}%|\{[\w.]{0,128}\}|<[\w -]{0,128}>|\*{1,512}|x{3,512})$/i.test(value)
  );
}
