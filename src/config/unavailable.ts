// Rejects settings that the format has and this version does not implement. Ignoring a setting
// would be worse than an error.

import type { ConfigError } from "./config-error.ts";
import { fieldName } from "./field-name.ts";
import type { ConfigFile } from "./schema.ts";
import type { FieldPath, Source } from "./source.ts";

export function unavailableErrors(file: ConfigFile, source: Source): ConfigError[] {
  const errors: ConfigError[] = [];
  const refuse = (at: FieldPath, reason: string, hint: string) =>
    errors.push(source.errorAt(at, `${fieldName(at)}: ${reason}`, hint));
  for (const [name, { net_grants }] of Object.entries(file.agents)) {
    for (const [index, grant] of net_grants.entries()) {
      if (typeof grant === "string" || grant.cache !== true) continue;
      refuse(
        ["agents", name, "net_grants", index, "cache"],
        "files cannot be cached yet",
        "Leave it out: programs then download each time.",
      );
    }
  }
  return errors;
}
