// The shape of Exec's arguments. scripts/bundle-command.js replaces this module with its value in the bundle.

import { shapeOf } from "../../shared/shape-of.ts";
import { execArgumentsSchema } from "./exec-schema.ts";

export const execShape = shapeOf(execArgumentsSchema());
