// What a device may do, in words.

import type { Allowance } from "../../src/store/device-kind.ts";

export const mayWords: Readonly<Record<Allowance, string>> = {
  all: "answers everything",
  low: "answers what is of low risk, and sees the rest",
  see: "only looks",
};
