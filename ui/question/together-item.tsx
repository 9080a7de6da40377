// One of several questions that are answered together: all of its text, and whether it is among them.

import type { TogetherRow } from "../../src/web/api-together.ts";
import { linkTo } from "../route.ts";
import { SeverityBadge } from "../severity.tsx";
import { T } from "../text.tsx";
import { Age } from "../time.tsx";
import { lineEnd } from "./seen-lines.ts";

export interface TogetherItemProps {
  readonly row: TogetherRow;
  readonly isSeen: boolean;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

const LINE_CHARACTERS = 400_000;

export function TogetherItem({ row, isSeen, isChosen, onToggle }: TogetherItemProps) {
  const { id, title, severity, agent, session, client, asked, text } = row;
  return (
    <li class={`panel together-item${isChosen ? "" : " is-out"}`}>
      <label class="together-head">
        <input type="checkbox" checked={isChosen} onChange={onToggle} />
        <span class="queue-title">
          <T text={title} maxLength={300} />
        </span>
        <SeverityBadge severity={severity} />
      </label>
      <p class="quiet together-facts">
        <T text={agent} maxLength={80} />
        {client !== undefined && (
          <>
            {" · "}
            <T text={client} maxLength={60} />
          </>
        )}
        {" · session "}
        <T text={session} maxLength={80} /> · <Age time={asked} /> · {isSeen ? "looked at" : "not looked at whole yet"}{" "}
        · <a href={linkTo.question(id)}>open alone</a>
      </p>
      <pre class="block together-text">
        {text.split("\n").map((line, index) => (
          <span key={index}>
            <T text={line} maxLength={LINE_CHARACTERS} />
            <span {...{ [lineEnd]: id }} class="together-end">
              {"\n"}
            </span>
          </span>
        ))}
      </pre>
    </li>
  );
}
