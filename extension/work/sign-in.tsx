// Signs in to GitHub by its device flow: a code that the person types on GitHub's own page.

import { useState } from "preact/hooks";
import type { SignInState } from "../../src/web/api-work.ts";
import type { ApiError } from "../../ui/client.ts";
import { Problem } from "../../ui/problem.tsx";
import { errorOf } from "../../ui/resource.ts";
import { T } from "../../ui/text.tsx";
import { Waits } from "../../ui/time.tsx";
import { linkAt } from "./github-links.ts";
import { workCalls } from "./work-calls.ts";
import { useWork } from "./work-state.ts";

export function SignIn() {
  const { signIn } = useWork();
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const act = (work: Promise<unknown>) => {
    setIsBusy(true);
    setError(null);
    work.catch((thrown: unknown) => setError(errorOf(thrown))).finally(() => setIsBusy(false));
  };
  return (
    <div class="step">
      <h1>Sign in to GitHub</h1>
      {error !== null && <Problem error={error} />}
      {signIn?.kind === "waiting" ? (
        <Waiting signIn={signIn} onCancel={() => act(workCalls.signOut())} />
      ) : (
        <>
          {signIn?.kind === "refused" && (
            <div class="notice is-high" role="alert">
              <p class="problem">
                <T text={signIn.message} maxLength={1_000} />
              </p>
              {signIn.hint !== null && (
                <p class="problem-hint">
                  <T text={signIn.hint} maxLength={1_000} />
                </p>
              )}
            </div>
          )}
          <p>
            You get a code here and type it on GitHub's own page, where you say what may be done in your name. Nothing
            else of you is asked for.
          </p>
          <p class="quiet">The token that GitHub gives is gone when the browser ends. The agent never sees it.</p>
          <button
            class="button is-main"
            type="button"
            aria-disabled={isBusy}
            onClick={() => !isBusy && act(workCalls.signIn())}
          >
            {signIn?.kind === "refused" ? "Try again" : "Sign in to GitHub"}
          </button>
        </>
      )}
    </div>
  );
}

interface WaitingProps {
  readonly signIn: Extract<SignInState, { readonly kind: "waiting" }>;
  readonly onCancel: () => void;
}

function Waiting({ signIn: { userCode, verificationUrl, until }, onCancel }: WaitingProps) {
  const { settings } = useWork();
  const [copied, setCopied] = useState<"" | "yes" | "no">("");
  const copy = () =>
    void navigator.clipboard.writeText(userCode).then(
      () => setCopied("yes"),
      () => setCopied("no"),
    );
  const link = linkAt(settings.githubUrl, verificationUrl);
  return (
    <>
      <p>Type this code on GitHub's page:</p>
      <p class="user-code mono" role="status">
        <T text={userCode} maxLength={40} />
      </p>
      <div class="button-row">
        <button class="button" type="button" onClick={copy}>
          Copy the code
        </button>
        {link !== null && (
          <a class="button is-main" href={link} target="_blank" rel="noopener noreferrer">
            Open GitHub
          </a>
        )}
      </div>
      <p class="quiet" role="status">
        {copied === "yes" ? "Copied." : copied === "no" ? "The browser did not copy it. Type it." : ""}
      </p>
      <p>
        The page is{" "}
        <span class="mono">
          <T text={verificationUrl} maxLength={400} />
        </span>
        .{link === null && " It is not at the GitHub of your settings, so there is no link to it."}
      </p>
      <p class="quiet">
        Waiting for your yes there; <Waits until={until} />.
      </p>
      <button class="button is-small" type="button" onClick={onCancel}>
        Cancel
      </button>
    </>
  );
}
