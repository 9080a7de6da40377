// Checks configuration files without the schema library as long as nothing is wrong with them.

import { fit, type Shape } from "../shared/shape.ts";
import { checkConfigBySchema, type Checked, checkStoredRuleBySchema } from "./schema-check.ts";
import type { StoredRuleFile } from "./rule-schema.ts";
import type { ConfigFile } from "./schema.ts";
import { configShape, storedRuleShape } from "./shapes.ts";
import type { Source } from "./source.ts";

export function checkConfig(source: Source): Checked<ConfigFile> {
  return check(configShape, source) ?? checkConfigBySchema(source);
}

export function checkStoredRule(source: Source): Checked<StoredRuleFile> {
  return check(storedRuleShape, source) ?? checkStoredRuleBySchema(source);
}

function check<T>(shape: Shape, { value }: Source): Checked<T> | null {
  const fitting = fit(shape, value);
  return fitting === null ? null : { ok: true, value: fitting.value as T };
}
