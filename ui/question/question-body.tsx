// A question that is not a push: why it is asked, and the whole text of what would be done.

import type { QuestionView } from "../../src/web/api.ts";
import { T } from "../text.tsx";

const WHOLE_CHARACTERS = 400_000;

export function QuestionBody({ question }: { readonly question: QuestionView }) {
  const { reasons, rest } = takeApart(question.text);
  return (
    <>
      {reasons.length > 0 && <Reasons reasons={reasons} />}
      <section class="question-section">
        <h2>What it would do</h2>
        <Deed text={rest} />
      </section>
    </>
  );
}

/** What every other line serves. */
const mainLabels = ["run", "does", "inside"];

/** The text of an action: a head, then lines of a label and a value. Where one is not, all stands as it is. */
function Deed({ text }: { readonly text: string }) {
  const lines = text.split("\n").slice(1);
  if (lines.length === 0 || !lines.every((line) => /^ {2}\S.{9} /.test(line)))
    return (
      <pre class="block">
        <T text={text} multiline maxLength={WHOLE_CHARACTERS} />
      </pre>
    );
  return (
    <dl class="does">
      {lines.map((line, index) => {
        const label = line.slice(2, 12).trim();
        return (
          <div key={index} class={`does-row${mainLabels.includes(label) ? " is-main" : ""}`}>
            <dt>{label}</dt>
            <dd>
              <T text={line.slice(13)} maxLength={WHOLE_CHARACTERS} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

export function Reasons({ reasons }: { readonly reasons: readonly string[] }) {
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

/** The text's head is a list of reasons up to an empty line. Where it is not, it is shown whole as it is. */
function takeApart(text: string): { readonly reasons: readonly string[]; readonly rest: string } {
  const lines = text.split("\n");
  const end = lines.indexOf("");
  const reasons = lines.slice(1, end);
  const isHead = /^Asked because \(\w+ risk\):$/.test(lines[0] ?? "") && end > 1;
  if (!isHead || !reasons.every((line) => line.startsWith("  "))) return { reasons: [], rest: text };
  return { reasons: reasons.map((line) => line.trim()), rest: lines.slice(end + 1).join("\n") };
}
