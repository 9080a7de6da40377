// The person at GitHub: signing in by the device flow, and who they are.
// Invariant: the token is in the browser's memory and in requests to the GitHub that gave it, and in no answer to the panel.

import { beginDeviceSignIn } from "../../src/git/target/github/device-sign-in.ts";
import type { SendContext } from "../../src/git/target/github/github-send.ts";
import type { Failure } from "../../src/shared/failure.ts";
import { fieldsOf } from "../../src/shared/json.ts";
import { fail, ok, type Result } from "../../src/shared/result.ts";
import type { SignInState, WorkState } from "../../src/web/api-work.ts";
import { apiOf, type ListContext, readAccount } from "./github-lists.ts";
import type { Kept } from "./kept.ts";
import type { Secrets } from "./service-port.ts";

export interface SignInParts {
  readonly kept: Kept;
  readonly secrets: Secrets;
  readonly send: SendContext["send"];
  /** Called when what the panel shows has changed. */
  readonly changed: () => void;
}

/** As it is kept, so that a token is never without the GitHub that gave it. */
interface SignedIn {
  readonly token: string;
  readonly githubUrl: string;
}

export class SignIn {
  readonly #parts: SignInParts;
  #state: SignInState | null = null;
  /** The sign-in that goes on. What comes of an older one is dropped. */
  #waiting: AbortController | null = null;
  #signedIn: SignedIn | null = null;

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  /** After the worker has started: the token of before, if the browser still has it. */
  async restore(): Promise<void> {
    const { kept, secrets } = this.#parts;
    const before = parseSignedIn(await secrets.read("github-token"));
    this.#signedIn = before?.githubUrl === this.#githubUrl ? before : null;
    if (this.#signedIn === null && kept.read("account") !== null) kept.keep("account", null);
  }

  get state(): SignInState | null {
    return this.#state;
  }

  get account(): WorkState["account"] {
    const account = this.#signedIn === null ? null : this.#parts.kept.read("account");
    return account === null ? null : { login: account.login };
  }

  /** SECURITY(T91): an open draft may be of another GitHub than the one that the person has signed in to since. */
  tokenFor(githubUrl: string): string | null {
    return this.#signedIn?.githubUrl === githubUrl ? this.#signedIn.token : null;
  }

  /** As GitHub names those who commit on its page: an address that is not the person's own. */
  authorFor(githubUrl: string): { readonly name: string; readonly email: string; readonly guessed: readonly string[] } {
    const account = this.tokenFor(githubUrl) === null ? null : this.#parts.kept.read("account");
    const host = new URL(githubUrl).hostname;
    if (account === null)
      return { name: "sallyport", email: `sallyport@users.noreply.${host}`, guessed: ["user.name", "user.email"] };
    return { name: account.name, email: `${account.id}+${account.login}@users.noreply.${host}`, guessed: [] };
  }

  access(): Result<ListContext> {
    if (this.#signedIn === null)
      return fail("permission_denied", "Nobody is signed in to GitHub.", { hint: "Sign in first." });
    const { token, githubUrl } = this.#signedIn;
    return ok({ apiUrl: apiOf(githubUrl), token, send: this.#parts.send });
  }

  /** Answers when there is a code. What follows is in the state. */
  async begin(): Promise<Result<SignInState>> {
    const { kept, send } = this.#parts;
    const { clientId } = kept.read("settings");
    const githubUrl = this.#githubUrl;
    if (clientId === null)
      return fail("invalid_args", "There is no client id yet.", {
        hint: "Give the id of an app at GitHub with the device flow.",
      });
    this.#waiting?.abort();
    const waiting = (this.#waiting = new AbortController());
    const context = { clientId, scope: "repo", baseUrl: githubUrl, send, signal: waiting.signal } as const;
    const begun = await beginDeviceSignIn(context);
    if (!begun.ok) return this.#refused(waiting, begun.failure);
    if (waiting.signal.aborted) return fail("conflict", "The sign-in was ended, or begun anew.");
    const { userCode, verificationUrl, validS } = begun.value;
    const until = new Date(Date.now() + validS * 1000).toISOString();
    const state: SignInState = { kind: "waiting", userCode, verificationUrl, until };
    this.#state = state;
    this.#parts.changed();
    void begun.value.token().then((token) => this.#finish(waiting, githubUrl, token));
    return ok(state);
  }

  /** Also when the person chooses another GitHub: a token is for the one that gave it. */
  async end(): Promise<void> {
    this.#waiting?.abort();
    this.#waiting = null;
    this.#state = null;
    this.#signedIn = null;
    this.#parts.kept.keep("account", null);
    await this.#parts.secrets.keep("github-token", null);
    this.#parts.changed();
  }

  /** SECURITY(T91): whatever the person has done meanwhile, the token goes to the GitHub that gave it, and to no other. */
  async #finish(waiting: AbortController, githubUrl: string, token: Result<string>): Promise<void> {
    const { kept, secrets, send } = this.#parts;
    if (!token.ok) return void this.#refused(waiting, token.failure);
    const signedIn: SignedIn = { token: token.value, githubUrl };
    const account = await readAccount({ apiUrl: apiOf(githubUrl), token: token.value, send, signal: waiting.signal });
    if (!account.ok) return void this.#refused(waiting, account.failure);
    if (waiting.signal.aborted) return;
    // SECURITY(T91): the browser's memory has it, and no disk.
    await secrets.keep("github-token", JSON.stringify(signedIn));
    if (waiting.signal.aborted) {
      const current = this.#signedIn;
      return await secrets.keep("github-token", current === null ? null : JSON.stringify(current));
    }
    this.#signedIn = signedIn;
    kept.keep("account", account.value);
    this.#state = null;
    this.#parts.changed();
  }

  #refused(waiting: AbortController, failure: Failure): { ok: false; failure: Failure } {
    const { message, hint = null } = failure;
    if (!waiting.signal.aborted) {
      this.#state = { kind: "refused", message, hint };
      this.#parts.changed();
    }
    return { ok: false, failure };
  }

  get #githubUrl(): string {
    return this.#parts.kept.read("settings").githubUrl;
  }
}

function parseSignedIn(text: string | null): SignedIn | null {
  if (text === null) return null;
  try {
    const { token, githubUrl } = fieldsOf(JSON.parse(text));
    return typeof token === "string" && typeof githubUrl === "string" ? { token, githubUrl } : null;
  } catch {
    return null;
  }
}
