// The server's refusals: one format, with a hint about what would be accepted.

import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { ShownConflict } from "../git/publish/push/shown-conflict.ts";
import type { Failure } from "../shared/failure.ts";
import type { Refused } from "./api.ts";

type Slug =
  | Failure["error"]
  | "forbidden"
  | "unauthorized"
  | "method_not_allowed"
  | "too_large"
  | "unsupported"
  | "too_many";

export function refuse(
  c: Context,
  status: ContentfulStatusCode,
  error: Slug,
  message: string,
  hint?: string,
  conflict: ShownConflict | null = null,
): Response {
  const refused: Refused = {
    error,
    message,
    ...(hint === undefined || hint === "" ? {} : { hint }),
    ...(conflict === null ? {} : { conflict }),
  };
  return c.json(refused, status);
}

/** What the gate refused, with the reasons that it gave. */
export function refuseFailure(
  c: Context,
  { error, message, hint, because = [] }: Failure,
  conflict: ShownConflict | null = null,
): Response {
  const status = error === "not_found" ? 404 : error === "changed" || error === "conflict" ? 409 : 400;
  const told = [hint, ...because].filter((text) => text !== undefined).join(" ");
  return refuse(c, status, error, message, told, conflict);
}

export function refuseNotFound(c: Context, what: string, hint?: string): Response {
  return refuse(c, 404, "not_found", `${what} is not there.`, hint);
}

/** For a question that no longer waits and whose answer is no longer kept. */
export function noQuestion(c: Context): Response {
  return refuseNotFound(c, "This question", "It has expired or was withdrawn, or its answer was used.");
}
