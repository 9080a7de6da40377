// Effects: the vocabulary in which an action says what it may do. Rules match effects; each is judged alone.

export type Effect =
  | { readonly kind: "tool"; readonly tool: string }
  | { readonly kind: "run"; readonly program: string; readonly argv: readonly string[] }
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "write"; readonly path: string }
  | { readonly kind: "network"; readonly host: string };

/** One line for a message or a log; not for a person's screen until it went through `displayText`. */
export function describeEffect(effect: Effect): string {
  switch (effect.kind) {
    case "tool":
      return `use the tool ${effect.tool}`;
    case "run":
      return `run ${effect.program}`;
    case "read":
      return `read ${effect.path}`;
    case "write":
      return `write ${effect.path}`;
    case "network":
      return effect.host === "*" ? "reach the network" : `reach ${effect.host}`;
  }
}
