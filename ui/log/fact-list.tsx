// Shows the content of an entry to a person: command lines as in a shell, texts as texts, the rest as fields.

import { useState } from "preact/hooks";
import { displayCommand } from "../../src/shared/display.ts";
import { shown, T } from "../text.tsx";
import type { Fact } from "./facts.ts";
import { countText } from "./time-text.ts";

const LONGEST = 200_000;
const LINES_SHOWN = 16;

export function FactList({ facts }: { readonly facts: readonly Fact[] }) {
  if (facts.length === 0) return null;
  return (
    <dl class="facts story-facts">
      {facts.map((fact, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- they never change places
        <div key={index} class={`story-fact is-${fact.kind}`}>
          <dt>
            <T text={fact.name} maxLength={80} />
          </dt>
          <dd>
            <FactValue fact={fact} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function FactValue({ fact }: { readonly fact: Fact }) {
  switch (fact.kind) {
    case "command":
      // SECURITY(T19): displayCommand quotes the words, so that none of them can act on the page
      return <TextBlock text={displayCommand(fact.argv)} />;
    case "block":
      return <TextBlock text={fact.text} />;
    case "field":
      return (
        <code>
          <T text={fact.text} maxLength={2_000} />
        </code>
      );
    case "list":
      return <WordList {...fact} />;
  }
}

/** A complete text, folded if it is long. */
function TextBlock({ text }: { readonly text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const lines = text.split("\n");
  const isLong = lines.length > LINES_SHOWN + 4 || text.length > 4_000;
  const part = isLong && !isWhole ? lines.slice(0, LINES_SHOWN).join("\n").slice(0, 3_000) : text;
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a wide text scrolls, also by keyboard */}
      <pre class="block">{shown(part, { multiline: true, maxLength: LONGEST })}</pre>
      {isLong && (
        <button
          class="button is-plain is-small"
          type="button"
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole
            ? "Show less"
            : `Show all: ${countText(lines.length)} ${lines.length === 1 ? "line" : "lines"}, ${countText(text.length)} characters`}
        </button>
      )}
    </>
  );
}

function WordList({ items, isFolded }: Extract<Fact, { kind: "list" }>) {
  const list = (
    <ul class="story-list">
      {items.map((item, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- they never change places
        <li key={index}>
          <code>
            <T text={item} maxLength={2_000} />
          </code>
        </li>
      ))}
    </ul>
  );
  if (!isFolded) return list;
  return (
    <details>
      <summary>{countText(items.length)} in all</summary>
      {list}
    </details>
  );
}
