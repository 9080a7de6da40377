// Finds the lines that match a regular expression, in time linear in the length of the text for every pattern. It builds a DFA on
// demand: each DFA state is a set of instructions of Thompson's automaton.
// Invariant: the work per character is at most the number of instructions, and it stops when its time is up.

import { ok, type Result } from "../shared/result.ts";
import { literalFirst, requiredText } from "./regex-literal.ts";
import { type Assertion, parseRegex } from "./regex-parse.ts";
import { compileRegex, type RegexProgram } from "./regex-program.ts";

export interface LineMatcher {
  /** The next matching line at or after `from`, which is the start of a line. Undefined if there is none. */
  next(text: string, from: number, isLate: () => boolean): FoundLine | "late" | undefined;
}

export interface FoundLine {
  readonly start: number;
  /** The end of the line, without the line feed and a carriage return before it. */
  readonly end: number;
  /** The end of the match that ends first. */
  readonly matchEnd: number;
}

export function createLineMatcher(pattern: string): Result<LineMatcher> {
  const node = parseRegex(pattern);
  if (!node.ok) return node;
  const program = compileRegex(node.value);
  return program.ok ? ok(literalFirst(new LazyMachine(program.value), requiredText(node.value))) : program;
}

type Before = "line-start" | "word" | "other";

interface State {
  /** The instructions that the automaton can be at, before it reads the next character. */
  readonly positions: readonly number[];
  readonly before: Before;
  /** The next state for each class of the next character. */
  readonly next: (State | undefined)[];
}

const LINE_END = 0;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const STATES = 2_000;
const CLOCK_CHARACTERS = 1 << 16;
const CLOCK_STEPS = 64;
const wordCharacter = /^\w$/;

class LazyMachine implements LineMatcher {
  readonly #program: RegexProgram;
  readonly #found: State = { positions: [], before: "other", next: [] };
  #states = new Map<string, State>();
  #start: State;
  /** The class of each character seen so far; 0 for others. Class 0 itself stands for the end of a line. */
  readonly #classes = new Uint16Array(0xd800);
  readonly #rareClasses = new Map<number, number>();
  readonly #classOf = new Map<string, number>();
  /** For each class: which atoms match it, and whether it is a word character. */
  readonly #members: { readonly takes: readonly boolean[]; readonly isWord: boolean }[] = [
    { takes: [], isWord: false },
  ];
  readonly #seen: Uint32Array;
  #generation = 0;
  #steps = 0;

  constructor(program: RegexProgram) {
    this.#program = program;
    this.#seen = new Uint32Array(program.instructions.length);
    this.#start = this.#state([program.start], "line-start");
  }

  next(text: string, from: number, isLate: () => boolean): FoundLine | "late" | undefined {
    const found = this.#found;
    let state = this.#start;
    let line = from;
    let clock = from;
    for (let at = from; at <= text.length; at += 1) {
      if (at >= clock) {
        if (isLate()) return "late";
        clock = at + CLOCK_CHARACTERS;
      }
      [at, state] = this.#run(text, at, Math.min(text.length, clock), state);
      if (at === text.length && line === text.length) return undefined; // there is no line after the last line feed
      const isEnd = isLineEnd(text, at) || (text.charCodeAt(at) === CARRIAGE_RETURN && isLineEnd(text, at + 1));
      const point = isEnd ? LINE_FEED : (text.codePointAt(at) as number);
      const kind = isEnd ? LINE_END : this.#classify(point);
      let next = state.next[kind];
      if (next === undefined) {
        next = this.#step(state, kind);
        this.#steps += 1;
        if (this.#steps % CLOCK_STEPS === 0 && isLate()) return "late";
      }
      if (next === found) return lineAt(text, line, at);
      if (point > 0xffff || (isEnd && text.charCodeAt(at) === CARRIAGE_RETURN)) at += 1;
      if (isEnd) line = at + 1;
      state = isEnd ? this.#start : next;
    }
    return undefined;
  }

  /** Advances while the next state is known and no match is found. Most of the time is spent here. */
  #run(text: string, from: number, to: number, state: State): [at: number, state: State] {
    const classes = this.#classes;
    const found = this.#found;
    let at = from;
    for (; at < to; at += 1) {
      const kind = classes[text.charCodeAt(at)];
      const next = kind ? state.next[kind] : undefined;
      if (next === undefined || next === found) break;
      state = next;
    }
    return [at, state];
  }

  /** Characters that every atom treats the same form one class. */
  #classify(point: number): number {
    const known = point < 0xd800 ? this.#classes[point] : this.#rareClasses.get(point);
    if (known) return known;
    const character = String.fromCodePoint(point);
    const takes = this.#program.atoms.map((atom) => atom.test(character));
    const isWord = wordCharacter.test(character);
    const key = `${isWord}${takes.map(Number).join("")}`;
    let kind = this.#classOf.get(key);
    if (kind === undefined) {
      kind = this.#members.push({ takes, isWord }) - 1;
      this.#classOf.set(key, kind);
    }
    if (point === CARRIAGE_RETURN) return kind; // not cached, because a carriage return may also be part of a line end
    if (point < 0xd800) this.#classes[point] = kind;
    else this.#rareClasses.set(point, kind);
    return kind;
  }

  #step(state: State, kind: number): State {
    const { takes, isWord } = this.#members[kind] as { takes: readonly boolean[]; isWord: boolean };
    const after = kind === LINE_END ? "line-end" : isWord ? "word" : "other";
    const reached = this.#reach(state, after);
    const next = reached === undefined ? this.#found : this.#advance(reached, takes, kind, isWord);
    state.next[kind] = next;
    return next;
  }

  #advance(reached: readonly number[], takes: readonly boolean[], kind: number, isWord: boolean): State {
    if (kind === LINE_END) return this.#start;
    const positions = new Set([this.#program.start]); // a match may start at any character
    for (const at of reached) {
      const instruction = this.#program.instructions[at];
      if (instruction?.kind === "character" && takes[instruction.atom]) positions.add(instruction.next);
    }
    return this.#state([...positions], isWord ? "word" : "other");
  }

  /** All instructions that can be reached without reading a character. Undefined if one of them is the end of the pattern. */
  #reach({ positions, before }: State, after: "word" | "other" | "line-end"): number[] | undefined {
    this.#generation += 1;
    const todo = [...positions];
    const reached: number[] = [];
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      if (this.#seen[at] === this.#generation) continue;
      this.#seen[at] = this.#generation;
      const instruction = this.#program.instructions[at];
      if (instruction === undefined || instruction.kind === "match") return undefined;
      if (instruction.kind === "character") reached.push(at);
      else if (instruction.kind === "split") todo.push(...instruction.next);
      else if (holds(instruction.assertion, before, after)) todo.push(instruction.next);
    }
    return reached;
  }

  #state(positions: readonly number[], before: Before): State {
    const sorted = positions.toSorted((a, b) => a - b);
    const key = `${before} ${sorted.join()}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    if (this.#states.size >= STATES) this.#forget();
    const state: State = { positions: sorted, before, next: [] };
    this.#states.set(key, state);
    return state;
  }

  /** Drops all states if there are too many. States that are still referenced keep working until the last reference is gone. */
  #forget(): void {
    this.#states = new Map();
    this.#start = { positions: [this.#program.start], before: "line-start", next: [] };
  }
}

function holds(assertion: Assertion, before: Before, after: "word" | "other" | "line-end"): boolean {
  switch (assertion) {
    case "line-start":
      return before === "line-start";
    case "line-end":
      return after === "line-end";
    case "word-edge":
      return (before === "word") !== (after === "word");
    case "no-word-edge":
      return (before === "word") === (after === "word");
  }
}

function isLineEnd(text: string, at: number): boolean {
  return at === text.length || text.charCodeAt(at) === LINE_FEED;
}

function lineAt(text: string, start: number, at: number): FoundLine {
  const feed = text.indexOf("\n", at);
  const end = feed < 0 ? text.length : feed;
  const hasReturn = end > start && text.charCodeAt(end - 1) === CARRIAGE_RETURN;
  return { start, end: hasReturn ? end - 1 : end, matchEnd: at };
}
