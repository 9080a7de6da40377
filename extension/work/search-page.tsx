// Finds lines in the files of the draft: a call of search_files that the person makes.

import { useState } from "preact/hooks";
import type { ToolResults } from "../../src/tools/tool-results.ts";
import { displayName } from "../../src/shared/odd-name.ts";
import type { ApiError } from "../../ui/client.ts";
import { Field } from "../../ui/field.tsx";
import { Problem } from "../../ui/problem.tsx";
import { errorOf } from "../../ui/resource.ts";
import { T } from "../../ui/text.tsx";
import { draftPath } from "./draft-path.ts";
import { workCalls } from "./work-calls.ts";
import { linkToWork } from "./work-route.ts";
import { useDraft } from "./work-state.ts";

type Found = ToolResults["search_files"];

const first = { session: "", text: "", glob: "", isPattern: false, isExact: false, found: null as Found | null };

/** Survives a look at what was found, in the same draft. */
const last = { ...first };

export function SearchPage() {
  const { session } = useDraft();
  if (last.session !== session) Object.assign(last, first, { session });
  const [search, setSearch] = useState({ ...last });
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const change = (changed: Partial<typeof last>) => {
    Object.assign(last, changed);
    setSearch({ ...last });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (isBusy || search.text === "") return;
    setIsBusy(true);
    setError(null);
    workCalls
      .call("search_files", argumentsOf(search))
      .then(
        (found) => change({ found: found as Found }),
        (thrown: unknown) => {
          change({ found: null });
          setError(errorOf(thrown));
        },
      )
      .finally(() => setIsBusy(false));
  };
  return (
    <>
      <div class="way">
        <a href={linkToWork.files()}>← Files</a>
      </div>
      <h1 class="view-title">Search in files</h1>
      <form class="form" role="search" onSubmit={submit}>
        <Field
          label="Search for"
          type="search"
          value={search.text}
          onValue={(text) => change({ text })}
          maxLength={400}
          isRequired
          isCode
        />
        <Field
          label="In files"
          value={search.glob}
          onValue={(glob) => change({ glob })}
          maxLength={400}
          placeholder="all, or *.ts"
          isCode
        />
        <div class="search-how">
          <Choice label="Match case" isOn={search.isExact} onChange={(isExact) => change({ isExact })} />
          <Choice label="Regular expression" isOn={search.isPattern} onChange={(isPattern) => change({ isPattern })} />
        </div>
        <button class="button is-main" type="submit" aria-disabled={isBusy}>
          Search
        </button>
      </form>
      {error !== null && <Problem error={error} />}
      <p class="quiet files-count" role="status">
        {isBusy ? "Searching…" : search.found === null ? "" : foundText(search.found)}
      </p>
      {search.found !== null && <Matches found={search.found} />}
    </>
  );
}

function argumentsOf({ text, glob, isPattern, isExact }: typeof last): { readonly [name: string]: string } {
  const pattern = isPattern ? text : text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return { pattern: isExact ? pattern : `(?i)${pattern}`, ...(glob.trim() === "" ? {} : { glob: glob.trim() }) };
}

const stops = {
  limit: "There are more: search for more of it.",
  size: "There are more: the answer was full.",
  time: "It took too long, so not all files were searched.",
} as const;

function foundText({ matches, stopped, more, ignored }: Found): string {
  const files = new Set(matches.map(({ path }) => path)).size;
  const lines = matches.length === 1 ? "1 line" : `${matches.length} lines`;
  const where = files === 1 ? "1 file" : `${files} files`;
  return [
    matches.length === 0 ? "Nothing was found." : `${lines} in ${where}.`,
    ...(more && stopped !== undefined ? [stops[stopped]] : []),
    ...(ignored === undefined
      ? []
      : [`${ignored === 1 ? "1 file" : `${ignored} files`} that .gitignore names left out.`]),
  ].join(" ");
}

function Matches({ found: { matches } }: { readonly found: Found }) {
  const files = [...Map.groupBy(matches, ({ path }) => path)];
  return (
    <ul class="list panel found" aria-label="What was found">
      {files.map(([path, lines]) => (
        <li key={path} class="found-file">
          <a href={linkToWork.file(draftPath(path))}>
            <T text={displayName(draftPath(path))} maxLength={2_000} />
          </a>
          <ol class="found-lines">
            {lines.map(({ line, text }) => (
              <li key={line}>
                <a class="found-line mono" href={linkToWork.file(draftPath(path), line)}>
                  <span class="found-number">{line}</span> <T text={text.trim()} maxLength={400} />
                </a>
              </li>
            ))}
          </ol>
        </li>
      ))}
    </ul>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Choice({ label, isOn, onChange }: ChoiceProps) {
  return (
    <label class="files-only">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} /> {label}
    </label>
  );
}
