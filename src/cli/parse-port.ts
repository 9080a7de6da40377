// A port, as a person writes it.

import { UsageError } from "./usage-error.ts";

export function parsePort(text: string, flag: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(
    `${flag}: ${JSON.stringify(text)} is not a port`,
    "Write a number from 0 to 65535; 0 takes any.",
  );
}
