// The gate's own environment, taken once and passed on. Nothing of it reaches a program that an agent starts.

export type Environment = Readonly<Record<string, string>>;

/** A map without prototype: `__proto__` is a name like any other. */
export function readEnvironment(): Environment {
  const environment: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) environment[name] = value;
  return Object.freeze(environment);
}
