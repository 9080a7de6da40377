// The gate of a browser in a worker of a page, with a box that only notes what it gets. The page sends it tasks.

import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import type { BoxTask, CallRequest, Reply, RuleText, SqliteModule, WasmBox } from "../../src/browser.ts";
import { bareOwnCommand } from "../../src/shared/own-command.ts";
import * as library from "../../src/browser.ts";
import { casePerson, caseSequences, runCaseSequence, type StepWords } from "./case-sequences.ts";
import { type Judged, judgedWords } from "./judged-words.ts";
import { shownWords } from "./shown-words.ts";

export interface GithubOfCases {
  readonly url: string;
  readonly token: string;
  readonly repository: string;
}

export type GateTask =
  | { readonly kind: "judge"; readonly calls: readonly CallRequest[]; readonly rules: readonly RuleText[] }
  | { readonly kind: "call"; readonly calls: readonly CallRequest[]; readonly rules: readonly RuleText[] }
  | { readonly kind: "show"; readonly texts: readonly string[] }
  | { readonly kind: "push"; readonly github: GithubOfCases };

export interface GateDone {
  readonly judged: readonly Judged[];
  readonly replies: readonly Reply[];
  readonly shown: readonly (readonly string[])[];
  /** Of each case, by its id. */
  readonly pushed: Readonly<Record<string, readonly StepWords[]>>;
  /** What the box was given. */
  readonly tasks: readonly { readonly program: string; readonly text: string; readonly files: readonly string[] }[];
  readonly record: { readonly ok: boolean; readonly entries: number; readonly lines: readonly string[] };
}

async function openGate(rules: readonly RuleText[], tasks: BoxTask[], github: GithubOfCases | null) {
  // Its types leave the option out that says where its own files are.
  const load = sqlite3InitModule as unknown as (options: object) => Promise<SqliteModule>;
  const sqlite = await load({ locateFile: (name: string) => `/${name}` });
  const pool = await library.openSqlitePool(sqlite, "/gate");
  const stores = library.openBrowserStores({
    open: (name, schema, journal) => library.openWasmDatabase(sqlite, pool, `/${name}.sqlite`, schema, journal),
    auditKey: new Uint8Array(32).fill(7),
    command: () => "the page",
  });
  const registry = library.createRegistry();
  library.registerBuiltinTools(registry);
  library.registerBashTool(registry);
  library.registerPythonTool(registry);
  const box: WasmBox = {
    async run(task, { onOutput }) {
      tasks.push(task);
      onOutput("stdout", new TextEncoder().encode(`${task.files.length} files\n`));
      const bytes = new TextEncoder().encode("made\n");
      const file = { kind: "file", path: "/workspace/made.txt", bytes, executable: false, target: null } as const;
      return { exitCode: 0, timedOut: false, cancelled: false, problem: null, changes: [file], notKept: [] };
    },
  };
  const person = casePerson();
  const { gate } = library.openBrowserGate({
    stores,
    files: library.createMemoryWorkspace(),
    box,
    registry,
    session: "s",
    project: "/project",
    github: {
      url: github?.url,
      send: (url, options) =>
        github === null ? Promise.reject(new Error("nobody is contacted here")) : fetch(url, options),
      signedIn: {
        token: async () => github?.token ?? null,
        author: () => ({ name: "Ana", email: "ana@example.com", guessed: [] }),
      },
    },
    approvers: github === null ? [] : [person],
    command: bareOwnCommand,
    rules: rules.map((text, index) => {
      const rule = library.compileRule(text, `r-${index}`, "test");
      if (!rule.ok) throw new Error(rule.failure.message);
      return rule.value;
    }),
  });
  return { gate, stores, person };
}

async function work(task: GateTask): Promise<GateDone> {
  const tasks: BoxTask[] = [];
  const rules = task.kind === "judge" || task.kind === "call" ? task.rules : [];
  const github = task.kind === "push" ? task.github : null;
  const { gate, stores, person } = await openGate(rules, tasks, github);
  const judged: Judged[] = [];
  const replies: Reply[] = [];
  const pushed: Record<string, readonly StepWords[]> = {};
  if (task.kind === "judge") for (const call of task.calls) judged.push(judgedWords(await gate.plan(call)));
  if (task.kind === "call") for (const call of task.calls) replies.push(await gate.call(call));
  if (github !== null)
    for (const [id, steps] of Object.entries(caseSequences))
      pushed[id] = await runCaseSequence(steps, { gate, person, githubUrl: github.url, repository: github.repository });
  const shown = task.kind === "show" ? task.texts.map(shownWords) : [];
  const { ok, entries } = stores.journal.verify();
  const seen = tasks.map(({ program, text, files }) => ({ program, text, files: files.map(({ path }) => path) }));
  const record = { ok, entries, lines: [...stores.journal.exportLines()] };
  return { judged, replies, shown, pushed, tasks: seen, record };
}

addEventListener("message", ({ data }: MessageEvent<GateTask>) => {
  work(data).then(
    (done) => postMessage({ done }),
    (error: unknown) => postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
