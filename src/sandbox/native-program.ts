// The programs in native/: small static binaries of our own, for each processor.
// Invariant: only a binary with the pinned hash is used.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** SHA-256 of each native/NAME-PROCESSOR. */
const pinned: Readonly<Record<"init" | "overlay" | "forker", Readonly<Record<string, string>>>> = {
  init: {
    x64: "9bd0e1031948ba2f192a207e20fea270928ddcdf4a1a907c0bb76b406d1f5e97",
    arm64: "d9d117f719ef7e29aaf58ecc236f2f4fef1565db6053939ce23dcad1ac4a773c",
  },
  overlay: {
    x64: "cd067378fa51dbeb05c23281a3212ce8fb94334848413c8734f93bdf14f4b6de",
    arm64: "84c14e09c34157e94ebea8cc5f15f93a1b416e7c3a83e15dcb14c577a732cc18",
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
