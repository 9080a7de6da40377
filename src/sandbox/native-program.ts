// The programs in native/: small static binaries of our own, for each processor.
// Invariant: only a binary with the pinned hash is used.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** SHA-256 of each native/NAME-PROCESSOR. */
const pinned: Readonly<Record<"init" | "overlay", Readonly<Record<string, string>>>> = {
  init: {
    x64: "0bd86b28ae3b52241d31f5f446a872024d427b230f553a337222cdf5ce216f0d",
    arm64: "aceb781ab451855682c5bf458f725851fd6313f14f06958dfc2c86d5684030f1",
  },
  overlay: {
    x64: "fee848be20dc0f2474f7620e95d02c9eb6f4875fe6cfcbb7397f1840d8632ca8",
    arm64: "1287780d64f6070b4f2ad3fac546c8fc3ded6af1a1221a181f422b5450f270db",
  },
};

export type NativeProgram = keyof typeof pinned;

export function nativeProgramPath(name: NativeProgram, architecture: string): string {
  return fileURLToPath(new URL(`../../native/${name}-${architecture}`, import.meta.url));
}

export function readNativeProgram(name: NativeProgram, architecture: string): Buffer {
  const expected = pinned[name][architecture];
  if (expected === undefined) throw new Error(`there is no native/${name} for the processor ${architecture}`);
  const bytes = readFileSync(nativeProgramPath(name, architecture));
  // SECURITY(T07): a changed binary would run first in every box, or around it.
  if (createHash("sha256").update(bytes).digest("hex") !== expected)
    throw new Error(`native/${name} does not have its pinned hash`);
  return bytes;
}
