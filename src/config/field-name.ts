// Names of fields as messages write them, and the values at them.

import type { ConfigError } from "./config-error.ts";
import type { FieldPath, Source } from "./source.ts";

/** The schema library silently drops the key `__proto__`. Here it is reported like any other unknown name. */
export function droppedNames(source: Source): ConfigError[] {
  const agents = valueAt(source.value, ["agents"]);
  if (typeof agents !== "object" || agents === null || !Object.hasOwn(agents, "__proto__")) return [];
  return [noAgentName(source, ["agents", "__proto__"])];
}

export function noAgentName(source: Source, path: FieldPath): ConfigError {
  const hint = "Use letters, digits, - and _, at most 64, beginning with a letter or digit.";
  return source.errorAt(path, `${fieldName(path)}: not a name for an agent`, hint, "key");
}

/** `agents.default.fs_grants[1].path` */
export function fieldName(path: FieldPath): string {
  return path.reduce<string>(
    (name, part) => (typeof part === "number" ? `${name}[${part}]` : name === "" ? part : `${name}.${part}`),
    "",
  );
}

export function valueAt(value: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, part)
        ? (inner as Record<string | number, unknown>)[part]
        : undefined,
    value,
  );
}
