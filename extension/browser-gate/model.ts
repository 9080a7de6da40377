// The model that the person has chosen.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModel } from "ai";
import { fail, ok, type Result } from "../../src/shared/result.ts";
import type { KeptSettings } from "./kept.ts";

export function openModel(settings: KeptSettings["model"], key: string | null): Result<LanguageModel> {
  if (settings === null)
    return fail("invalid_args", "No model was chosen yet.", { hint: "Choose one in the settings." });
  const { provider, name, baseUrl } = settings;
  if (provider === "browser")
    return fail("invalid_args", "The browser's own model cannot call tools yet.", {
      hint: "Choose a provider with a key.",
    });
  if (key === null)
    return fail("invalid_args", "There is no key for the model.", {
      hint: "Give it once more: it is forgotten when the browser ends.",
    });
  // SECURITY(T91): the key goes over plain HTTP only if it stays on this machine.
  const url = baseUrl === null ? null : URL.parse(baseUrl);
  const isLocal = url !== null && ["127.0.0.1", "localhost"].includes(url.hostname);
  if (baseUrl !== null && (url === null || (url.protocol !== "https:" && !isLocal)))
    return fail("invalid_args", "The address of the model must be https.");
  const options = { apiKey: key, ...(baseUrl === null ? {} : { baseURL: baseUrl }) };
  if (provider === "openai") return ok(createOpenAI(options).chat(name));
  // Anthropic refuses requests of browsers that do not say that they know what this means for the key.
  const headers = { "anthropic-dangerous-direct-browser-access": "true" };
  return ok(createAnthropic({ ...options, headers })(name));
}
