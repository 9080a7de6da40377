// The person at GitHub: signing in by the device flow, and who they are.
// Invariant: the token is in the browser's memory and in requests to GitHub, and in no answer to the panel.

import { beginDeviceSignIn } from "../../src/git/target/github/device-sign-in.ts";
import type { SendContext } from "../../src/git/target/github/github-send.ts";
import type { Failure } from "../../src/shared/failure.ts";
import { fail, ok, type Result } from "../../src/shared/result.ts";
import type { SignInState, WorkState } from "../../src/web/api-work.ts";
import { apiOf, type ListContext, readAccount } from "./github-lists.ts";
import type { Kept } from "./kept.ts";
import type { Secrets } from "./secrets.ts";

export interface SignInParts {
  readonly kept: Kept;
  readonly secrets: Secrets;
  readonly send: SendContext["send"];
  /** Called when what the panel shows has changed. */
  readonly changed: () => void;
}

export class SignIn {
  readonly #parts: SignInParts;
  #state: SignInState | null = null;
  #waiting: AbortController | null = null;
  #token: string | null = null;

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  /** After the worker has started: the token of before, if the browser still has it. */
  async restore(): Promise<void> {
    this.#token = await this.#parts.secrets.read("github-token");
    if (this.#token === null) this.#parts.kept.keep("account", null);
  }

  get state(): SignInState | null {
    return this.#state;
  }

  get account(): WorkState["account"] {
    const account = this.#token === null ? null : this.#parts.kept.read("account");
    return account === null ? null : { login: account.login };
  }

  get token(): string | null {
    return this.#token;
  }

  /** As GitHub names those who commit on its page: an address that is not the person's own. */
  author(): { readonly name: string; readonly email: string; readonly guessed: readonly string[] } {
    const { kept } = this.#parts;
    const account = kept.read("account");
    const host = new URL(kept.read("settings").githubUrl).hostname;
    if (account === null)
      return { name: "sallyport", email: `sallyport@users.noreply.${host}`, guessed: ["user.name", "user.email"] };
    return { name: account.name, email: `${account.id}+${account.login}@users.noreply.${host}`, guessed: [] };
  }

  access(): Result<ListContext> {
    const { kept, send } = this.#parts;
    if (this.#token === null)
      return fail("permission_denied", "Nobody is signed in to GitHub.", { hint: "Sign in first." });
    return ok({ apiUrl: apiOf(kept.read("settings").githubUrl), token: this.#token, send });
  }

  /** Answers when there is a code. What follows is in the state. */
  async begin(): Promise<Result<SignInState>> {
    const { kept, send } = this.#parts;
    const { clientId, githubUrl } = kept.read("settings");
    if (clientId === null)
      return fail("invalid_args", "There is no client id yet.", {
        hint: "Give the id of an app at GitHub with the device flow.",
      });
    this.#waiting?.abort();
    const waiting = (this.#waiting = new AbortController());
    const context = { clientId, scope: "repo", baseUrl: githubUrl, send, signal: waiting.signal } as const;
    const begun = await beginDeviceSignIn(context);
    if (!begun.ok) return this.#refused(begun.failure);
    const { userCode, verificationUrl, validS } = begun.value;
    this.#state = {
      kind: "waiting",
      userCode,
      verificationUrl,
      until: new Date(Date.now() + validS * 1000).toISOString(),
    };
    this.#parts.changed();
    void begun.value.token().then((token) => (waiting.signal.aborted ? undefined : this.#signedIn(token)));
    return ok(this.#state);
  }

  async end(): Promise<void> {
    this.#waiting?.abort();
    this.#waiting = null;
    this.#state = null;
    this.#token = null;
    this.#parts.kept.keep("account", null);
    await this.#parts.secrets.keep("github-token", null);
    this.#parts.changed();
  }

  async #signedIn(token: Result<string>): Promise<void> {
    const { kept, secrets, send } = this.#parts;
    if (!token.ok) return void this.#refused(token.failure);
    const account = await readAccount({ apiUrl: apiOf(kept.read("settings").githubUrl), token: token.value, send });
    if (!account.ok) return void this.#refused(account.failure);
    // SECURITY(T91): the browser's memory has it, and no disk.
    await secrets.keep("github-token", token.value);
    this.#token = token.value;
    kept.keep("account", account.value);
    this.#state = null;
    this.#parts.changed();
  }

  #refused(failure: Failure): { ok: false; failure: Failure } {
    const { message, hint = null } = failure;
    this.#state = { kind: "refused", message, hint };
    this.#parts.changed();
    return { ok: false, failure };
  }
}
