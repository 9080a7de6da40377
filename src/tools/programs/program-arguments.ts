// Arguments that the tools which start programs share: text, environment, time-out, output cap.

import { z } from "zod";
import { limits } from "../../shared/limits.ts";
import { textRules } from "../../shared/shape.ts";

/** Text that reaches a program unchanged. It has no NUL, which would end it, and no lone surrogate, which would be replaced. */
export const argumentText = z
  .string()
  .refine(textRules.noNul, "holds a NUL character, which no argument can")
  .refine(textRules.wellFormed, "holds half of a surrogate pair, which has no bytes");

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
export const scriptTimeoutArgument = z.number().min(1).max(limits.scriptTimeoutMaxS);
export const partialArgument = z
  .boolean()
  .describe("If the call is ended early, land what it wrote so far to paths granted rw. Default false: nothing lands.");
export const outputArgument = z.int().min(limits.outputMinBytes).max(limits.outputMaxBytes);
export const stdinArgument = z
  .string()
  .refine(textRules.wellFormed, "holds half of a surrogate pair, which has no bytes")
  .refine(textRules.stdinLength, `is longer than ${limits.stdinMaxBytes} bytes`);
