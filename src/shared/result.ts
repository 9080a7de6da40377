// The one shape for "it worked, or the gate said no".

import { type Failure, type FailureDetails, type FailureSlug, failure } from "./failure.ts";

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function fail(
  error: FailureSlug,
  message: string,
  details: FailureDetails = {},
): { ok: false; failure: Failure } {
  return { ok: false, failure: failure(error, message, details) };
}

/** Errors of arguments are `field: reason`. The field may be nested in another one. */
export function inField<T>(outer: string, result: Result<T>): Result<T> {
  if (result.ok || result.failure.error !== "invalid_args") return result;
  return { ok: false, failure: { ...result.failure, message: `${outer}.${result.failure.message}` } };
}
