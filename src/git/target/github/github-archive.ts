// Gets the archive of a commit, to which GitHub's API redirects: `codeload.github.com` for github.com.
// Invariant: the token goes to the API alone, and bytes come only from the API's own host or its host for archives.

import { fail, ok, type Result } from "../../../shared/result.ts";
import { bodyPieces, type SendContext, sendTimed } from "./github-send.ts";

export interface ArchiveContext extends SendContext {
  /** The request that was redirected. */
  readonly api: {
    readonly baseUrl: string;
    readonly path: string;
    /** With the token. */
    readonly headers: Readonly<Record<string, string>>;
  };
}

export type ReadPieces = (pieces: AsyncIterable<Uint8Array>) => Promise<void>;

/** `redirect`: what the API answered to a request with `redirect: "manual"`. */
export async function readGithubArchive(
  redirect: Response,
  context: ArchiveContext,
  read: ReadPieces,
): Promise<Result<undefined>> {
  const { api, send } = context;
  const isHidden = redirect.type === "opaqueredirect"; // a browser shows neither the status nor the target
  const address = isHidden ? `${api.baseUrl}${api.path}` : redirect.headers.get("location");
  // SECURITY(T85): a redirect leads the gate to no other host.
  if (address === null || !isArchiveAddress(address, api.baseUrl)) return noArchive("no redirect to an archive");
  // SECURITY(T85): only the API gets the token. A browser takes it out when it follows to another origin; here it is not sent at
  // all, because the address of a private repository's archive has what it needs.
  const options = isHidden
    ? ({ headers: api.headers, redirect: "follow" } as const)
    : ({ headers: { "user-agent": "sallyport" }, redirect: "manual" } as const);
  // A page without permission for the host for archives gets an error here, as for a connection that breaks.
  const sent = { ...context, send: (url: string, init: RequestInit) => send(url, init).catch(() => Response.error()) };
  return await sendTimed(sent, address, options, async (response, heard) => {
    if (response.status !== 200 || !isArchiveAddress(response.url, api.baseUrl))
      return noArchive(`${response.status} in place of an archive`);
    await read(unpackedPieces(response, heard));
    return ok(undefined);
  });
}

/** `https://codeload.github.com` for the API at `https://api.github.com`, or the API's own host, as Enterprise servers have it. */
export function isArchiveAddress(address: string, baseUrl: string): boolean {
  if (!URL.canParse(address)) return false;
  const [url, api] = [new URL(address), new URL(baseUrl)];
  if (url.username !== "" || url.password !== "" || url.protocol !== api.protocol) return false;
  return url.hostname === api.hostname || url.host === `codeload.${api.host.replace(/^api\./, "")}`;
}

function noArchive(what: string): Result<never> {
  return fail("tool_failed", `GitHub gives no archive: ${what}.`, { hint: "The files can be read one by one." });
}

async function* unpackedPieces({ body }: Response, heard: () => void): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  try {
    for await (const piece of bodyPieces(body.pipeThrough(new DecompressionStream("gzip")))) {
      heard();
      yield piece;
    }
  } catch {
    // A broken connection or bad compression ends the pieces; only whole files count, and each by its id.
  }
}
