// The push cases of the corpus that need no machine, as calls that both gates make: with a person who answers as the case says.
// No import of node: a worker of a page runs them, too.

import type { Answer, Approver, CallRequest, Gate, Question, Reply, Response } from "../../src/browser.ts";

type Says = (question: Question) => unknown;

interface CaseCall {
  readonly tool: string;
  readonly args: object | ((staged: readonly string[], repository: string) => object);
  /** Yes, if absent. */
  readonly says?: Says;
}

/** What somebody else lands on main between two calls. Null: the file goes. */
interface Meanwhile {
  readonly meanwhile: Readonly<Record<string, string | null>>;
}

export type CaseStep = CaseCall | Meanwhile;

export interface StepWords {
  readonly tool: string;
  readonly reply: Reply;
  readonly asked: readonly { readonly severity: string; readonly text: string }[];
}

export interface CasePerson extends Approver {
  says: Says;
  asked: Question[];
}

export interface CaseContext {
  readonly gate: Gate;
  readonly person: CasePerson;
  readonly githubUrl: string;
  /** `owner/name`. */
  readonly repository: string;
}

/** A repository of a server that answers with what it was told in secret. */
export const echoing = "octo/echo";

export function casePerson(): CasePerson {
  const person: CasePerson = {
    name: "case",
    says: yes,
    asked: [],
    ask(question) {
      person.asked.push(question);
      return Promise.resolve(person.says(question) as Response);
    },
  };
  return person;
}

const answer = (decision: Answer["decision"]): Says => {
  return ({ action: { digest } }) => ({ decision, digest, scope: "once", who: "ann", reason: null }) satisfies Answer;
};
const yes = answer("allow");
const no = answer("deny");

const write = (path: string, content: string): CaseStep => ({ tool: "write_file", args: { path, content } });
const stage = (...files: string[]): CaseStep => ({ tool: "git_stage", args: { files, message: "a commit" } });
const read = (branch: string, path: string): readonly CaseStep[] => [
  {
    tool: "git_pull",
    args: (_, repo) => ({ source: { type: "github", repo, branch }, paths: [path], onConflict: "overwrite" }),
  },
  { tool: "read_file", args: { path } },
];

/** Of the commit that was staged as number `index`, from 0. */
function push(branch: string, index: number, says?: Says): CaseStep {
  return {
    tool: "git_push",
    args: (staged, repo) => ({ commitId: staged[index], target: { type: "github", repo, branch } }),
    ...(says === undefined ? {} : { says }),
  };
}

/** Whatever is not the exact answer is none. */
const noAnswers = [undefined, null, {}, "yes", 1, true, { approved: true }, { decision: "allow" }, []];

export const caseSequences: Readonly<Record<string, readonly CaseStep[]>> = {
  "push-toctou-edit-after-stage": [
    write("edited.md", "staged\n"),
    stage("edited.md"),
    write("edited.md", "rewritten\n"),
    push("edited", 0),
    ...read("edited", "edited.md"),
  ],
  "push-toctou-restage-same-id": [
    write("again.md", "approved\n"),
    stage("again.md"),
    { tool: "git_discard", args: ([commitId]) => ({ commitId }) },
    write("again.md", "another\n"),
    stage("again.md"),
    push("restaged", 0),
    push("restaged", 1, no),
  ],
  "push-toctou-change-target-after-approve": [
    write("target.md", "a\n"),
    stage("target.md"),
    stage("target.md"),
    push("approved", 0),
    push("main", 1, no),
  ],
  "push-toctou-approve-replay": [
    write("replay.md", "a\n"),
    stage("replay.md"),
    stage("replay.md"),
    push("replay", 0),
    push("replay", 0, no),
    push("replay-again", 0, no),
    push("replay-again", 1, no),
  ],
  "push-toctou-approver-disconnect": [
    write("gone.md", "a\n"),
    stage("gone.md"),
    push("gone", 0, () => {
      throw new Error("gone");
    }),
  ],
  "push-toctou-default-approve": [
    write("default.md", "a\n"),
    stage("default.md"),
    ...noAnswers.map((said) => push("default", 0, () => said)),
  ],
  "push-toctou-high-severity-main": [
    write("high.md", "a\n"),
    stage("high.md"),
    ...["main", "production", "release-1", "reports"].map((branch) => push(branch, 0, no)),
  ],
  "push-toctou-main-case": [
    write("case.md", "a\n"),
    stage("case.md"),
    ...["Main", "MAIN", "refs/heads/main", "Release/1"].map((branch) => push(branch, 0, no)),
    ...["main^{}", " main", "main ", "heads/main", "ma\u200bin", "refs/tags/main"].map((branch) => push(branch, 0, no)),
  ],
  "push-toctou-new-branch": [write("new.md", "a\n"), stage("new.md"), push("brand-new", 0)],
  "push-toctou-stage-no-approval": [write("alone.md", "a\n"), stage("alone.md")],
  "push-write-delete-op": [
    write("deleted.md", "one\n"),
    stage("deleted.md"),
    push("main", 0),
    ...read("main", "deleted.md"),
    { tool: "delete_file", args: { path: "deleted.md" } },
    stage("deleted.md"),
    { meanwhile: { "deleted.md": "changed since\n" } },
    push("main", 1, no),
    push("main", 1),
  ],
  "push-write-token-in-error": [
    write("token.md", "a\n"),
    stage("token.md"),
    {
      tool: "git_push",
      args: ([commitId]) => ({ commitId, target: { type: "github", repo: echoing, branch: "main" } }),
    },
  ],
};

export async function runCaseSequence(steps: readonly CaseStep[], context: CaseContext): Promise<readonly StepWords[]> {
  const { gate, person, githubUrl, repository } = context;
  const staged: string[] = [];
  const words: StepWords[] = [];
  for (const step of steps) {
    if ("meanwhile" in step) {
      const body = JSON.stringify({ repository, files: step.meanwhile });
      const { ok } = await fetch(`${githubUrl}/meanwhile`, { method: "POST", body });
      if (!ok) throw new Error("nothing landed meanwhile");
      continue;
    }
    const { tool, args, says = yes } = step;
    Object.assign(person, { says, asked: [] });
    const request: CallRequest = { tool, args: typeof args === "function" ? args(staged, repository) : args };
    const reply = await gate.call(request);
    if (reply.ok && tool === "git_stage") staged.push(String(reply.result["id"]));
    words.push({ tool, reply, asked: person.asked.map(({ severity, text }) => ({ severity, text })) });
  }
  return words;
}
