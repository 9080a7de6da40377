// Checks a value against a schema of the configuration, and says what is wrong with it.

import type { z } from "zod";
import type { ConfigError } from "./config-error.ts";
import { schemaErrors } from "./schema-issue.ts";
import { type StoredRuleFile, storedRuleSchema } from "./rule-schema.ts";
import { type ConfigFile, configSchema } from "./schema.ts";
import type { Source } from "./source.ts";

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly ConfigError[] };

export function checkConfigBySchema(source: Source): Checked<ConfigFile> {
  return check(configSchema, source);
}

export function checkStoredRuleBySchema(source: Source): Checked<StoredRuleFile> {
  return check(storedRuleSchema, source);
}

function check<T>(schema: z.ZodType<T>, source: Source): Checked<T> {
  const parsed = schema.safeParse(source.value);
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, errors: schemaErrors(source, parsed.error.issues, schema) };
}
