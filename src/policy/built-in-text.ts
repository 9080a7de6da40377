// Describes the built-in decision for an effect that neither a rule nor `otherwise` covers. `builtIn` in evaluate.ts makes it.

import type { EffectKind } from "../action/effect.ts";

export const describeBuiltIn: Readonly<Record<EffectKind, string>> = {
  tool: "allowed by tool_grants, else denied",
  run: "allowed where a grant covers the program, else asked; what a program starts in turn, the box bounds",
  read: "allowed where a grant covers the path, else asked",
  write: "allowed where an rw grant covers the path, else asked",
  network: "allowed by net_grants, else asked",
  privilege: "denied",
  interactive: "denied",
  destroy: "denied",
  push: "asked; a push from a script is denied",
  pull: "asked; from a granted repository of this machine only for what looks like a secret",
};
