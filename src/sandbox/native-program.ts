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
    x64: "f2a5449bbd0f6ee49a7f40bd0d312e2a8a9d01b1a04bd94fbe95b4ac1d8e61e4",
    arm64: "fc7b8ebd897d6dbbc353aabe99e0a5e9b47dfa802afb5c79ea436adb27003aa1",
  },
  keeper: {
    x64: "81f97df468533254abf01f25b955903c0768da9a554c7a78320649cf9e7f366e",
    arm64: "fccbcd99dddd61b4b5d5194c0b97e5fc0cdc9379758fb41b76d7a5dd900fadb9",
  },
  forker: {
    x64: "ea6232bc5c7fa34f02fcee7ca9032369241062e0d1fd9c4e1640041a8e97cf1d",
    arm64: "0b00ab0bfdb0877aaa2c5df272bffc64ee518fd6e3cbc32ac47848ec7d158444",
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
