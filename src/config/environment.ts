// The gate's own environment, read once and passed on. Programs that an agent starts get none of it.

export type Environment = Readonly<Record<string, string>>;

/** A map without a prototype, so that `__proto__` is an ordinary name. */
export function readEnvironment(): Environment {
  const environment: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) environment[name] = value;
  return Object.freeze(environment);
}
