// Runs Bash or Python in the box, over the files of the draft: a call that the person makes.

import type { ExecutionResult } from "../../src/tools/programs/execution-result.ts";
import { displayName } from "../../src/shared/odd-name.ts";
import { SelectField } from "../../ui/field.tsx";
import { Problem } from "../../ui/problem.tsx";
import { T } from "../../ui/text.tsx";
import { AskedHere } from "./asked-here.tsx";
import { draftPath } from "./draft-path.ts";
import { type RunPlan, useRun } from "./run-state.ts";
import { linkToWork } from "./work-route.ts";

const OUTPUT_SHOWN = 100_000;

const languages = [
  { value: "Bash", name: "Bash" },
  { value: "Python", name: "Python" },
] as const satisfies readonly { readonly value: RunPlan["tool"]; readonly name: string }[];

const examples = {
  Bash: "grep -rn TODO . | sort | head",
  Python: "import json\nprint(json.load(open('package.json'))['name'])",
};

export function RunPage() {
  const { plan, isRunning, result, error, change, begin } = useRun();
  const submit = (event: Event) => {
    event.preventDefault();
    begin();
  };
  return (
    <>
      <div class="way">
        <a href={linkToWork.files()}>← Files</a>
      </div>
      <h1 class="view-title">Run</h1>
      <form class="form" onSubmit={submit}>
        <SelectField label="Language" value={plan.tool} options={languages} onValue={(tool) => change({ tool })} />
        <div class="form-field">
          <label class="label" for="run-text">
            Program
          </label>
          <textarea
            id="run-text"
            class="field mono"
            rows={5}
            required
            spellcheck={false}
            autocomplete="off"
            autocapitalize="off"
            placeholder={examples[plan.tool]}
            value={plan.text}
            onInput={(event) => change({ text: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
            }}
          />
          <p class="quiet form-hint">
            It sees the files as they are saved, has no network, and ends at its time limit. What it changes is in the
            draft.
          </p>
        </div>
        <div class="button-row">
          <button class="button is-main" type="submit" aria-disabled={isRunning}>
            Run
          </button>
          <span class="quiet" role="status">
            {isRunning ? "Running…" : result === null ? "" : endText(result)}
          </span>
        </div>
      </form>
      {isRunning && <AskedHere tools={[plan.tool]} />}
      {error !== null && <Problem error={error} />}
      {result !== null && <Ended result={result} />}
    </>
  );
}

function endText({ exit_code, signal, timed_out, duration_s }: ExecutionResult): string {
  if (timed_out) return `Ended at its time limit, after ${duration_s} s`;
  return exit_code === null ? `Ended by ${signal ?? "a signal"}` : `Exit code ${exit_code}, after ${duration_s} s`;
}

function Ended({ result }: { readonly result: ExecutionResult }) {
  const { stdout, stderr, stdout_truncated, stderr_truncated, artifacts, not_kept = [], hint } = result;
  return (
    <div class="run-end">
      <Output label="Output" text={stdout} isCut={stdout_truncated} />
      <Output label="Errors" text={stderr} isCut={stderr_truncated} />
      {stdout === "" && stderr === "" && <p class="quiet">It printed nothing.</p>}
      {hint !== undefined && (
        <p class="notice">
          <T text={hint} maxLength={2_000} />
        </p>
      )}
      {artifacts.length > 0 && (
        <section>
          <h2>Changed files</h2>
          <ul class="run-files">
            {artifacts.map(({ path, operation }) => (
              <li key={path}>
                {operation === "delete" ? (
                  <T text={displayName(draftPath(path))} maxLength={2_000} />
                ) : (
                  <a href={linkToWork.file(draftPath(path))}>
                    <T text={displayName(draftPath(path))} maxLength={2_000} />
                  </a>
                )}{" "}
                <span class="quiet">
                  <T text={operation} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {not_kept.length > 0 && (
        <section class="notice is-medium">
          <h2>Not kept</h2>
          <ul class="run-files">
            {not_kept.map(({ path, reason }) => (
              <li key={path}>
                <T text={displayName(draftPath(path))} maxLength={2_000} />: <T text={reason} maxLength={600} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

interface OutputProps {
  readonly label: string;
  readonly text: string;
  readonly isCut: boolean;
}

function Output({ label, text, isCut }: OutputProps) {
  if (text === "") return null;
  return (
    <section aria-label={label}>
      <h2>{label}</h2>
      {/* A box that scrolls takes the focus, so that the keys can move it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre class="panel run-output" tabIndex={0} role="group" aria-label={label}>
        <T text={text} multiline maxLength={OUTPUT_SHOWN} />
      </pre>
      {isCut && <p class="quiet form-hint">It printed more than a call takes, so a part is left out.</p>}
    </section>
  );
}
