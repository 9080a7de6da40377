// Counts what passed, by category, and says what was not run.

import { comesLater, type CorpusCase, notHeld } from "./cases.ts";

/** `answered`: the case once more, with a person's yes. */
export type Kind = "case" | "answered" | "hand-built" | "control";

interface Row {
  cases: number;
  passed: Record<Kind, number>;
  partly: string[];
  later: string[];
}

export class Tally {
  readonly #rows = new Map<string, Row>();
  readonly #ids: ReadonlySet<string>;
  readonly #counted = new Set<string>();

  constructor(cases: readonly CorpusCase[]) {
    this.#ids = new Set(cases.map(({ id }) => id));
    for (const { category } of cases) this.#row(category).cases += 1;
  }

  /** What is held in part only does not count as passed. Nothing counts twice. */
  passed({ category, id }: CorpusCase, kind: Kind): void {
    const row = this.#row(category);
    if (this.#counted.has(`${id} ${kind}`)) throw new Error(`${id} is counted twice as ${kind}`);
    this.#counted.add(`${id} ${kind}`);
    if (!notHeld.has(id)) row.passed[kind] += 1;
    else if (kind === "case") row.partly.push(id);
  }

  later({ category, id }: CorpusCase): void {
    this.#row(category).later.push(id);
  }

  table(): string {
    const lines = [...this.#rows]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([category, row]) => {
        const { passed, cases, partly, later } = row;
        const parts = [
          `${passed.case} of ${cases} passed`,
          ...(passed.answered === 0 ? [] : [`${passed.answered} with a yes`]),
          `${passed.control} controls`,
          `${passed["hand-built"]} built by hand`,
          ...(partly.length === 0 ? [] : [`${partly.length} held in part`]),
          ...(later.length === 0 ? [] : [`${later.length} later`]),
        ];
        return `${category.padEnd(22)} ${parts.join(", ")}`;
      });
    const notes = [...comesLater, ...notHeld].filter(([id]) => this.#ids.has(id)).map(([id, note]) => `${id}: ${note}`);
    return ["", "The corpus:", ...lines, ...notes].join("\n");
  }

  #row(category: string): Row {
    const row = this.#rows.get(category) ?? {
      cases: 0,
      passed: { case: 0, answered: 0, "hand-built": 0, control: 0 },
      partly: [],
      later: [],
    };
    this.#rows.set(category, row);
    return row;
  }
}
