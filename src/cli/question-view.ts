// A question as a terminal shows it: who asks for what and why, all of it, and what each answer will mean.
// Invariant: every line that holds data begins with a gutter of ours, so that no data can look like the dialog; nothing
// is cut, and where a line is broken a mark in the gutter says so.

import type { Question, Severity } from "../approval/approver.ts";
import type { Offer } from "../approval/offer.ts";
import { renderRule } from "../policy/render.ts";
import type { RuleText } from "../policy/rule.ts";
import { displayText } from "../shared/display.ts";
import { columnsOf, cutColumns, padColumns, splitColumns } from "./columns.ts";
import type { Look } from "./look.ts";
import { wrapText } from "./table.ts";
import type { Style } from "./terminal.ts";

export const severityStyle: Readonly<Record<Severity, Style>> = { low: "cyan", medium: "yellow", high: "red" };

export interface Choice {
  readonly key: string;
  readonly name: string;
  readonly offer: Offer;
}

const namesOfKeys: readonly (readonly [Offer["decision"], Offer["scope"], key: string, name: string])[] = [
  ["allow", "session", "s", "yes, this session"],
  ["allow", "once", "o", "yes, once"],
  ["allow", "project", "p", "yes, always here"],
  ["allow", "everywhere", "e", "yes, everywhere"],
  ["deny", "once", "n", "no"],
  ["deny", "once", "r", "no, and why"],
  ["deny", "project", "N", "no, always here"],
];

/** Of a push: n and p move between its files, so no is r alone, and what p said is under P; the first is under a. */
export function pushChoicesOf(question: Pick<Question, "offers">): Choice[] {
  return choicesOf(question)
    .filter(({ key }) => key !== "n")
    .map((choice, index) => {
      const key = index === 0 && choice.offer.decision === "allow" ? "a" : choice.key === "p" ? "P" : choice.key;
      return { ...choice, key };
    });
}

/** Only what is offered; the default first. */
export function choicesOf({ offers }: Pick<Question, "offers">): Choice[] {
  return namesOfKeys.flatMap(([decision, scope, key, name]) => {
    const offer = offers.find((one) => one.decision === decision && one.scope === scope);
    return offer === undefined ? [] : [{ key, name, offer }];
  });
}

/** The whole question. What is on these lines is all that a person has to see before they answer. */
export function questionLines(question: Question, look: Look): string[] {
  const { severity, id } = question;
  const style = severityStyle[severity];
  const title = `sallyport asks (${severity} risk)`;
  const where = [`project ${question.project}`, `session ${question.session}`].map((text) => displayText(text));
  return [
    frameLine("top", `${title}  ${displayText(id, { maxLength: 60 })}`, look, style),
    ...dataLines([...question.text.split("\n"), "", ...where], look, style),
    frameLine("bottom", "", look, style),
    ...choiceLines(choicesOf(question), look),
  ];
}

export function choiceLines(choices: readonly Choice[], look: Look): string[] {
  const nameWidth = Math.max(...choices.map(({ name }) => name.length));
  const isNarrow = look.width < nameWidth + 36;
  return choices.flatMap(({ key, name, offer }, index) => {
    const head = ` ${look.paint(`[${key}]`, "bold")} ${padColumns(name, nameWidth)}`;
    const meaning = key === "r" ? reasonMeaning(choices, offer) : offer.meaning;
    const indent = " ".repeat(isNarrow ? 5 : nameWidth + 7);
    const wrapped = wrapText(meaning, look.width, indent);
    const lines = isNarrow
      ? [head.trimEnd(), ...wrapped]
      : [`${head}  ${(wrapped[0] ?? "").trimStart()}`, ...wrapped.slice(1)];
    return [...lines.map((line) => line.trimEnd()), ...rulesOnce(choices, index, look)];
  });
}

function reasonMeaning(choices: readonly Choice[], { meaning }: Offer): string {
  return `${choices.some(({ key }) => key === "n") ? "the same" : meaning}, and the agent is told the reason`;
}

/** The rules stand below the last of the answers that would store them. */
function rulesOnce(choices: readonly Choice[], index: number, look: Look): string[] {
  const { offer } = choices[index] as Choice;
  const same = choices.filter((one) => one.offer.decision === offer.decision && one.offer.rules.length > 0);
  if (offer.rules.length === 0 || same.at(-1)?.offer !== offer) return [];
  const keys = same.map(({ key }) => key).join(", ");
  return [...wrapText(`${keys} would keep:`, look.width, "     "), ...ruleLines(offer.rules, look)];
}

/** Rules as they are stored, one after another. */
export function ruleLines(rules: readonly RuleText[], look: Look): string[] {
  return dataLines(rules.map(renderRule), look, "dim");
}

const LABEL_COLUMNS = 9;

/** A line of a frame: a word of ours, then what came from outside. */
export function labelledLines(
  label: string,
  text: string,
  look: Look,
  style: Style,
  textStyles: readonly Style[] = [],
): string[] {
  return dataLines([text === "" ? label : `${label.padEnd(LABEL_COLUMNS)}${text}`], look, style, textStyles);
}

/** Set off by the gutter; continued lines have a mark in it, where data cannot write. */
export function dataLines(
  texts: readonly string[],
  look: Look,
  style: Style,
  textStyles: readonly Style[] = [],
): string[] {
  const [bar, mark] = look.isUnicode ? ["│", "↪"] : ["|", ">"];
  return texts.flatMap((text) => {
    const inert = safeForLook(displayText(text, { maxLength: 200_000 }), look);
    return splitColumns(inert, look.width - 2).map(
      (piece, index) =>
        `${look.paint(`${bar}${index === 0 ? (piece === "" ? "" : " ") : mark}`, style)}${look.paint(piece, ...textStyles)}`,
    );
  });
}

/** Where only ASCII can be relied on, the rest is shown by its number. */
export function safeForLook(text: string, { isUnicode }: Pick<Look, "isUnicode">): string {
  if (isUnicode) return text;
  return [...text.replaceAll("…", "...")]
    .map((character) =>
      /^[ -~]$/.test(character) ? character : `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
    )
    .join("");
}

export function frameLine(side: "top" | "bottom", title: string, look: Look, style: Style): string {
  const [corner, line] = look.isUnicode ? [side === "top" ? "┌" : "└", "─"] : ["+", "-"];
  const text = title === "" ? "" : `${line} ${cutColumns(title, look.width - 6, look.isUnicode)} `;
  const rest = line.repeat(Math.max(0, look.width - 1 - columnsOf(text)));
  return look.paint(`${corner}${text}${rest}`, style, "bold");
}
