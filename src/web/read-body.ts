// Reads and checks a request's JSON; otherwise returns a refusal that names the field.

import type { Context } from "hono";
import type { z } from "zod";
import { concatBytes } from "../shared/bytes.ts";
import { limits } from "../shared/limits.ts";
import { refuse } from "./refuse.ts";

export async function readBody<T>(
  c: Context,
  schema: z.ZodType<T>,
  mostBytes: number = limits.pageBodyBytes,
): Promise<T | Response> {
  const text = await readText(c.req.raw.body, mostBytes);
  if (text === null) return tooLong(c, mostBytes);
  // SECURITY(T81): a device may have been revoked while it sent this, for as long as it liked.
  if (c.get("isStillIn")?.() === false)
    return refuse(c, 401, "unauthorized", "This device was revoked, or the server was started anew.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(c, 400, "invalid_args", "The request is not JSON.");
  }
  return readValue(c, value, schema);
}

/** Null if the body is too long. The rest is then not read. */
async function readText(body: ReadableStream<Uint8Array> | null, mostBytes: number): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > mostBytes) return null;
    pieces.push(piece);
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(concatBytes(pieces));
}

export function tooLong(c: Context, mostBytes: number = limits.pageBodyBytes): Response {
  return refuse(c, 413, "too_large", `The request is longer than ${mostBytes} bytes.`);
}

export function readValue<T>(c: Context, value: unknown, schema: z.ZodType<T>): T | Response {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") ?? "";
  return refuse(c, 400, "invalid_args", `${field === "" ? "" : `${field}: `}${issue?.message ?? "not understood"}`);
}
