// A push as it goes on: its question, and what came of it.

import { ErrorText } from "../../ui/problem.tsx";
import { ApiError } from "../../ui/client.ts";
import { T } from "../../ui/text.tsx";
import { AskedHere } from "./asked-here.tsx";
import { branchLink, commitLink } from "./github-links.ts";
import { type PushState, usePush } from "./push-state.ts";
import { useInView } from "./use-in-view.ts";
import { useWork } from "./work-state.ts";

export function PushPanel({ onAgain }: { readonly onAgain: () => void }) {
  const { state, again, close } = usePush();
  switch (state.kind) {
    case "idle":
      return null;
    case "staging":
      return (
        <p class="notice" role="status">
          Staging {state.plan.files.length === 1 ? "1 file" : `${state.plan.files.length} files`}…
        </p>
      );
    case "pushing":
      return (
        <section class="push-asked" aria-label="Push">
          <p class="notice" role="status">
            Pushing to{" "}
            <span class="mono">
              <T text={state.plan.branch} maxLength={300} />
            </span>
            . Nothing leaves before your answer.
          </p>
          <AskedHere tools={["git_push"]} />
        </section>
      );
    case "failed":
      return (
        <Failed
          state={state}
          onAgain={again}
          onClose={() => {
            close();
            onAgain();
          }}
        />
      );
    case "done":
      return <Done state={state} onClose={close} />;
  }
}

interface FailedProps {
  readonly state: Extract<PushState, { readonly kind: "failed" }>;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

function Failed({ state: { refused, staged }, onAgain, onClose }: FailedProps) {
  const shown = useInView<HTMLDivElement>("failed");
  return (
    <div ref={shown} class="notice is-high push-end" role="alert">
      <p>
        <strong>
          {refused.error === "approval_denied" ? "You said no, so nothing was pushed." : "It was not pushed."}
        </strong>
      </p>
      {refused.error !== "approval_denied" && <ErrorText error={new ApiError(0, refused)} />}
      <div class="button-row">
        {refused.error !== "approval_denied" && (
          <button class="button is-small" type="button" onClick={onAgain}>
            Try again
          </button>
        )}
        <button class="button is-small" type="button" onClick={onClose}>
          {staged === null ? "Close" : "Give it up"}
        </button>
      </div>
    </div>
  );
}

interface DoneProps {
  readonly state: Extract<PushState, { readonly kind: "done" }>;
  readonly onClose: () => void;
}

function Done({ state: { plan, commit, branch, isNewBranch, files }, onClose }: DoneProps) {
  const { settings } = useWork();
  const shown = useInView<HTMLElement>("done");
  const at = { githubUrl: settings.githubUrl, repository: plan.repository };
  const toBranch = branchLink(at, branch);
  const toCommit = commitLink(at, commit);
  return (
    <section ref={shown} class="notice push-end" aria-label="Pushed" role="status">
      <p>
        <strong>Pushed.</strong> {files === 1 ? "1 file" : `${files} files`} to{" "}
        {isNewBranch ? "the new branch" : "the branch"}{" "}
        <span class="mono">
          {toBranch === null ? (
            <T text={branch} maxLength={300} />
          ) : (
            <a href={toBranch} target="_blank" rel="noopener noreferrer">
              <T text={branch} maxLength={300} />
            </a>
          )}
        </span>
        , as commit{" "}
        <span class="mono">
          {toCommit === null ? (
            <T text={commit.slice(0, 12)} />
          ) : (
            <a href={toCommit} target="_blank" rel="noopener noreferrer" title={commit}>
              {commit.slice(0, 12)}
            </a>
          )}
        </span>
        .
      </p>
      <div class="button-row">
        {toBranch !== null && (
          <a class="button is-small" href={toBranch} target="_blank" rel="noopener noreferrer">
            Open on GitHub
          </a>
        )}
        <button class="button is-small is-plain" type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </section>
  );
}
