// Loads the programs in native/: small static binaries of this project, one per processor architecture.
// Invariant: only a binary with the pinned hash is used.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** SHA-256 of each native/NAME-PROCESSOR. */
export const pinnedHashes: Readonly<
  Record<"init" | "overlay" | "forker" | "devices", Readonly<Record<string, string>>>
> = {
  init: {
    x64: "bc732680e7571809305d04e7aa5d277426fa4dd99768f4d1dd15604505591ffc",
    arm64: "96973021c48133e616153881acb355228d052a27697650eacde0caaebf4c2f42",
  },
  overlay: {
    x64: "cd067378fa51dbeb05c23281a3212ce8fb94334848413c8734f93bdf14f4b6de",
    arm64: "84c14e09c34157e94ebea8cc5f15f93a1b416e7c3a83e15dcb14c577a732cc18",
  },
  forker: {
    x64: "77416555c01e5b75afbbcbb2e660b80ea128c547279bc9268d223f936ff3ebcc",
    arm64: "e1a6367c8060a0eb6e4c29310ae45f812eb51e851ca8c7d923327baee35bd505",
  },
  devices: {
    x64: "68bd824480f3c439f9b317c804a163416013fcb77133c133f47d71846216a516",
    arm64: "17118b59c31a633f57ac9050d6381608f75f384b9e5ad85ea1020de3d011af92",
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
