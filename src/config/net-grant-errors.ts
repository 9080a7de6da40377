// Checks `net_grants` of a configuration or of a worker file.

import { parseNetGrants, type WrittenNetGrant } from "../policy/net-grants.ts";
import type { ConfigError } from "./config-error.ts";
import { fieldName } from "./field-name.ts";
import type { FieldPath, Source } from "./source.ts";

/** `at` is where the list stands. The first error of the list; none if it is right. */
export function netGrantErrors(
  written: readonly WrittenNetGrant[],
  at: FieldPath,
  source: Source,
): readonly ConfigError[] {
  const parsed = parseNetGrants(written);
  if (parsed.ok) return [];
  const { message, hint = "" } = parsed.failure;
  const [, index = "0", field = "", reason = message] = /^\[(\d+)\](?:\.(\w+))?: (.*)$/s.exec(message) ?? [];
  const entry = written[Number(index)];
  const isField = typeof entry === "object" && field in entry;
  const where = [...at, Number(index), ...(isField ? [field] : [])];
  return [source.errorAt(where, `${fieldName(where)}: ${reason}`, hint)];
}
