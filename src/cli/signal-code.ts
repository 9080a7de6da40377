// The exit code for a signal, as shells define it.

import { constants } from "node:os";
import { exitCode } from "./exit-code.ts";

export function signalCode(name: string): number {
  return exitCode.signal + ((constants.signals as Record<string, number>)[name] ?? 0);
}
