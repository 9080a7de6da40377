// What a person can do with a session's work: choose how it should land, which shows exactly what would, or discard it.

import { useState } from "preact/hooks";
import type { ChangesView, LandingView, LandRequest } from "../../src/web/api-changes.ts";
import { type ApiError, post } from "../client.ts";
import { ErrorText } from "../problem.tsx";
import { useArmed } from "../question/armed.ts";
import { errorOf } from "../resource.ts";
import { goTo, linkTo } from "../route.ts";
import { shown } from "../text.tsx";
import { DiscardButton } from "./discard.tsx";

type How = LandRequest["how"];

export interface LandPanelProps {
  readonly view: ChangesView;
  /** The address of the session. */
  readonly path: string;
  /** Called when the session has changed something since it was shown. */
  readonly onStale: () => void;
}

export function LandPanel({ view, path, onStale }: LandPanelProps) {
  const { digest, place, project, commits } = view;
  const [how, setHow] = useState<How>(place === null ? "here" : "commit");
  const [branch, setBranch] = useState(shown(view.branch));
  const [message, setMessage] = useState(shown(view.message));
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const isArmed = useArmed(digest);
  const fail = (thrown: unknown) => {
    const problem = errorOf(thrown);
    setError(problem);
    if (problem.status === 409 || problem.status === 404) onStale();
  };
  const land = (event: Event) => {
    if (!isArmed(event) || isBusy) return;
    setIsBusy(true);
    setError(null);
    const onBranch = how === "here" ? {} : { branch };
    const body: LandRequest = { digest, how, ...onBranch, ...(how === "commit" ? { message } : {}) };
    post<LandingView>(`${path}/land`, body)
      .then(({ id }) => goTo(linkTo.landing(id)), fail)
      .finally(() => setIsBusy(false));
  };
  const ways: readonly (readonly [How, string])[] = [
    ...(place === null ? [] : ([["commit", "As one commit on a branch"]] as const)),
    ...(place === null || (commits ?? 0) === 0
      ? []
      : ([["series", `As the ${commits === 1 ? "commit" : `${commits} commits`} made inside`]] as const)),
    ...(project === null ? [] : ([["here", "Into the files here, without a commit"]] as const)),
  ];
  return (
    <section class="answer panel" aria-labelledby="land-title" data-sending={isBusy}>
      <h2 id="land-title" class="panel-title">
        Land or discard
      </h2>
      <div class="panel-body">
        {ways.length === 0 ? (
          <p>
            Nobody knows in which repository it should land. In the project, <code>sallyport changes land</code> does
            it.
          </p>
        ) : (
          <fieldset class="land-ways">
            <legend class="said">How it should land</legend>
            {ways.map(([value, label]) => (
              <label key={value}>
                <input type="radio" name="how" value={value} checked={how === value} onChange={() => setHow(value)} />
                <span>{label}</span>
              </label>
            ))}
          </fieldset>
        )}
        {ways.length > 0 && how !== "here" && (
          <div>
            <label class="label" for="branch">
              Branch
            </label>
            <input
              id="branch"
              class="field is-code"
              maxLength={250}
              value={branch}
              spellcheck={false}
              autocomplete="off"
              onInput={(event) => setBranch(event.currentTarget.value)}
            />
          </div>
        )}
        {ways.length > 0 && how === "commit" && (
          <div>
            <label class="label" for="message">
              Message
            </label>
            <textarea
              id="message"
              class="field"
              rows={3}
              maxLength={20_000}
              value={message}
              onInput={(event) => setMessage(event.currentTarget.value)}
            />
          </div>
        )}
        {how === "series" && <p class="quiet">What is not committed inside stays behind.</p>}
        {ways.length > 0 && (
          <>
            <button type="button" class="button is-main" aria-disabled={isBusy} onClick={land}>
              {isBusy ? "Preparing…" : "Show what would land"}
            </button>
            <p class="quiet land-hint">Nothing lands before you have seen exactly that, and say yes.</p>
          </>
        )}
        {error !== null && (
          <div role="alert">
            <ErrorText error={error} />
          </div>
        )}
        <DiscardButton view={view} path={path} onFailed={fail} />
      </div>
    </section>
  );
}
