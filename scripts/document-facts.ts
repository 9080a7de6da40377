// The tables of facts in the documents. Each is typed by what it describes, so that a kind, a field or a code that the source
// gains or loses stops the compiler here; and a test compares the documents with them.

import type { Action } from "../src/action/action.ts";
import type { EffectKind } from "../src/action/effect.ts";
import { effectKinds } from "../src/action/effect.ts";
import { type FailureSlug, failureSlugs } from "../src/shared/failure.ts";
import type { ExecutionResult } from "../src/tools/programs/execution-result.ts";
import { commandRows, exitCodeRows, flagRows } from "./command-facts.ts";
import { answerKeyRows, reviewKeyRows } from "./key-facts.ts";
import { limitGroups, limitRows } from "./limit-facts.ts";
import { entryFacts, eventFacts } from "./record-facts.ts";

const actionParts: Record<keyof Action, string> = {
  tool: "the tool that was called",
  agent: "the agent that called it",
  steps:
    "programs to start, in order, under one grant: real path, argv, working directory, the whole environment, stdin, time-out, output caps. Empty if the gate does the work itself",
  operation:
    "what the gate does itself, if it starts no program: a file write, a stage, a push, a contact to another machine, or the landing of files that others execute later, with their whole text",
  push: "of a push: the target, the branch, the old and the new commit, the message, the files, the warnings",
  contents: "hashes of the programs and scripts that the agent itself can change",
  stopsAtFailure: "whether the steps after one that failed are left out",
  keepsPartial: "whether what the programs wrote to paths granted `rw` lands even if they do not end by themselves",
  view: "what the box shows: granted paths with their mode and `hide` globs, links that lead to them, what is at `/workspace`, the network",
  effects: "the same in the words of rules: the table of [effects](#effects)",
  limits: "memory, file size, open files, processes, processor time, disk",
  digest: "SHA-256 of all of it in canonical JSON",
};

interface EffectFacts {
  readonly is: string;
  readonly matchers: string;
  readonly builtIn: string;
}

const effects: Record<EffectKind, EffectFacts> = {
  tool: { is: "using a tool", matchers: "`tool`", builtIn: "`tool_grants` allow, else denied" },
  run: {
    is: "starting a program: the one that the gate starts, and those that its arguments or its script start in turn",
    matchers: "`program`, `argv`",
    builtIn: "a program that a grant covers is allowed, another is asked about; inside the box it is allowed",
  },
  read: { is: "seeing a path", matchers: "`path`", builtIn: "grants allow, else asked" },
  write: { is: "changing a path", matchers: "`path`", builtIn: "`rw` grants allow, else asked" },
  network: {
    is: "reaching a host, or the whole network (`*`)",
    matchers: "`host`",
    builtIn: "`net_grants` allow, else asked",
  },
  privilege: { is: "`sudo` and similar programs", matchers: "`program`, `argv`", builtIn: "denied" },
  interactive: {
    is: "a program that waits for a person: an editor, `top`, `git add -p`",
    matchers: "`program`, `argv`",
    builtIn: "denied",
  },
  destroy: {
    is: "deleting what cannot be restored: files, or work in git",
    matchers: "`program`, `argv`, `what`",
    builtIn: "denied",
  },
  push: {
    is: "sending commits elsewhere",
    matchers: "`target`, `branch`",
    builtIn: "asked; from a script it is denied",
  },
  pull: {
    is: "fetching from elsewhere",
    matchers: "`target`",
    builtIn: "asked; from a granted repository of this machine only for what looks like a secret",
  },
};

const errors: Record<FailureSlug, string> = {
  tool_not_found: "there is no such tool",
  permission_denied: "the tool is not granted, or the policy says no",
  fs_denied: "a path is not granted",
  net_denied: "the network is not granted",
  invalid_args: "an argument is wrong; the message names it. Also: `argv[0]` is missing or cannot be executed",
  tool_failed: "the tool could not do its work: git is missing, another machine did not answer, the caller cancelled",
  approval_denied: "a person said no; the message is their reason",
  approval_timeout: "nobody answered in time; that is not a no, and the question stays in the queue",
  no_approver: "a push or a pull needs a person, and nobody can be asked",
  changed: "a path, program or staged commit is not what it was when the call was judged",
  conflict: "the target or the workspace has other content than the call was made for; nothing changed",
  not_found: "a file, a commit or a session of that name does not exist",
  sandbox_unavailable: "this machine cannot enforce what the configuration requires; the hint says what would help",
  internal:
    "the gate itself failed, so the answer is no; or it failed after the call was done, and the message says so",
};

const resultFields: Record<keyof ExecutionResult, string> = {
  exit_code: "the exit code, or null if a signal ended the program. `exit 137` and a death by SIGKILL differ",
  signal: "the signal that ended it, or null",
  stdout:
    "what it printed, as UTF-8 text; undecodable bytes are replaced. Of too much, the first and the last part are kept, with a line between them",
  stderr: "the same",
  stdout_truncated: "whether bytes were dropped",
  stderr_truncated: "the same",
  stdout_bytes: "how many bytes the program printed. The cap counts the kept bytes and the notice together",
  stderr_bytes: "the same",
  duration_s: "seconds",
  timed_out: "whether the gate ended it because its time was up",
  limit_hit: "the limit that ended or cut the run, or null: see [below](#limit_hit)",
  cwd: "the real path it started in",
  artifacts:
    "[workspace](workspace.md) files that the run changed: `path`, `operation` (`create`, `update`, `delete`), `size`",
  more_artifacts: "only if the run changed more than 100 such files: how many are not in `artifacts`",
  ignored: "only if the run changed files that a `.gitignore` names: how many. They are not in `artifacts`",
  enforced: "what held for this call: see [below](#enforced)",
  network:
    "only if the call could reach single hosts and tried: `host`, `port`, `decision`, and `question` if one is open",
  not_kept:
    "only if the run wrote something that cannot be kept, in the workspace or in a path that it may change: `path`, `reason`",
  more_not_kept: "only if there are more than 100 of these: how many are not listed",
  notes: "only if the call could reach something beyond the box: the network",
  hint: "Bash and Python, after a failure: what the box may have kept from the program, and how to ask for it",
  requirements: "what `expect` asked for, one by one: `name`, `ok`, `reason` ([Bash](commands.md#requirements))",
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

function namedRows(of: Readonly<Record<string, string>>): string[][] {
  return Object.entries(of).map(([name, text]) => [`\`${name}\``, text]);
}

const limitTable = (group: Parameters<typeof limitRows>[0]): string => table(["what", "limit"], limitRows(group));

const facts: Readonly<Record<string, () => string>> = {
  action: () => table(["part", "holds"], namedRows(actionParts)),
  effects: () =>
    table(
      ["effect", "what it is", "matchers of a rule", "without a rule"],
      effectKinds.map((kind) => [`\`${kind}\``, effects[kind].is, effects[kind].matchers, effects[kind].builtIn]),
    ),
  errors: () =>
    table(
      ["`error`", "when"],
      failureSlugs.map((slug) => [`\`${slug}\``, errors[slug]]),
    ),
  executionResult: () => table(["field", "meaning"], namedRows(resultFields)),
  entryEvents: () => table(["event", "when"], namedRows(eventFacts)),
  entryFields: () => table(["field", "holds"], namedRows(entryFacts)),
  commands: () => table(["command", "what it does"], commandRows()),
  callFlags: () => table(["flag", "meaning"], flagRows("call")),
  answerKeys: () => table(["key", "answer"], answerKeyRows()),
  reviewKeys: () => table(["screen", "key", "what it does"], reviewKeyRows()),
  exitCodes: () => table(["code", "meaning"], exitCodeRows()),
  callLimits: () => limitTable(limitGroups.callLimits),
  boxLimits: () => limitTable(limitGroups.boxLimits),
  workspaceLimits: () => limitTable(limitGroups.workspaceLimits),
  noticeLimits: () => limitTable(limitGroups.noticeLimits),
  questionLimits: () => limitTable(limitGroups.questionLimits),
};

const block = /^<!-- facts: (\w+) -->\n[\s\S]*?^<!-- end -->$/gm;

/** The document with its blocks of facts made anew; an unknown name is an error. */
export function withFacts(markdown: string): string {
  return markdown.replace(block, (_, name: string) => {
    const made = facts[name];
    if (made === undefined) throw new Error(`there are no facts called ${name}`);
    return `<!-- facts: ${name} -->\n${made()}\n<!-- end -->`;
  });
}
