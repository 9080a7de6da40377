// The model that the person has chosen.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModel } from "ai";
import { secretsUrl } from "../../src/git/target/github/github-send.ts";
import { fail, ok, type Result } from "../../src/shared/result.ts";
import type { KeptSettings } from "./kept.ts";

interface ModelOptions {
  readonly apiKey: string;
  readonly fetch: typeof fetch;
  readonly baseURL?: string;
}

type Provider = NonNullable<KeptSettings["model"]>["provider"];

const providers: Readonly<Record<Provider, (options: ModelOptions, name: string) => LanguageModel>> = {
  // Anthropic refuses requests of browsers that do not say that they know what this means for the key.
  anthropic: (options, name) =>
    createAnthropic({ ...options, headers: { "anthropic-dangerous-direct-browser-access": "true" } })(name),
  openai: (options, name) => createOpenAI(options).chat(name),
  google: (options, name) => createGoogle(options)(name),
};

export function openModel(settings: KeptSettings["model"], key: string | null): Result<LanguageModel> {
  if (settings === null)
    return fail("invalid_args", "No model was chosen yet.", { hint: "Choose one in the settings." });
  const { provider, name, baseUrl } = settings;
  if (key === null)
    return fail("invalid_args", "There is no key for the model.", {
      hint: "Give it once more: it is forgotten when the browser ends.",
    });
  const baseURL = baseUrl === null ? undefined : keyAddress(baseUrl);
  if (baseURL === null) return fail("invalid_args", "The address of the model must be https.");
  const options = { apiKey: key, fetch: fetchAlone, ...(baseURL === undefined ? {} : { baseURL }) };
  return ok(providers[provider](options, name));
}

/** SECURITY(T91): the key goes over plain HTTP only if it stays on this machine. */
function keyAddress(text: string): string | null {
  try {
    return secretsUrl(text);
  } catch {
    return null;
  }
}

/** SECURITY(T91): a browser that follows a redirect takes a key in a header of the model's own along, to whatever host. */
function fetchAlone(...[url, options]: Parameters<typeof fetch>): ReturnType<typeof fetch> {
  const alone = { redirect: "error", cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer" } as const;
  return fetch(url, { ...options, ...alone });
}
