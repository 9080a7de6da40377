// A record of any length, written through the store with times of its own: days of an agent's work.

import { dirname } from "node:path";
import type { EntryDraft } from "../../../src/audit/entry.ts";
import type { Journal } from "../../../src/audit/journal.ts";
import { systemClock } from "../../../src/shared/clock.ts";
import { openJournal } from "../../../src/store/sqlite.ts";
import type { CliUser } from "../../fixtures/cli.ts";

export interface RecordOptions {
  readonly entries: number;
  /** The time of the first entry; each call is a little later than the one before. */
  readonly from: number;
  readonly stepMs: number;
}

const commands = [
  "npm test",
  "git status --short",
  "rg -n 'TODO' src",
  "node scripts/build.js --watch=false",
  "python3 -m pytest -q tests/test_parser.py",
  "ls -la src/components",
  "make -j4 check",
  "sed -n 1,80p README.md",
];

const refusals = [
  ["fs_denied", "Not allowed to read /home/me/.ssh/id_ed25519: not in fs_grants."],
  ["net_denied", "Not allowed to reach the network: not in net_grants."],
  ["permission_denied", "This agent may not use Exec."],
  ["approval_denied", "A person said no: not on a Friday."],
] as const;

/** Every entry says which call of the record it is of: `call-17`. */
export function fillRecord(person: CliUser, { entries, from, stepMs }: RecordOptions): void {
  let at = from;
  const journal = openJournal({
    stateDirectory: person.state,
    keyDirectory: dirname(person.configFile),
    clock: { ...systemClock, now: () => at },
  });
  let left = entries;
  const write = (draft: EntryDraft, laterMs: number) => {
    if (left === 0) return;
    at += laterMs;
    journal.append(draft);
    left -= 1;
  };
  for (let number = 0; left > 0; number += 1) {
    writeCall(number, write);
    at += stepMs;
  }
  journal.close();
}

type Write = (draft: EntryDraft, laterMs: number) => ReturnType<Journal["append"]> | void;

function writeCall(number: number, write: Write): void {
  const tool = ["Bash", "Shell", "write_file", "Git", "Python"][number % 5] as string;
  const agent = number % 7 === 0 ? "reviewer" : "default";
  const common = { session: `session-${number % 4}`, agent, call_id: `call-${number}`, tool };
  const script = commands[number % commands.length] as string;
  const args =
    tool === "write_file" ? { path: `/workspace/src/file-${number}.ts`, content: "export {};\n" } : { script };
  write({ ...common, event: "tool.call.received", args }, 0);
  if (number % 9 === 4) {
    const [error, message] = refusals[(number >> 3) % refusals.length] as (typeof refusals)[number];
    const because = [message.replace(/^[^:]*: /, "")];
    const outcome = { error, message, hint: "Whoever runs this gate can grant it.", because };
    write({ ...common, event: "tool.call.denied", args, decision: "deny", because, outcome }, 9);
    return;
  }
  const argv = tool === "write_file" ? null : ["/usr/bin/bash", "-c", script];
  const started =
    argv === null
      ? { name: tool, path: `/workspace/src/file-${number}.ts`, mode: "rw", details: { size: 11 } }
      : { argv, program: "/usr/bin/bash", cwd: "/workspace", env: { PATH: "/usr/bin:/bin" }, timeout_s: 60 };
  const because = [`use the tool ${tool}: tool_grants`, "run /usr/bin/bash: fs_grants: r /usr"];
  write({ ...common, event: "tool.call.dispatched", args: started, decision: "allow", because }, 12);
  const seconds = ((number * 7919) % 4000) / 1000 + 0.005;
  const end = {
    exit_code: number % 11 === 3 ? 1 : 0,
    signal: null,
    duration_s: seconds,
    timed_out: false,
    cancelled: false,
    limit_hit: null,
    stdout_bytes: (number * 131) % 50_000,
    stderr_bytes: number % 11 === 3 ? 420 : 0,
    stdout_truncated: false,
    stderr_truncated: false,
  };
  write({ ...common, event: "tool.call.finished", outcome: argv === null ? { ok: true } : end }, seconds * 1000);
}
