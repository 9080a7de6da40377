// Which addresses the settings need. The browser asks the person about them.

import { type GateAddress, readAddress } from "../address.ts";
import type { ModelSettings } from "../../src/web/api-work.ts";

/** What differs between the extension and a page that tests its views. */
export interface WorkHost {
  /** The browser asks whether these addresses may be reached, if it has not yet. Only right after a key or a click. */
  allow(patterns: readonly string[]): Promise<boolean>;
}

const publicGithub = "https://github.com";
const modelAddresses: Readonly<Record<ModelSettings["provider"], string>> = {
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com",
  google: "https://generativelanguage.googleapis.com",
};

/** Null if it is no address: with TLS, or of this machine. */
export function readPageAddress(text: string): GateAddress | null {
  return /^https?:\/\//i.test(text.trim()) ? readAddress(text) : null;
}

/** GitHub's own interface and archives have hosts of their own; those of an Enterprise server are at its page's. */
export function githubPatterns({ address, pattern }: GateAddress): readonly string[] {
  if (address !== publicGithub) return [pattern];
  return ["https://github.com/*", "https://api.github.com/*", "https://codeload.github.com/*"];
}

/** Null if the address is none. */
export function modelPatterns({ provider, baseUrl }: Omit<ModelSettings, "hasKey">): readonly string[] | null {
  const read = readPageAddress(baseUrl ?? modelAddresses[provider]);
  return read === null ? null : [read.pattern];
}
