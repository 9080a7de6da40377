// The agent in the draft: its task, what it says and calls, and what it asks.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { QueueView } from "../../src/web/api.ts";
import type { AgentLine, ModelSettings } from "../../src/web/api-work.ts";
import type { ApiError } from "../../ui/client.ts";
import { useLive } from "../../ui/live.ts";
import { Problem } from "../../ui/problem.tsx";
import { QuestionItem } from "../../ui/queue/queue-row.tsx";
import { errorOf, useResource } from "../../ui/resource.ts";
import { T } from "../../ui/text.tsx";
import { workCalls } from "./work-calls.ts";
import { linkToWork } from "./work-route.ts";
import { useWork } from "./work-state.ts";
import "../../ui/queue/queue.css";

/** Survives a look at another view. */
let typedTask = "";

export function AgentPage() {
  const { agent, settings } = useWork();
  const missing = missingOf(settings.model);
  const isRunning = agent?.isRunning === true;
  return (
    <>
      <div class="page-head">
        <h1>Agent</h1>
        {settings.model !== null && (
          <p class="quiet">
            <T text={settings.model.name} maxLength={200} />
          </p>
        )}
      </div>
      {missing !== null && (
        <p class="notice">
          {missing} <a href={linkToWork.settings()}>Settings</a>
        </p>
      )}
      {agent !== null && <Lines lines={agent.lines} isRunning={isRunning} />}
      {agent?.problem != null && (
        <div class="notice is-high" role="alert">
          <p>
            <strong>It stopped.</strong> <T text={agent.problem} maxLength={2_000} />
          </p>
        </div>
      )}
      <AgentQuestions />
      <Task canStart={missing === null} isRunning={isRunning} />
    </>
  );
}

function missingOf(model: ModelSettings | null): string | null {
  if (model === null) return "An agent needs a model.";
  return model.hasKey ? null : "The model needs your key. It is kept until the browser ends.";
}

function Task({ canStart, isRunning }: { readonly canStart: boolean; readonly isRunning: boolean }) {
  const [task, setTask] = useState(typedTask);
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const act = (work: Promise<unknown>, then: () => void) => {
    setIsBusy(true);
    setError(null);
    work.then(then, (thrown: unknown) => setError(errorOf(thrown))).finally(() => setIsBusy(false));
  };
  const type = (text: string) => {
    typedTask = text;
    setTask(text);
  };
  const start = (event: Event) => {
    event.preventDefault();
    if (!isBusy) act(workCalls.startAgent(task.trim()), () => type(""));
  };
  return (
    <form class="task" onSubmit={start}>
      <div>
        <label class="label" for="task">
          Task
        </label>
        <textarea
          id="task"
          class="field"
          rows={3}
          required
          maxLength={20_000}
          placeholder="Fix the test of dates that fails"
          value={task}
          onInput={(event) => type(event.currentTarget.value)}
        />
      </div>
      {error !== null && <Problem error={error} />}
      <div class="button-row">
        <button class="button is-main" type="submit" disabled={!canStart || isRunning || isBusy}>
          Start
        </button>
        <button
          class="button"
          type="button"
          disabled={!isRunning || isBusy}
          onClick={() => act(workCalls.stopAgent(), () => undefined)}
        >
          Stop
        </button>
        <span class="quiet" role="status">
          {isRunning ? "Working…" : ""}
        </span>
      </div>
    </form>
  );
}

function Lines({ lines, isRunning }: { readonly lines: readonly AgentLine[]; readonly isRunning: boolean }) {
  const list = useRef<HTMLOListElement>(null);
  const wasAtEnd = useRef(true);
  const look = () => {
    const { current } = list;
    if (current !== null) wasAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < 40;
  };
  // It follows what is new only if the person has not scrolled up to read.
  useLayoutEffect(() => {
    if (wasAtEnd.current && list.current !== null) list.current.scrollTop = list.current.scrollHeight;
  }, [lines]);
  return (
    // A list that scrolls takes the focus, so that the keys can move it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <ol
      ref={list}
      class="panel agent-lines"
      aria-label="What the agent did"
      aria-busy={isRunning}
      tabIndex={0}
      onScroll={look}
    >
      {lines.map((line, index) => (
        <li key={index} class={`agent-line is-${line.kind}`}>
          {line.kind === "call" ? <Call line={line} /> : <Said line={line} />}
        </li>
      ))}
    </ol>
  );
}

function Said({ line: { kind, text } }: { readonly line: Extract<AgentLine, { readonly kind: "task" | "text" }> }) {
  return (
    <>
      <span class="agent-who quiet">{kind === "task" ? "You" : "Agent"}</span>
      <p class="agent-text">
        <T text={text} multiline maxLength={20_000} />
      </p>
    </>
  );
}

const states = {
  running: { mark: "…", name: "runs" },
  good: { mark: "✓", name: "done" },
  bad: { mark: "✗", name: "refused or failed" },
} as const;

function Call({ line: { tool, summary, ok } }: { readonly line: Extract<AgentLine, { readonly kind: "call" }> }) {
  const { mark, name } = states[ok === null ? "running" : ok ? "good" : "bad"];
  return (
    <>
      <span class={`agent-mark ${ok === false ? "is-bad" : ""}`}>
        <span aria-hidden="true">{mark}</span>
        <span class="said">{name}</span>
      </span>{" "}
      <span class="agent-tool">
        <T text={tool} maxLength={80} />
      </span>{" "}
      <span class="mono agent-summary">
        <T text={summary} maxLength={1_000} />
      </span>
    </>
  );
}

/** What waits is beside the work that it stops. */
function AgentQuestions() {
  const { state } = useLive();
  const { value } = useResource<QueueView>("/api/queue", state?.version);
  const questions = value?.questions ?? [];
  if (questions.length === 0) return null;
  return (
    <section class="agent-asks" aria-labelledby="asks-title">
      <h2 id="asks-title">
        {questions.length === 1 ? "A question waits for you" : `${questions.length} questions wait for you`}
      </h2>
      <ul class="list panel">
        {questions.map((row) => (
          <QuestionItem key={row.id} row={row} />
        ))}
      </ul>
    </section>
  );
}
