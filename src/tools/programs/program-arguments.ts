// Arguments that the tools which start programs share: text, environment, time-out, output cap.

import { z } from "zod";
import { utf8Length } from "../../shared/bytes.ts";
import { limits } from "../../shared/limits.ts";

/** Text that reaches a program unchanged. It has no NUL, which would end it, and no lone surrogate, which would be replaced. */
export const argumentText = z
  .string()
  .refine((text) => !text.includes("\0"), "holds a NUL character, which no argument can")
  .refine((text) => text.isWellFormed(), "holds half of a surrogate pair, which has no bytes");

/** A map without prototype, because JSON may contain the key `__proto__`, which is an ordinary name here. */
export const environmentArgument = z
  .unknown()
  .transform((value, context) => {
    const environment: Record<string, string> = Object.create(null);
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      context.addIssue({ code: "custom", message: "must be an object of names and texts" });
      return environment;
    }
    for (const name of Object.getOwnPropertyNames(value)) {
      const parsed = argumentText.safeParse((value as Record<string, unknown>)[name]);
      if (parsed.success) environment[name] = parsed.data;
      else
        context.addIssue({
          code: "custom",
          path: [name],
          message: parsed.error.issues[0]?.message ?? "must be a text",
        });
    }
    return environment;
  })
  .meta({ type: "object", additionalProperties: { type: "string" } });

export const timeoutArgument = z.number().min(1).max(limits.timeoutMaxS);
export const outputArgument = z.int().min(limits.outputMinBytes).max(limits.outputMaxBytes);
export const stdinArgument = z
  .string()
  .refine((text) => text.isWellFormed(), "holds half of a surrogate pair, which has no bytes")
  .refine((text) => utf8Length(text) <= limits.stdinMaxBytes, `is longer than ${limits.stdinMaxBytes} bytes`);

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
