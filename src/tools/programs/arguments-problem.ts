// Bounds of a program's arguments and environment that the kernel has.

import { utf8Length } from "../../shared/bytes.ts";
import { limits } from "../../shared/limits.ts";

/** Refuses what the kernel would refuse with E2BIG, and names the argument. */
export function argumentsProblem(
  argv: readonly string[],
  environment: readonly (readonly [string, string])[],
): string | null {
  if (argv.length > limits.argumentCount)
    return `argv: ${argv.length} arguments; at most ${limits.argumentCount} are taken.`;
  let total = 0;
  for (const [index, text] of argv.entries()) {
    const bytes = utf8Length(text);
    if (bytes > limits.argumentBytes)
      return `argv[${index}]: ${bytes} bytes; the kernel takes ${limits.argumentBytes} in one argument.`;
    total += bytes + 1;
  }
  for (const [name, value] of environment) {
    const bytes = utf8Length(name) + utf8Length(value) + 1;
    if (bytes > limits.argumentBytes)
      return `env.${name}: ${bytes} bytes; the kernel takes ${limits.argumentBytes} in one variable.`;
    total += bytes + 1;
  }
  return total > limits.argumentsTotalBytes
    ? `argv and env: ${total} bytes together; at most ${limits.argumentsTotalBytes} are taken.`
    : null;
}
