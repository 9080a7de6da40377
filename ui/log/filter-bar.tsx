// The search and the filters of the timeline. The page writes each choice into the address at once.

import type { JSX, RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { entryEvents } from "../../src/audit/entry.ts";
import { useMedia } from "../media.ts";
import { shown } from "../text.tsx";
import { wordsOf } from "./event-words.ts";
import { filterQuery, isFiltered, type LogFilter, noFilter } from "./log-filter.ts";

export interface FilterBarProps {
  readonly filter: LogFilter;
  /** The names that the filters offer. */
  readonly known: {
    readonly tools: readonly string[];
    readonly agents: readonly string[];
    readonly sessions: readonly string[];
  };
  readonly search: RefObject<HTMLInputElement | null>;
  readonly onChange: (filter: LogFilter) => void;
}

const TYPING_MS = 250;

export function FilterBar({ filter, known, search, onChange }: FilterBarProps) {
  const isWide = useMedia("(min-width: 60rem)");
  const set = (part: Partial<LogFilter>) => onChange({ ...filter, ...part });
  const { isBetween, choose } = useBetween(filter, set);
  const count = Object.entries(filter).filter(([name, value]) => name !== "text" && value !== "").length;
  const more = (
    <div class="filter-fields">
      <Choice
        label="Tool"
        value={filter.tool}
        options={known.tools}
        any="Any tool"
        onChange={(tool) => set({ tool })}
      />
      <Field label="Event">
        {(id) => (
          <select
            id={id}
            class="field"
            value={filter.event}
            onChange={(event) => set({ event: event.currentTarget.value as LogFilter["event"] })}
          >
            <option value="">Any event</option>
            {entryEvents.map((name) => (
              <option key={name} value={name}>
                {wordsOf(name).label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Choice
        label="Agent"
        value={filter.agent}
        options={known.agents}
        any="Any agent"
        onChange={(agent) => set({ agent })}
      />
      <Choice
        label="Session"
        value={filter.session}
        options={known.sessions}
        any="Any session"
        onChange={(session) => set({ session })}
      />
      <When filter={filter} isBetween={isBetween} choose={choose} />
    </div>
  );
  const between = isBetween && <Between filter={filter} set={set} />;
  return (
    <form class="filter-bar" role="search" aria-label="Search the record" onSubmit={(event) => event.preventDefault()}>
      <div class="filter-first">
        <SearchField text={filter.text} input={search} onChange={(text) => set({ text })} />
        {isFiltered(filter) && (
          <button class="button is-plain" type="button" onClick={() => onChange(noFilter)}>
            Clear
          </button>
        )}
      </div>
      {isWide ? (
        [more, between]
      ) : (
        <details class="filter-more" open={count > 0}>
          <summary>{count === 0 ? "Filters" : `Filters: ${count} set`}</summary>
          {more}
          {between}
        </details>
      )}
    </form>
  );
}

/** Waits for a pause in typing, because each change starts a search. */
function SearchField({
  text,
  input,
  onChange,
}: {
  text: string;
  input: RefObject<HTMLInputElement | null>;
  onChange: (text: string) => void;
}) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => onChange(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <Field label="Search" isQuiet>
      {(id) => (
        <input
          ref={input}
          id={id}
          class="field"
          type="search"
          placeholder="Search commands, paths, reasons…"
          autocomplete="off"
          spellcheck={false}
          maxLength={500}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && onChange(typed)}
        />
      )}
    </Field>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly any: string;
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, any, onChange }: ChoiceProps) {
  const all = value === "" || options.includes(value) ? options : [value, ...options];
  return (
    <Field label={label}>
      {(id) => (
        <select id={id} class="field" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{any}</option>
          {all.map((option) => (
            <option key={option} value={option}>
              {shown(option, { maxLength: 60 })}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const spans = [
  ["", "Any time"],
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
] as const;

function When({
  filter,
  isBetween,
  choose,
}: {
  filter: LogFilter;
  isBetween: boolean;
  choose: (value: string) => void;
}) {
  return (
    <Field label="When">
      {(id) => (
        <select
          id={id}
          class="field"
          value={isBetween ? "between" : filter.since}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {spans.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
          <option value="between">Between…</option>
        </select>
      )}
    </Field>
  );
}

function Between({ filter, set }: { readonly filter: LogFilter; readonly set: (part: Partial<LogFilter>) => void }) {
  const time = (name: "since" | "until", label: string) => (
    <Field label={label}>
      {(id) => (
        <input
          id={id}
          class="field"
          type="datetime-local"
          value={/^\d{4}-/.test(filter[name]) ? filter[name] : ""}
          onChange={(event) => set({ [name]: event.currentTarget.value })}
        />
      )}
    </Field>
  );
  return (
    <div class="filter-between">
      {time("since", "From")}
      {time("until", "Until")}
    </div>
  );
}

/** Whether the filter has two times instead of a span, and the functions that choose one or the other. */
function useBetween(filter: LogFilter, set: (part: Partial<LogFilter>) => void) {
  const isSpan = filter.until === "" && spans.some(([value]) => value === filter.since);
  const [isAsked, setIsAsked] = useState(false);
  useEffect(() => setIsAsked((now) => now && filter.since === ""), [filterQuery(filter)]);
  const choose = (value: string) => {
    setIsAsked(value === "between");
    set({ since: value === "between" ? "" : value, until: "" });
  };
  return { isBetween: !isSpan || isAsked, choose };
}

function Field({
  label,
  isQuiet,
  children,
}: {
  label: string;
  isQuiet?: boolean;
  children: (id: string) => JSX.Element;
}) {
  const id = `filter-${label.toLowerCase()}`;
  return (
    <div class="filter-field">
      <label class={isQuiet === true ? "said" : "filter-label"} for={id}>
        {label}
      </label>
      {children(id)}
    </div>
  );
}
