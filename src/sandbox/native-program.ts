// The programs in native/: small static binaries of our own, for each processor.
// Invariant: only a binary with the pinned hash is used.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** SHA-256 of each native/NAME-PROCESSOR. */
const pinned: Readonly<Record<"init" | "overlay" | "forker", Readonly<Record<string, string>>>> = {
  init: {
    x64: "0bd86b28ae3b52241d31f5f446a872024d427b230f553a337222cdf5ce216f0d",
    arm64: "aceb781ab451855682c5bf458f725851fd6313f14f06958dfc2c86d5684030f1",
  },
  overlay: {
    x64: "eb66afc59a7c4f8077d613ef113ea71623ce2bc56ff01e476e6388f14c3768ac",
    arm64: "515fd0c66ae8215e186f25e6b2f23e35ec44643052fa5c635550277d2977bece",
  },
  forker: {
    x64: "77416555c01e5b75afbbcbb2e660b80ea128c547279bc9268d223f936ff3ebcc",
    arm64: "e1a6367c8060a0eb6e4c29310ae45f812eb51e851ca8c7d923327baee35bd505",
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
