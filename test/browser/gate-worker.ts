// The gate of a browser in a worker of a page, with a box that only notes what it gets. The page sends it tasks.

import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import type { BoxTask, CallRequest, Reply, RuleText, SqliteModule, WasmBox } from "../../src/browser.ts";
import { type Judged, judgedWords } from "./judged-words.ts";
import { bareOwnCommand } from "../../src/shared/own-command.ts";
import * as library from "../../src/browser.ts";

export type GateTask =
  | { readonly kind: "judge"; readonly calls: readonly CallRequest[]; readonly rules: readonly RuleText[] }
  | { readonly kind: "call"; readonly calls: readonly CallRequest[]; readonly rules: readonly RuleText[] };

export interface GateDone {
  readonly judged: readonly Judged[];
  readonly replies: readonly Reply[];
  /** What the box was given. */
  readonly tasks: readonly { readonly program: string; readonly text: string; readonly files: readonly string[] }[];
  readonly record: { readonly ok: boolean; readonly entries: number };
}

async function openGate(rules: readonly RuleText[], tasks: BoxTask[]) {
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
  const { gate } = library.openBrowserGate({
    stores,
    files: library.createMemoryWorkspace(),
    box,
    registry,
    session: "s",
    project: "/project",
    github: {
      send: () => Promise.reject(new Error("nobody is contacted here")),
      signedIn: { token: async () => null, author: () => ({ name: "Ana", email: "ana@example.com", guessed: [] }) },
    },
    approvers: [],
    command: bareOwnCommand,
    rules: rules.map((text, index) => {
      const rule = library.compileRule(text, `r-${index}`, "test");
      if (!rule.ok) throw new Error(rule.failure.message);
      return rule.value;
    }),
  });
  return { gate, stores };
}

async function work({ kind, calls, rules }: GateTask): Promise<GateDone> {
  const tasks: BoxTask[] = [];
  const { gate, stores } = await openGate(rules, tasks);
  const judged: Judged[] = [];
  const replies: Reply[] = [];
  for (const request of calls) {
    if (kind === "call") replies.push(await gate.call(request));
    else judged.push(judgedWords(await gate.plan(request)));
  }
  const { ok, entries } = stores.journal.verify();
  const seen = tasks.map(({ program, text, files }) => ({ program, text, files: files.map(({ path }) => path) }));
  return { judged, replies, tasks: seen, record: { ok, entries } };
}

addEventListener("message", ({ data }: MessageEvent<GateTask>) => {
  work(data).then(
    (done) => postMessage({ done }),
    (error: unknown) => postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
