// An agent of the person's own: a loop around a model, which has the gate's tools and nothing else.
// Invariant: the key goes to the model's address alone, and no line has it.

import { stepCountIs, streamText, type LanguageModel } from "ai";
import { gateTools } from "../../src/adapters/ai-sdk.ts";
import type { Gate } from "../../src/runtime/session-gate.ts";
import type { AgentLine, AgentState } from "../../src/web/api-work.ts";

const MOST_STEPS = 60;
const MOST_LINES = 300;
const TEXT_CHARACTERS = 4_000;
const SUMMARY_CHARACTERS = 200;

const instructions = `You work on a repository in /workspace. Use the tools; programs run without a network.
When the task is done, say in one or two sentences what you changed. A person reviews and pushes it; do not push unless the task says so.`;

export class Agent {
  readonly #changed: () => void;
  #lines: AgentLine[] = [];
  #running: AbortController | null = null;
  #over: Promise<void> = Promise.resolve();
  #problem: string | null = null;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get state(): AgentState | null {
    if (this.#lines.length === 0) return null;
    return { isRunning: this.#running !== null, problem: this.#problem, lines: this.#lines };
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#running?.abort();
    await this.#over;
  }

  start(task: string, model: LanguageModel, gate: Gate): void {
    this.#over = this.#run(task, model, gate);
  }

  async #run(task: string, model: LanguageModel, gate: Gate): Promise<void> {
    const running = (this.#running = new AbortController());
    this.#problem = null;
    this.#add({ kind: "task", text: cut(task, TEXT_CHARACTERS) });
    try {
      const { fullStream } = streamText({
        model,
        system: instructions,
        prompt: this.#withHistory(task),
        tools: gateTools(gate),
        stopWhen: stepCountIs(MOST_STEPS),
        abortSignal: running.signal,
      });
      for await (const part of fullStream) this.#note(part);
    } catch (error) {
      this.#problem = messageOf(error);
    } finally {
      if (running.signal.aborted) this.#problem = "It was stopped.";
      this.#running = null;
      this.#changed();
    }
  }

  #note(part: { readonly type: string }): void {
    const known = part as Known;
    switch (known.type) {
      case "text-delta":
        return this.#say(known.text);
      case "tool-call":
        return this.#add({ kind: "call", tool: known.toolName, summary: summaryOf(known.input), ok: null });
      case "tool-result":
        return this.#ended(known.toolName, known.output.ok);
      case "tool-error":
        return this.#ended(known.toolName, false);
      case "error":
        this.#problem = messageOf(known.error);
    }
  }

  /** Pieces of one text are one line. */
  #say(text: string): void {
    const last = this.#lines.at(-1);
    if (last?.kind !== "text") return this.#add({ kind: "text", text: cut(text, TEXT_CHARACTERS) });
    this.#lines = [...this.#lines.slice(0, -1), { kind: "text", text: cut(last.text + text, TEXT_CHARACTERS) }];
    this.#changed();
  }

  #ended(tool: string, isOk: boolean): void {
    const at = this.#lines.findLastIndex((line) => line.kind === "call" && line.tool === tool && line.ok === null);
    const line = this.#lines[at];
    if (line?.kind === "call") this.#lines = this.#lines.with(at, { ...line, ok: isOk });
    this.#changed();
  }

  #add(line: AgentLine): void {
    this.#lines = [...this.#lines, line].slice(-MOST_LINES);
    this.#changed();
  }

  /** What was said before, so that a second task can refer to the first. */
  #withHistory(task: string): string {
    const before = this.#lines
      .slice(0, -1)
      .flatMap((line) => (line.kind === "call" ? [] : [`${line.kind}: ${line.text}`]));
    return before.length === 0
      ? task
      : `What was said before:\n${before.slice(-20).join("\n")}\n\nThe task now:\n${task}`;
  }
}

/** The parts of the SDK's stream that are shown. */
type Known =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "tool-call"; readonly toolName: string; readonly input: unknown }
  | { readonly type: "tool-result"; readonly toolName: string; readonly output: { readonly ok: boolean } }
  | { readonly type: "tool-error"; readonly toolName: string }
  | { readonly type: "error"; readonly error: unknown };

function summaryOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return cut(JSON.stringify(input) ?? "", SUMMARY_CHARACTERS);
  const [first] = Object.values(input);
  return cut(typeof first === "string" ? first : JSON.stringify(input), SUMMARY_CHARACTERS);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function messageOf(error: unknown): string {
  return cut(error instanceof Error ? error.message : String(error), SUMMARY_CHARACTERS);
}
