// Draws a question on a terminal: who asks for what and why, in full, and what each answer means.
// Invariant: every line with data begins with the gate's gutter, so that no data can look like the dialog. Nothing is cut, and
// a mark in the gutter shows where a line is wrapped.

import { answerName, firstKey, reasonKey, type StrayKeys } from "../../approval/answer-keys.ts";
import type { Question, Severity } from "../../approval/approver.ts";
import { meaningAmong } from "../../approval/answer-meaning.ts";
import type { Offer } from "../../approval/offer.ts";
import { keptLines } from "../../approval/question.ts";
import type { RuleText } from "../../policy/rule.ts";
import { displayText } from "../../shared/display.ts";
import { columnsOf, cutColumns, padColumns, splitColumns } from "./columns.ts";
import type { ViewStyle } from "./view-style.ts";
import { wrapText } from "./table.ts";
import type { Style } from "./terminal.ts";

export const severityStyle: Readonly<Record<Severity, Style>> = { low: "cyan", medium: "yellow", high: "red" };

export interface Choice {
  readonly key: string;
  readonly name: string;
  readonly offer: Offer;
}

/** Only the offered answers, in their order: the default first. A no has a second key, which asks for a reason. */
export function choicesOf({ offers }: Question): Choice[] {
  return offers.flatMap((offer) => {
    const { key, name } = answerName(offer);
    const why =
      offer.decision === "deny" && offer.scope === "once" ? [{ key: reasonKey, name: `${name}, and why`, offer }] : [];
    return [{ key, name, offer }, ...why];
  });
}

/** The choices for a push. n and p move between its files, so only r says no, and P replaces p. */
export function pushChoicesOf(question: Question): Choice[] {
  return choicesOf(question)
    .filter(({ key }) => key !== "n")
    .map((choice) => (choice.key === "p" ? { ...choice, key: "P" } : choice));
}

/** The choice of a key. `a` is the first answer if that is a yes. */
export function choiceOfKey(key: string, choices: readonly Choice[]): Choice | undefined {
  if (key !== firstKey) return choices.find((choice) => choice.key === key);
  return choices[0]?.offer.decision === "allow" ? choices[0] : undefined;
}

/** The message to a person who types text where single keys answer. */
export function strayText({ text }: StrayKeys): string {
  return `${JSON.stringify(displayText(text))} is no answer. Esc takes it away; then one key.`;
}

/** The whole question. A person has seen everything once these lines were on the screen. */
export function questionLines(question: Question, viewStyle: ViewStyle): string[] {
  const title = `sallyport asks (${question.severity} risk)  ${displayText(question.id, { maxLength: 60 })}`;
  return [...questionFrame(question, title, viewStyle), ...choiceLines(choicesOf(question), viewStyle)];
}

/** The question without its answers. Its first line is the title. */
export function questionFrame(question: Question, title: string, viewStyle: ViewStyle): string[] {
  const style = severityStyle[question.severity];
  const where = [`project ${question.project}`, `session ${question.session}`].map((text) => displayText(text));
  return [
    frameLine("top", title, viewStyle, style),
    ...dataLines([...question.text.split("\n"), "", ...where], viewStyle, style),
    frameLine("bottom", "", viewStyle, style),
  ];
}

export function choiceLines(choices: readonly Choice[], viewStyle: ViewStyle): string[] {
  const nameWidth = Math.max(...choices.map(({ name }) => name.length));
  const isNarrow = viewStyle.width < nameWidth + 36;
  return choices.flatMap(({ key, name, offer }, index) => {
    const head = ` ${viewStyle.paint(`[${key}]`, "bold")} ${padColumns(name, nameWidth)}`;
    const before = choices.slice(0, index).map((choice) => choice.offer);
    const meaning = key === reasonKey ? reasonMeaning(choices, offer) : meaningAmong(offer, before);
    const indent = " ".repeat(isNarrow ? 5 : nameWidth + 7);
    const wrapped = wrapText(meaning, viewStyle.width, indent);
    const lines = isNarrow
      ? [head.trimEnd(), ...wrapped]
      : [`${head}  ${(wrapped[0] ?? "").trimStart()}`, ...wrapped.slice(1)];
    return [...lines.map((line) => line.trimEnd()), ...rulesOnce(choices, index, viewStyle)];
  });
}

function reasonMeaning(choices: readonly Choice[], { meaning }: Offer): string {
  return `${choices.some(({ key }) => key === "n") ? "the same" : meaning}, and the agent is told the reason`;
}

/** Shows the rules below the last of the answers that would store them. */
function rulesOnce(choices: readonly Choice[], index: number, viewStyle: ViewStyle): string[] {
  const { offer } = choices[index] as Choice;
  const kept = keptLines(offer.rules).join("\n");
  const same = choices.filter(
    (one) => one.offer.decision === offer.decision && keptLines(one.offer.rules).join("\n") === kept,
  );
  if (offer.rules.length === 0 || same.at(-1)?.offer !== offer) return [];
  const keys = same.map(({ key }) => key).join(", ");
  return [...wrapText(`${keys} would keep:`, viewStyle.width, "     "), ...ruleLines(offer.rules, viewStyle)];
}

/** The rules as stored, each with what it allows. */
export function ruleLines(rules: readonly RuleText[], viewStyle: ViewStyle): string[] {
  return dataLines(keptLines(rules), viewStyle, "dim");
}

const LABEL_COLUMNS = 9;

/** A line of a frame: a label chosen by the gate, then data from outside. */
export function labelledLines(
  label: string,
  text: string,
  viewStyle: ViewStyle,
  style: Style,
  textStyles: readonly Style[] = [],
): string[] {
  return dataLines([text === "" ? label : `${label.padEnd(LABEL_COLUMNS)}${text}`], viewStyle, style, textStyles);
}

/** Data behind the gutter. A continued line has a mark in the gutter, which data cannot write. */
export function dataLines(
  texts: readonly string[],
  viewStyle: ViewStyle,
  style: Style,
  textStyles: readonly Style[] = [],
): string[] {
  const [bar, mark] = viewStyle.isUnicode ? ["│", "↪"] : ["|", ">"];
  return texts.flatMap((text) => {
    const inert = safeForStyle(displayText(text, { maxLength: 200_000 }), viewStyle);
    return splitColumns(inert, viewStyle.width - 2).map(
      (piece, index) =>
        `${viewStyle.paint(`${bar}${index === 0 ? (piece === "" ? "" : " ") : mark}`, style)}${viewStyle.paint(piece, ...textStyles)}`,
    );
  });
}

/** If the terminal shows only ASCII, other characters are shown by their code. */
export function safeForStyle(text: string, { isUnicode }: { readonly isUnicode: boolean }): string {
  if (isUnicode) return text;
  return [...text.replaceAll("…", "...")]
    .map((character) =>
      /^[ -~]$/.test(character) ? character : `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
    )
    .join("");
}

export function frameLine(side: "top" | "bottom", title: string, viewStyle: ViewStyle, style: Style): string {
  const [corner, line] = viewStyle.isUnicode ? [side === "top" ? "┌" : "└", "─"] : ["+", "-"];
  const text = title === "" ? "" : `${line} ${cutColumns(title, viewStyle.width - 6, viewStyle.isUnicode)} `;
  const rest = line.repeat(Math.max(0, viewStyle.width - 1 - columnsOf(text)));
  return viewStyle.paint(`${corner}${text}${rest}`, style, "bold");
}
