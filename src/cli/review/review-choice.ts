// The order and the filters of the list in `review`, on a screen of their own: what the page has in a bar.
// Invariant: a question that comes or goes meanwhile changes the numbers, never the line that is selected.

import type { Facet, QueueFacets, QueueFilter, QueueSort } from "../../approval/queue-list.ts";
import { displayText } from "../../shared/display.ts";
import { cutColumns } from "../terminal/columns.ts";
import { safeForStyle } from "../terminal/question-view.ts";
import { wrapText } from "../terminal/table.ts";
import type { ViewStyle } from "../terminal/view-style.ts";
import { choiceKeys, keyLines } from "./review-keys.ts";

export interface ListChoice {
  readonly sort: QueueSort;
  readonly filter: QueueFilter;
}

export const noChoice: ListChoice = { sort: "fair", filter: {} };

const sortNames: Readonly<Record<QueueSort, string>> = {
  fair: "agents and sessions take turns",
  oldest: "oldest first",
  newest: "newest first",
  risk: "highest risk first",
};

type Field = Exclude<keyof QueueFilter, "text">;

const fields: readonly { readonly field: Field; readonly of: keyof QueueFacets; readonly label: string }[] = [
  { field: "severity", of: "severities", label: "risk" },
  { field: "effect", of: "effects", label: "about" },
  { field: "agent", of: "agents", label: "agent" },
  { field: "client", of: "clients", label: "client" },
  { field: "session", of: "sessions", label: "session" },
];

/** What is chosen, in words; empty if nothing is. */
function filterText(filter: QueueFilter): string {
  const chosen = fields.flatMap(({ field, label }) => {
    const value = filter[field];
    return value === undefined ? [] : [`${label} ${displayText(value, { maxLength: 40 })}`];
  });
  const text = filter.text ?? "";
  return [...chosen, ...(text === "" ? [] : [displayText(text, { maxLength: 40 })])].join(", ");
}

interface ChoiceLine {
  /** The same as long as the screen is open. */
  readonly name: string;
  readonly text: string;
  readonly isOn: boolean;
  readonly chosen: ListChoice;
}

/** A label, then what there is to choose between. A field with one value is left out. */
function choiceGroups({ sort, filter }: ListChoice, facets: QueueFacets): readonly [string, readonly ChoiceLine[]][] {
  const orders = (Object.keys(sortNames) as QueueSort[]).map((one) => ({
    name: `sort ${one}`,
    text: sortNames[one],
    isOn: one === sort,
    chosen: { sort: one, filter },
  }));
  const filters = fields.flatMap(({ field, of, label }): [string, readonly ChoiceLine[]][] => {
    const chosen = filter[field];
    const known = facets[of];
    if (chosen === undefined && known.length < 2) return [];
    const isGone = chosen !== undefined && known.every(({ value }) => value !== chosen);
    const values: readonly Facet[] = isGone ? [...known, { value: chosen, count: 0 }] : known;
    const lines = values.map(({ value, count, name = value }) => ({
      name: `${field} ${value}`,
      text: `${displayText(name, { maxLength: 80 })} (${count})`,
      isOn: value === chosen,
      chosen: { sort, filter: { ...filter, [field]: value === chosen ? undefined : value } },
    }));
    return [[label, lines]];
  });
  return [["order", orders], ...filters];
}

export class ChoiceDialog {
  #selected = "sort fair";
  #isHelp = false;

  get isHelping(): boolean {
    return this.#isHelp;
  }

  /** As many lines as there is room for, the selected one among them. */
  draw(choice: ListChoice, facets: QueueFacets, fits: string, viewStyle: ViewStyle) {
    if (this.#isHelp) return { lines: keyLines(choiceKeys, viewStyle.width), bottom: ["", "any key: back"] };
    const cut = (text: string) => cutColumns(safeForStyle(text, viewStyle), viewStyle.width, viewStyle.isUnicode);
    const all = choiceGroups(choice, facets).flatMap(([label, lines]) => [
      { name: null, line: viewStyle.paint(label, "dim") },
      ...lines.map(({ name, text, isOn }) => {
        const line = cut(`${name === this.#selected ? ">" : " "} [${isOn ? "x" : " "}] ${text}`);
        return { name, line: name === this.#selected ? viewStyle.paint(line, "bold") : line };
      }),
    ]);
    const height = viewStyle.height - 3;
    const at = all.findIndex(({ name }) => name === this.#selected);
    const first = Math.max(0, Math.min(at - Math.floor(height / 2), all.length - height));
    return {
      lines: [viewStyle.paint(cut(fits), "bold"), ...all.slice(first, first + height).map(({ line }) => line)],
      bottom: ["", "[Enter] choose  [c] all  [?]help  [q] back"],
    };
  }

  /** The choice after the key; null if the person goes back to the list. */
  press(key: string, choice: ListChoice, facets: QueueFacets): ListChoice | null {
    if (this.#isHelp || key === "?") {
      this.#isHelp = !this.#isHelp;
      return choice;
    }
    if (["f", "q", "escape", "backspace"].includes(key)) return null;
    if (key === "c") return { sort: choice.sort, filter: {} };
    const lines = choiceGroups(choice, facets).flatMap(([, group]) => group);
    const at = lines.findIndex(({ name }) => name === this.#selected);
    if (key === "enter" || key === " ") return lines[at]?.chosen ?? choice;
    const step = { j: 1, down: 1, k: -1, up: -1 }[key] ?? 0;
    this.#selected = lines[Math.max(0, Math.min(at + step, lines.length - 1))]?.name ?? "sort fair";
    return choice;
  }
}

/** `3 of 9 questions wait with risk high, oldest first`. */
export function countText(fitting: number, waiting: number, { sort, filter }: ListChoice): string {
  const inAll = waiting === 1 ? "1 question waits" : `${waiting} questions wait`;
  const chosen = filterText(filter);
  return [
    chosen === "" ? inAll : `${fitting} of ${inAll} with ${chosen}`,
    ...(sort === "fair" ? [] : [sortNames[sort]]),
  ].join(", ");
}

/** What the list says if no question fits. */
export function noneText(waiting: number, width: number): string[] {
  const text =
    waiting > 0
      ? "No question that waits fits what was chosen. / and Enter shows all."
      : "Nothing waits for an answer. A new question appears here by itself.";
  return wrapText(text, width - 2, "  ");
}
