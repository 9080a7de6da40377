// What a grant says about the inside of connections to a host (`open: true`): methods, paths, a credential, a cache, a number.
// Invariant: a host with a credential is for reading, unless its methods are written.

import { parseGlob } from "../shared/glob.ts";
import { fail, ok, type Result } from "../shared/result.ts";

export interface WrittenCredential {
  readonly env?: string | undefined;
  readonly file?: string | undefined;
  readonly header?: string | undefined;
  readonly scheme?: string | undefined;
}

export interface WrittenOpenHost {
  readonly open?: boolean | undefined;
  readonly methods?: readonly string[] | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly credential?: WrittenCredential | undefined;
  readonly cache?: boolean | undefined;
  readonly requests?: number | undefined;
}

/** Where the gate finds the secret, and how it sends it. The agent never sees it. */
export interface HostCredential {
  readonly from: { readonly kind: "env"; readonly name: string } | { readonly kind: "file"; readonly path: string };
  readonly header: string;
  /** Stands before the secret, as in `Bearer`; empty for the secret alone. */
  readonly scheme: string;
}

export interface OpenHost {
  /** Null is any method. */
  readonly methods: readonly string[] | null;
  /** Globs over the path of the URL. Null is any path. */
  readonly paths: readonly string[] | null;
  readonly credential: HostCredential | null;
  readonly cache: boolean;
  /** How many requests one call may send. Null is any number. */
  readonly requests: number | null;
}

const reading = ["GET", "HEAD"] as const;
/** They would lead to another host, or send the credential back. */
const neverMethods = ["CONNECT", "TRACE"];

/** Null if the connections stay closed to the gate. A failure's message begins with the field that is wrong. */
export function parseOpenHost(written: WrittenOpenHost): Result<OpenHost | null> {
  const { open = false, methods, paths, credential, cache = false, requests } = written;
  if (!open) {
    const stray = (["methods", "paths", "credential", "cache", "requests"] as const).find(
      (field) => written[field] !== undefined,
    );
    if (stray === undefined) return ok(null);
    return wrong(stray, "the gate sees it only in connections that it opens", "Add open: true.");
  }
  const method = methods?.find((one) => !/^[A-Z]{1,20}$/.test(one) || neverMethods.includes(one));
  if (methods?.length === 0) return wrong("methods", "is empty", "Name one, such as GET, or leave it out.");
  if (method !== undefined)
    return wrong("methods", `${JSON.stringify(method)} is not a method`, "Write them as GET, HEAD, POST.");
  if (paths?.length === 0) return wrong("paths", "is empty", "Name one, such as /api/**, or leave it out.");
  const path = paths?.find((one) => !one.startsWith("/") || !parseGlob(one).ok);
  if (path !== undefined)
    return wrong("paths", `${JSON.stringify(path)} is not a path of a URL`, "Begin it with /, as in /api/**.");
  const secret = credential === undefined ? ok(null) : parseCredential(credential);
  if (!secret.ok) return secret;
  return ok({
    methods: methods ?? (secret.value === null ? null : reading),
    paths: paths ?? null,
    credential: secret.value,
    cache,
    requests: requests ?? null,
  });
}

function parseCredential(written: WrittenCredential): Result<HostCredential> {
  const { env, file, header = "Authorization", scheme = header === "Authorization" ? "Bearer" : "" } = written;
  if ((env === undefined) === (file === undefined))
    return wrong("credential", "needs either env or file", "Write where the gate finds the secret.");
  if (env !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(env))
    return wrong("credential", `${JSON.stringify(env)} is not the name of a variable`, "Write env: NAME.");
  if (file !== undefined && !file.startsWith("/"))
    return wrong("credential", `${JSON.stringify(file)} is not an absolute path`, "Write it in full.");
  if (
    !/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(header) ||
    /^(?:host|content-.*|transfer-encoding|connection)$/i.test(header)
  )
    return wrong("credential", `${JSON.stringify(header)} cannot hold it`, "Write header: Authorization.");
  if (!/^[A-Za-z0-9-]{0,32}$/.test(scheme))
    return wrong("credential", `${JSON.stringify(scheme)} is not a scheme`, "Write scheme: Bearer.");
  const from =
    env === undefined ? ({ kind: "file", path: file ?? "" } as const) : ({ kind: "env", name: env } as const);
  return ok({ from, header, scheme });
}

function wrong(field: string, reason: string, hint: string): Result<never> {
  return fail("invalid_args", `${field}: ${reason}`, { hint });
}
