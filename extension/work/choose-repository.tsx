// Chooses what to work on: a repository that the person may push to, and a branch of it.

import { useEffect, useState } from "preact/hooks";
import type { BranchList, OpeningState, RepositoryList } from "../../src/web/api-work.ts";
import type { ApiError } from "../../ui/client.ts";
import { Problem } from "../../ui/problem.tsx";
import { errorOf, useResource } from "../../ui/resource.ts";
import { shown, T } from "../../ui/text.tsx";
import { AskedHere } from "./asked-here.tsx";
import { Field, SelectField } from "../../ui/field.tsx";
import { sizeText } from "./size-text.ts";
import { workCalls } from "./work-calls.ts";
import { useWork } from "./work-state.ts";

const SEARCH_AFTER_MS = 300;

type Repository = RepositoryList["repositories"][number];

export function ChooseRepository() {
  const { opening } = useWork();
  const [chosen, setChosen] = useState<Repository | null>(null);
  // Kept while it is opened, because that may fail.
  const [branch, setBranch] = useState("");
  const [asked, setAsked] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const open = () => {
    if (chosen === null || asked !== null) return;
    setError(null);
    setAsked(`${chosen.name}, branch ${branch}`);
    workCalls
      .open({ repository: chosen.name, branch })
      .catch((thrown: unknown) => setError(errorOf(thrown)))
      .finally(() => setAsked(null));
  };
  const what = asked ?? (opening ? `${opening.repository}, branch ${opening.branch}` : null);
  if (what !== null) return <Opening what={what} />;
  return (
    <div class="step is-wide">
      <h1>Choose a repository</h1>
      {error !== null && <Problem error={error} />}
      {chosen === null ? (
        <Search
          onChosen={(repository) => {
            setChosen(repository);
            setBranch(repository.defaultBranch);
          }}
        />
      ) : (
        <Branches repository={chosen} {...{ branch, setBranch }} onOpen={open} onBack={() => setChosen(null)} />
      )}
    </div>
  );
}

function Opening({ what }: { readonly what: string }) {
  const { opening } = useWork();
  const files = opening?.files ?? 0;
  const total = opening?.total ?? null;
  return (
    <div class="step is-wide">
      <h1>Opening</h1>
      <p class="mono">
        <T text={what} maxLength={600} />
      </p>
      <progress class="progress" aria-label="Opening" {...(total === null ? {} : { value: files, max: total })} />
      <p class="quiet" role="status">
        {openingText(opening)}
      </p>
      <AskedHere tools={["git_pull"]} />
    </div>
  );
}

function openingText(opening: OpeningState | null | undefined): string {
  const { bytes, files, total = null } = opening ?? {};
  if (total !== null) return `${files} of ${total} files`;
  return bytes === undefined ? "Asking GitHub…" : `${sizeText(bytes)} read`;
}

function Search({ onChosen }: { readonly onChosen: (repository: Repository) => void }) {
  const [typed, setTyped] = useState("");
  const [search, setSearch] = useState("");
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const path = `/api/work/repositories?search=${encodeURIComponent(search)}`;
  const { value, error, isLoading } = useResource<RepositoryList>(path, String(tries));
  return (
    <>
      <Field label="Search" value={typed} onValue={setTyped} maxLength={200} type="search" />
      {error !== null && <Trouble error={error} onAgain={() => setTries(tries + 1)} />}
      <p class="quiet" role="status">
        {isLoading ? "Asking GitHub…" : value === null ? "" : foundText(value, search)}
      </p>
      {value !== null && value.repositories.length > 0 && (
        <ul class="list panel choices" aria-label="Repositories">
          {value.repositories.map((repository) => (
            <li key={repository.name}>
              <button class="choice" type="button" onClick={() => onChosen(repository)}>
                <T text={repository.name} maxLength={300} />
                {repository.isPrivate && <span class="badge">private</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function foundText({ repositories, hasMore }: RepositoryList, search: string): string {
  if (repositories.length === 0)
    return search === "" ? "There is none that you may push to." : "None that you may push to has this in its name.";
  return hasMore ? "There are more. Type more of the name." : "";
}

/** What came of a question to GitHub, and another try. */
function Trouble({ error, onAgain }: { readonly error: ApiError; readonly onAgain: () => void }) {
  return (
    <>
      <Problem error={error} />
      {!navigator.onLine && <p class="notice is-medium">This machine has no network now.</p>}
      <button class="button" type="button" onClick={onAgain}>
        Try again
      </button>
    </>
  );
}

/** The list ends somewhere. */
function Other({ onBranch }: { readonly onBranch: (branch: string) => void }) {
  const [typed, setTyped] = useState("");
  return (
    <>
      <Field label="Or one that is not listed" value={typed} onValue={setTyped} maxLength={300} isCode />
      <button
        class="button is-small"
        type="button"
        aria-disabled={typed.trim() === ""}
        onClick={() => typed.trim() !== "" && onBranch(typed.trim())}
      >
        Choose it
      </button>
    </>
  );
}

interface BranchesProps {
  readonly repository: Repository;
  readonly branch: string;
  readonly setBranch: (branch: string) => void;
  readonly onOpen: () => void;
  readonly onBack: () => void;
}

function Branches({ repository: { name, defaultBranch }, branch, setBranch, onOpen, onBack }: BranchesProps) {
  const [tries, setTries] = useState(0);
  const path = `/api/work/branches?repository=${encodeURIComponent(name)}`;
  const { value, error } = useResource<BranchList>(path, String(tries));
  const all = [...new Set([defaultBranch, ...(value?.branches ?? []), branch])];
  const submit = (event: Event) => {
    event.preventDefault();
    onOpen();
  };
  return (
    <form class="form" onSubmit={submit}>
      <p class="chosen">
        <strong>
          <T text={name} maxLength={300} />
        </strong>{" "}
        <button class="button is-small is-plain" type="button" onClick={onBack}>
          Another
        </button>
      </p>
      {error !== null && <Trouble error={error} onAgain={() => setTries(tries + 1)} />}
      <SelectField
        label="Branch"
        value={branch}
        options={all.map((one) => ({ value: one, name: shown(one, { maxLength: 200 }) }))}
        onValue={setBranch}
        isCode
      />
      {value?.hasMore === true && <Other onBranch={setBranch} />}
      <button class="button is-main" type="submit">
        Open
      </button>
    </form>
  );
}
