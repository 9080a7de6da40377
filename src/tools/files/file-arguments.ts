// Arguments and results that the file tools share.

import { z } from "zod";
import { limits } from "../../shared/limits.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { type Glob, parseGlob } from "../../shared/glob.ts";
import { argumentText } from "../programs/program-arguments.ts";

export const pathArgument = argumentText
  .min(1)
  .max(limits.pathBytes)
  .describe("Such as src/a.ts or /workspace/src/a.ts.");

export const globArgument = argumentText
  .min(1)
  .max(1024)
  .describe("A glob: a name at any depth (*.ts), or with a slash a path (src/**/*.ts).");

export const limitArgument = z.int().min(1).max(limits.listMost);

export function parsePattern(field: string, pattern: string | undefined): Result<{ readonly glob?: Glob }> {
  if (pattern === undefined) return ok({});
  const glob = parseGlob(pattern);
  return glob.ok
    ? ok({ glob: glob.value })
    : fail("invalid_args", `${field}: ${glob.failure.message}.`, { hint: glob.failure.hint });
}
