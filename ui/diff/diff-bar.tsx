// The bar above a diff: its size, how it is shown, and the search.

import type { RefObject } from "preact";
import { groupDigits } from "../../src/action/diff-facts.ts";
import type { DiffState } from "./diff-state.ts";
import type { DiffMode } from "./rows.ts";
import type { Search } from "./use-search.ts";

export interface DiffBarProps {
  readonly state: DiffState;
  /** The file at the top of the view. */
  readonly current: number;
  readonly search: Search;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly setMode: (mode: DiffMode) => void;
  readonly setWrap: (isWrapped: boolean) => void;
  readonly step: (by: 1 | -1) => void;
  /** How many files the reviewer has not seen. `stepUnseen` scrolls to the next unseen content. */
  readonly left: number;
  readonly stepUnseen: () => void;
}

export function DiffBar(props: DiffBarProps) {
  const { state, current, search, field, setMode, setWrap, step, left, stepUnseen } = props;
  const { files } = state;
  const sum = (name: "added" | "removed") => groupDigits(files.reduce((all, file) => all + file[name], 0));
  return (
    <div class="diff-bar" role="group" aria-label="The diff">
      <p class="diff-total">
        File {groupDigits(Math.min(current + 1, files.length))} of {groupDigits(files.length)}{" "}
        <span class="is-added">
          +{sum("added")}
          <span class="said"> lines added</span>
        </span>{" "}
        <span class="is-removed">
          −{sum("removed")}
          <span class="said"> lines removed</span>
        </span>
      </p>
      <div class="diff-group">
        <BarButton label="Previous file" hotkey="p" sign="↑" run={() => step(-1)} />
        <BarButton label="Next file" hotkey="n" sign="↓" run={() => step(1)} />
      </div>
      <button
        type="button"
        class="diff-button diff-left"
        aria-keyshortcuts="u"
        aria-disabled={left === 0 ? "true" : undefined}
        title={left === 0 ? "All files were looked at" : "Next that was not looked at (u)"}
        onClick={() => stepUnseen()}
      >
        {left === 0 ? "All looked at" : `${groupDigits(left)} not looked at`}
      </button>
      <div class="diff-group" role="group" aria-label="How lines are shown">
        <ModeButton mode="split" label="Side by side" state={state} setMode={setMode} />
        <ModeButton mode="unified" label="Unified" state={state} setMode={setMode} />
      </div>
      <button
        type="button"
        class="diff-button"
        aria-pressed={state.isWrapped}
        aria-keyshortcuts="w"
        title="Wrap long lines (w)"
        onClick={() => setWrap(!state.isWrapped)}
      >
        Wrap
        <span class="said"> long lines</span>
      </button>
      <button type="button" class="diff-button is-alone" onClick={() => state.foldAll(!state.isAllFolded)}>
        {state.isAllFolded ? "Unfold all" : "Fold all"}
      </button>
      <SearchBox search={search} field={field} />
    </div>
  );
}

interface BarButtonProps {
  readonly label: string;
  readonly hotkey: string;
  readonly sign: string;
  readonly run: () => void;
}

function BarButton({ label, hotkey, sign, run }: BarButtonProps) {
  return (
    <button
      type="button"
      class="diff-button"
      aria-label={label}
      title={`${label} (${hotkey})`}
      aria-keyshortcuts={hotkey}
      onClick={run}
    >
      {sign}
    </button>
  );
}

interface ModeButtonProps extends Pick<DiffBarProps, "state" | "setMode"> {
  readonly mode: DiffMode;
  readonly label: string;
}

function ModeButton({ mode, label, state, setMode }: ModeButtonProps) {
  return (
    <button
      type="button"
      class="diff-button"
      aria-pressed={state.mode === mode}
      title={`${label} (s)`}
      onClick={() => setMode(mode)}
    >
      {label}
    </button>
  );
}

function SearchBox({ search, field }: Pick<DiffBarProps, "search" | "field">) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") search.move(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      search.ask("");
      field.current?.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="diff-search" role="search">
      <input
        ref={field}
        type="search"
        class="diff-field"
        placeholder="Find in all files"
        aria-label="Find in all files of the diff"
        aria-keyshortcuts="/"
        spellcheck={false}
        autocomplete="off"
        value={search.query}
        onInput={(event) => search.ask(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <output class="diff-found">{foundText(search)}</output>
      {search.query !== "" && (
        <div class="diff-group">
          <BarButton label="Previous line found" hotkey="Shift+Enter" sign="↑" run={() => search.move(-1)} />
          <BarButton label="Next line found" hotkey="Enter" sign="↓" run={() => search.move(1)} />
        </div>
      )}
    </div>
  );
}

function foundText({ query, found, at, isDone }: Search): string {
  if (query === "") return "";
  if (found.length === 0) return isDone ? "nothing" : "…";
  return `${groupDigits(Math.max(0, at) + 1)} of ${groupDigits(found.length)}${isDone ? "" : "…"}`;
}
