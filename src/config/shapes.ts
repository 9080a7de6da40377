// The shapes of configuration files. scripts/bundle-command.js replaces this module with its value in the bundle.

import { shapeOf } from "../shared/shape-of.ts";
import { storedRuleSchema } from "./rule-schema.ts";
import { configSchema } from "./schema.ts";

export const configShape = shapeOf(configSchema);
export const storedRuleShape = shapeOf(storedRuleSchema);
