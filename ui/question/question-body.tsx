// The content of a question other than a push: the whole script, why the gate asks, and every other detail.

import type { QuestionView } from "../../src/web/api.ts";
import { T } from "../text.tsx";
import { type Detail, partsOf } from "./question-text.ts";

const WHOLE_CHARACTERS = 400_000;
/** A longer command is cut in the heading of the page, and stands whole among the details. */
export const HEADING_CHARACTERS = 300;

export function QuestionBody({ question }: { readonly question: QuestionView }) {
  const { script, reasons, details, whole } = partsOf(question.text);
  return (
    <>
      {script !== null && (
        <section class="question-section" aria-label="The script">
          <pre class="block question-script">
            <T text={script} multiline maxLength={WHOLE_CHARACTERS} />
          </pre>
        </section>
      )}
      {reasons.length > 0 && <Reasons reasons={reasons} />}
      <section class="question-section">
        <h2>{script === null ? "What it would do" : "How it would run"}</h2>
        {whole === null ? (
          <Details details={details} hasScript={script !== null} />
        ) : (
          <pre class="block">
            <T text={whole} multiline maxLength={WHOLE_CHARACTERS} />
          </pre>
        )}
      </section>
    </>
  );
}

/** The main lines of a question. A script is shown above them and replaces `run`. */
const mainLabels = ["run", "does", "inside"];

function Details({ details, hasScript }: { readonly details: readonly Detail[]; readonly hasScript: boolean }) {
  const isMain = (label: string) => mainLabels.includes(label) && !(hasScript && label === "run");
  return (
    <dl class="does">
      {details.map(({ label, value }, index) => (
        <div key={index} class={`does-row${isMain(label) ? " is-main" : ""}`}>
          <dt>{label}</dt>
          <dd>
            <T text={value} maxLength={WHOLE_CHARACTERS} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Reasons({ reasons }: { readonly reasons: readonly string[] }) {
  return (
    <section class="question-section">
      <h2>Why it is asked</h2>
      <ul class="reasons">
        {reasons.map((reason) => (
          <li key={reason}>
            <T text={reason} maxLength={WHOLE_CHARACTERS} />
          </li>
        ))}
      </ul>
    </section>
  );
}
