// The whole story of a call: what was asked, who decided and why, what ran, and the result.

import { type Entry, safeJson } from "../../src/audit/entry.ts";
import type { Json } from "../../src/shared/json.ts";
import type { CallStory } from "../../src/web/api.ts";
import { useLive } from "../live.ts";
import { useResource } from "../resource.ts";
import { linkTo } from "../route.ts";
import { shown, T } from "../text.tsx";
import "./call.css";
import { FactList } from "./fact-list.tsx";
import { type Chapter, type Story, storyOf } from "./story.ts";
import { clockText, momentText, spanText } from "./time-text.ts";

export function CallPage({ id }: { readonly id: string }) {
  const { state } = useLive();
  const { value, error, isLoading } = useResource<CallStory>(
    `/api/calls/${encodeURIComponent(id)}`,
    String(state?.lastSeq ?? ""),
  );
  const back = (
    <p class="story-back">
      <a href={linkTo.log()}>Log</a>
    </p>
  );
  if (value === null)
    return (
      <>
        {back}
        <h1>Call</h1>
        {error !== null && <p role="alert">{error.message}</p>}
        {isLoading && <p class="quiet">Loading…</p>}
      </>
    );
  const story = storyOf(value.entries);
  return (
    <>
      {back}
      <Head id={value.id} story={story} first={value.entries[0]} />
      <ol class="story">
        {story.chapters.map((chapter) => (
          <ChapterItem key={chapter.key} chapter={chapter} />
        ))}
      </ol>
      <RawEntries entries={value.entries} />
    </>
  );
}

function Head({ id, story, first }: { readonly id: string; readonly story: Story; readonly first: Entry | undefined }) {
  const inLog = (name: string, value: string) => `${linkTo.log()}?${new URLSearchParams({ [name]: value }).toString()}`;
  return (
    <>
      <div class="page-head">
        <h1>
          <T text={story.tool ?? "Not a call"} maxLength={80} />
        </h1>
        <p class={`badge story-state is-${story.state.tone}`}>{shown(story.state.text, { maxLength: 200 })}</p>
      </div>
      <dl class="story-meta">
        {first !== undefined && <Meta name="when" text={momentText(first.time, Date.now())} />}
        {story.tookMs !== null && <Meta name="took in all" text={spanText(story.tookMs)} />}
        {story.agent !== null && <Meta name="agent" text={story.agent} link={inLog("agent", story.agent)} />}
        {story.session !== null && <Meta name="session" text={story.session} link={inLog("session", story.session)} />}
        <Meta name="id" text={id} link={inLog("text", id)} />
      </dl>
    </>
  );
}

function Meta({ name, text, link }: { readonly name: string; readonly text: string; readonly link?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {link === undefined ? (
          <T text={text} maxLength={120} />
        ) : (
          <a href={link}>
            <T text={text} maxLength={120} />
          </a>
        )}
      </dd>
    </div>
  );
}

const REASONS_SHOWN = 6;

function ChapterItem({ chapter }: { readonly chapter: Chapter }) {
  const { title, tone, entry, afterMs, says, hint, because, facts, question } = chapter;
  return (
    <li class={`chapter is-${tone}`}>
      <div class="chapter-head">
        <h2>
          <T text={title} maxLength={300} />
        </h2>
        <p class="chapter-time">
          {afterMs !== null && <span>{spanText(afterMs)} later</span>}
          <time dateTime={entry.time}>{clockText(entry.time)}</time>
        </p>
      </div>
      {says !== null && (
        <p class="chapter-says">
          <T text={says} maxLength={4_000} multiline />
        </p>
      )}
      {hint !== null && (
        <p class="notice chapter-hint">
          <strong>What would pass: </strong>
          <T text={hint} maxLength={4_000} multiline />
        </p>
      )}
      {because.length > 0 && <Reasons because={because} />}
      <FactList facts={facts} />
      {question !== null && tone === "ask" && (
        <p>
          <a href={linkTo.question(question)}>
            The question <T text={question} maxLength={80} />
          </a>
        </p>
      )}
    </li>
  );
}

function Reasons({ because }: { readonly because: readonly string[] }) {
  const item = (reason: string, index: number) => (
    <li key={index}>
      <T text={reason} maxLength={2_000} />
    </li>
  );
  const rest = because.slice(REASONS_SHOWN);
  return (
    <div class="chapter-because">
      <h3>because</h3>
      <ul>{because.slice(0, REASONS_SHOWN).map(item)}</ul>
      {rest.length > 0 && (
        <details>
          <summary>{rest.length === 1 ? "one more reason" : `${rest.length} more reasons`}</summary>
          <ul>{rest.map(item)}</ul>
        </details>
      )}
    </div>
  );
}

/** The entries as the record stores them. */
function RawEntries({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <details class="raw panel">
      <summary>
        As it stands in the record, {entries.length === 1 ? "one entry" : `${entries.length} entries`} as JSON
      </summary>
      {entries.map((entry) => (
        <RawEntry key={entry.seq} entry={entry} />
      ))}
    </details>
  );
}

function RawEntry({ entry }: { readonly entry: Entry }) {
  const fields = Object.entries(entry) as [string, Json][];
  const text = `{\n${fields.map(([name, value]) => `  ${safeJson(name)}: ${indented(value)}`).join(",\n")}\n}`;
  return <pre class="block">{shown(text, { multiline: true, maxLength: 400_000 })}</pre>;
}

/** Line feeds inside texts stay escaped, so that a text cannot look like a field. */
function indented(value: Json): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
}
