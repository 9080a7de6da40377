// Loads the programs in native/: small static binaries of this project, one per processor architecture.
// Invariant: only a binary with the pinned hash is used.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** SHA-256 of each native/NAME-PROCESSOR. */
export const pinnedHashes: Readonly<
  Record<"init" | "keeper" | "forker" | "devices", Readonly<Record<string, string>>>
> = {
  init: {
    x64: "35f09907c9a8a836b484be76b961d063ab088723b173cd95cbce226d8e69436b",
    arm64: "cc526fb06b8ad268e07c59a3ba2ef524e72321d941bc2e684efe106414bd7f39",
  },
  keeper: {
    x64: "c1dc7a9bd4b106c1453caa116edfa10a26cebe2fa2b864a0721251dab670ad33",
    arm64: "8c52a5cefa7dd8a5c9901a1dd2ffd1223136d7b191b9942d0f8a39eb2500c12f",
  },
  forker: {
    x64: "ade222be13161205ed686f4dbeebcc570b74517d8dc100fdf9f118c44b3f959f",
    arm64: "3cd4c665c92464939b684d5326dd29d78745ce6ca8172b4d1951985ef381a72e",
  },
  devices: {
    x64: "ab76bcc3cab914a0a4d5aa369953b4297dbaa51532b1ed694ab6b7cb7d6f89ae",
    arm64: "10236e242728c28ed5237dadd091aa9e26699c8119eab105b0ac33bb69f320c8",
  },
};

export type NativeProgram = keyof typeof pinnedHashes;

export function nativeProgramPath(name: NativeProgram, architecture: string): string {
  return fileURLToPath(new URL(`../../native/${name}-${architecture}`, import.meta.url));
}

export function readNativeProgram(name: NativeProgram, architecture: string): Buffer {
  const expected = pinnedHashes[name][architecture];
  if (expected === undefined) throw new Error(`there is no native/${name} for the processor ${architecture}`);
  const bytes = readFileSync(nativeProgramPath(name, architecture));
  // SECURITY(T07): these binaries run first in every box, or around it, so a changed one must not be used.
  if (createHash("sha256").update(bytes).digest("hex") !== expected)
    throw new Error(`native/${name} does not have its pinned hash`);
  return bytes;
}
