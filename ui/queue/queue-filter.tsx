// Filters and sorts the queue. The address holds what is chosen, so that a person returns to the same list.

import { useEffect, useState } from "preact/hooks";
import type { Facet, QueueFacets } from "../../src/approval/queue-list.ts";
import { shown } from "../text.tsx";
import { linkTo } from "../route.ts";

const names = ["agent", "client", "session", "severity", "effect", "text", "sort"] as const;
type Name = (typeof names)[number];

export type QueueChoice = Readonly<Record<Name, string>>;

const LONGEST = 500;

export function readChoice(query: URLSearchParams): QueueChoice {
  return Object.fromEntries(names.map((name) => [name, (query.get(name) ?? "").slice(0, LONGEST)])) as QueueChoice;
}

/** For the address and for the server. Leaves empty fields out, and keeps one order. */
export function choiceQuery(choice: QueueChoice): string {
  const query = new URLSearchParams();
  for (const name of names) if (choice[name] !== "") query.set(name, choice[name]);
  return query.toString();
}

function isNarrowed(choice: QueueChoice): boolean {
  return names.some((name) => name !== "sort" && choice[name] !== "");
}

const noChoice = readChoice(new URLSearchParams());

const TYPING_MS = 250;

const fields: readonly { readonly name: Name; readonly of: keyof QueueFacets; readonly label: string }[] = [
  { name: "severity", of: "severities", label: "Risk" },
  { name: "effect", of: "effects", label: "About" },
  { name: "agent", of: "agents", label: "Agent" },
  { name: "client", of: "clients", label: "Client" },
  { name: "session", of: "sessions", label: "Session" },
];

const sorts: readonly (readonly [value: string, label: string])[] = [
  ["", "Taking turns"],
  ["oldest", "Oldest first"],
  ["newest", "Newest first"],
  ["risk", "Highest risk first"],
];

export interface QueueFilterProps {
  readonly choice: QueueChoice;
  readonly facets: QueueFacets;
}

export function QueueFilterBar({ choice, facets }: QueueFilterProps) {
  const set = (part: Partial<QueueChoice>) => {
    const query = choiceQuery({ ...choice, ...part });
    // Each choice is not a step back for the browser.
    location.replace(`${linkTo.queue()}${query === "" ? "" : `?${query}`}`);
  };
  const [typed, setTyped] = useState(choice.text);
  useEffect(() => setTyped(choice.text), [choice.text]);
  useEffect(() => {
    if (typed === choice.text) return undefined;
    const timer = setTimeout(() => set({ text: typed }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <form class="queue-filter" role="search" aria-label="Filter the queue" onSubmit={(event) => event.preventDefault()}>
      <label class="queue-field is-wide">
        <span>Search</span>
        <input
          class="field"
          type="search"
          autocomplete="off"
          spellcheck={false}
          maxLength={LONGEST}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      {fields.map(({ name, of, label }) => (
        <Choice
          key={name}
          label={label}
          value={choice[name]}
          options={facets[of]}
          onChange={(value) => set({ [name]: value })}
        />
      ))}
      <label class="queue-field">
        <span>Order</span>
        <select class="field" value={choice.sort} onChange={(event) => set({ sort: event.currentTarget.value })}>
          {sorts.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {isNarrowed(choice) && (
        <button class="button is-plain" type="button" onClick={() => set({ ...noChoice, sort: choice.sort })}>
          Clear
        </button>
      )}
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Facet[];
  readonly onChange: (value: string) => void;
}

/** Nothing to choose between: no field. */
function Choice({ label, value, options, onChange }: ChoiceProps) {
  if (value === "" && options.length < 2) return null;
  const known =
    options.some((option) => option.value === value) || value === "" ? options : [...options, { value, count: 0 }];
  return (
    <label class="queue-field">
      <span>{label}</span>
      <select class="field" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">Any</option>
        {known.map((option) => (
          <option key={option.value} value={option.value}>
            {shown(option.name ?? option.value, { maxLength: 60 })} ({option.count})
          </option>
        ))}
      </select>
    </label>
  );
}
