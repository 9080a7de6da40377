// The seed's example session with repositories on other machines: nothing is asked of them before a person, a rule or a
// worker has said yes; what lands is what was shown; and what signs the person in stays the person's.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after, describe } from "node:test";
import { loadWorker } from "../../src/config/worker.ts";
import { renderDiff } from "../../src/git/publish/diff-text.ts";
import type { GitTarget } from "../../src/git/target/target.ts";
import {
  type Approver,
  createGate,
  createRegistry,
  type Gate,
  type Question,
  registerBashTool,
  registerBuiltinTools,
  type Reply,
} from "../../src/index.ts";
import { resolvePath } from "../../src/process/real-path.ts";
import type { RuleText } from "../../src/policy/rule.ts";
import { answerTo, scripted, type ScriptedApprover } from "../fixtures/approver.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { git } from "../fixtures/git.ts";
import {
  githubHost,
  httpHost,
  type RemoteHost,
  type RemoteRepository,
  sshHost,
} from "../fixtures/remote-repositories.ts";
import { person, seedFiles } from "../fixtures/git-gates.ts";
import { isFull } from "../fixtures/runs.ts";

const PASSWORD = "correct-horse-4711-battery";
const TOKEN = "a-token-that-nobody-may-see-0815";
const files: Readonly<Record<string, string>> = {
  "report.md": "# Q4 2024 Report\n\n## Summary\nRevenue increased by 15% compared to Q3.\n",
  "analysis.json": '{\n  "period": "Q4-2024",\n  "status": "final"\n}\n',
  "charts/revenue.svg": '<svg xmlns="http://www.w3.org/2000/svg"><rect width="15"/></svg>',
};

const directories = makeTestDirectories();
const gates: Gate[] = [];
const own = (name: string): string => {
  const directory = join(directories.outside, name);
  mkdirSync(directory, { mode: 0o700 });
  return directory;
};
const hosts: readonly (RemoteHost | string)[] = [
  await httpHost(own("http"), PASSWORD),
  await sshHost(own("ssh")),
  await githubHost(own("github"), TOKEN),
];
const mistaken = await httpHost(own("mistaken"), PASSWORD, "not-the-password-of-it-4712");
after(async () => {
  for (const gate of gates) gate.close();
  for (const host of [...hosts, mistaken]) if (typeof host !== "string") await host.close();
  directories.remove();
});

interface Parts {
  readonly rules?: readonly RuleText[];
  /** The frontmatter's `git`, as JSON. */
  readonly worker?: object;
  readonly approvers?: readonly Approver[];
  readonly session?: string;
}

interface Room {
  readonly gate: Gate;
  readonly person: ScriptedApprover;
  readonly replies: Reply[];
  call(tool: string, args?: object): Promise<Reply>;
  done(tool: string, args?: object): Promise<Record<string, unknown>>;
  refused(tool: string, args?: object): Promise<Extract<Reply, { ok: false }>>;
  /** The seed's files, written and staged. */
  stage(): Promise<string>;
}

let count = 0;

/** A gate of the person whose environment the host's is, with a state of its own. */
function open(host: RemoteHost, parts: Parts = {}): Room {
  count += 1;
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerBashTool(registry);
  const config = {
    version: 1,
    agents: {
      default: {
        tool_grants: ["git_*", "*_file", "*_files", "Bash"],
        fs_grants: [
          { path: "/usr", mode: "r" },
          { path: directories.project, mode: "r" },
        ],
      },
    },
    workspace: { kind: "memory" },
    policy: { rules: parts.rules ?? [] },
    ...(host.githubUrl === null ? {} : { git: { github_url: host.githubUrl } }),
  };
  const asked = scripted();
  const before = { ...process.env };
  Object.assign(process.env, host.environment);
  try {
    const gate = createGate({
      registry,
      statePath: join(directories.state, String(count)),
      project: directories.project,
      configText: JSON.stringify(config),
      session: parts.session ?? "seed",
      approvers: parts.approvers ?? [asked],
      ...(parts.worker === undefined ? {} : { worker: workerWith(parts.worker) }),
    });
    gates.push(gate);
    return roomOf(gate, asked);
  } finally {
    for (const name of Object.keys(host.environment)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

function workerWith(settings: object) {
  const file = join(directories.base, `worker-${count}.md`);
  writeFileSync(file, `---\nname: w\ndescription: reports\ngit: ${JSON.stringify(settings)}\n---\nWrite.\n`);
  const loaded = loadWorker(file, { project: resolvePath(directories.project), home: directories.base });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.worker;
}

function roomOf(gate: Gate, asked: ScriptedApprover): Room {
  const replies: Reply[] = [];
  const room: Room = {
    gate,
    person: asked,
    replies,
    async call(tool, args = {}) {
      const reply = await gate.call({ tool, args });
      replies.push(reply);
      return reply;
    },
    async done(tool, args) {
      const reply = await room.call(tool, args);
      assert.ok(reply.ok, `${tool} was refused: ${JSON.stringify(reply)}`);
      return reply.result;
    },
    async refused(tool, args) {
      const reply = await room.call(tool, args);
      assert.ok(!reply.ok, `${tool} was not refused: ${JSON.stringify(reply)}`);
      return reply;
    },
    async stage() {
      for (const [path, content] of Object.entries(files)) await room.done("write_file", { path, content });
      return String(
        (await room.done("git_stage", { files: Object.keys(files), message: "Add quarterly report" }))["id"],
      );
    },
  };
  return room;
}

/** What a question is about, beyond the tool itself. */
const about = ({ verdict }: Question) =>
  verdict.findings
    .filter(({ decision }) => decision === "ask")
    .map(({ effect }) => effect.kind)
    .join();
const kinds = (questions: readonly Question[]) => questions.map(about);
const onBranch = (target: GitTarget, branch: string): GitTarget => ({ ...target, branch });

/** Whom the record says was spoken to, and under which digest. */
function contactsIn({ gate }: Room): [unknown, unknown][] {
  const started = [...gate.journal.list({ event: "tool.call.dispatched", order: "oldest" })];
  return started.flatMap(({ args, digest }) => {
    const { name, path } = args as { name?: string; path?: string };
    return name === "contact" ? [[path, digest] as [unknown, unknown]] : [];
  });
}

/** Everything that a reply, a question, the record or the store holds. */
function assertNoSecret(room: Room, host: RemoteHost, questions: readonly Question[]): void {
  const texts: [string, string][] = [
    ["a reply", JSON.stringify(room.replies)],
    ["a question", JSON.stringify(questions)],
    ["the record", JSON.stringify([...room.gate.journal.list({})])],
    ...filesBelow(room.gate.config.stateDirectory).map((path): [string, string] => [
      path,
      readFileSync(path, "latin1"),
    ]),
  ];
  assert.ok(texts.length > 3, "the store has files");
  for (const secret of host.secrets) {
    assert.ok(secret.length > 15);
    for (const [where, text] of texts) assert.equal(text.includes(secret), false, `${where} holds the secret`);
  }
}

function filesBelow(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names
    .map((name) => join(directory, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

async function assertLanded(repository: RemoteRepository, branch: string, { action, diff }: Question): Promise<void> {
  const { push } = action;
  assert.ok(push !== undefined && diff !== undefined);
  assert.equal(await repository.head(branch), push.commit);
  const copy = await repository.copy(branch);
  assert.equal(git(copy, ["fsck", "--strict", "--no-dangling"]), "");
  assert.equal(
    Buffer.from(renderDiff(diff)).toString(),
    git(copy, ["show", "--format=", "--full-index", "-M", "--no-color", push.commit]),
  );
  assert.match(
    git(copy, ["show", "-s", "--format=%an <%ae>%n%B", push.commit]),
    new RegExp(`^${person.name} <${person.email}>\nAdd quarterly report\n`),
  );
  for (const [name, text] of Object.entries(files)) assert.equal(git(copy, ["show", `${push.commit}:${name}`]), text);
}

describe("the way out to other machines", { concurrency: true }, () => {
  for (const [index, found] of hosts.entries()) {
    if (typeof found === "string") {
      test(`host ${index}`, { skip: found }, () => undefined);
      continue;
    }
    const host = found;
    // Who decides is the same for every transport.
    const isFirst = isFull || index === 0;
    describe(host.name, { concurrency: 1 }, () => {
      test("the seed's example session: asked before it is spoken to, asked again with the diff, and landed as shown", async () => {
        const repository = await host.repository();
        const { target } = repository;
        const old = await repository.head("main");
        const spoken: number[] = [];
        const begin = host.contacts();
        const room = open(host);
        room.person.says = () => (spoken.push(host.contacts() - begin), {});
        const pulled = await room.done("git_pull", { source: target, paths: ["templates/", "analysis.json"] });
        assert.deepEqual(pulled, {
          pulled: ["/workspace/analysis.json", "/workspace/templates/chart.svg", "/workspace/templates/report.md"],
          conflicts: [],
          commitSha: old,
        });
        assert.equal(
          (await room.done("read_file", { path: "templates/report.md" }))["content"],
          seedFiles["templates/report.md"],
        );
        assert.deepEqual([kinds(room.person.asked), spoken], [["pull"], [0]]);

        const id = await room.stage();
        const between = host.contacts();
        assert.ok(between > begin);
        spoken.length = 0;
        room.person.says = () => (spoken.push(host.contacts() - between), {});
        const pushed = await room.done("git_push", { commitId: id, target: onBranch(target, "reports") });
        const [, contact, push] = room.person.asked as [Question, Question, Question];
        assert.deepEqual(kinds(room.person.asked), ["pull", "pull", "push"]);
        assert.equal(spoken[0], 0, "nothing reached it before the first yes");
        assert.ok((spoken[1] ?? 0) > 0, "the second question shows what it is now");
        assert.deepEqual([contact.action.push, contact.diff], [undefined, undefined]);
        assert.ok(contact.text.includes(repository.place), contact.text);
        assert.equal(push.action.push?.place, repository.place);
        assert.deepEqual(
          [push.action.push?.isNewBranch, push.action.push?.oldCommit, push.severity],
          [true, null, "medium"],
        );
        assert.deepEqual(pushed, {
          commitSha: push.action.push?.commit,
          branch: "reports",
          createdBranch: true,
          previousSha: null,
          target: repository.place,
          filesChanged: 3,
        });
        await assertLanded(repository, "reports", push);
        assert.equal(git(await repository.copy("reports"), ["rev-parse", `${pushed["commitSha"]}^`]).trim(), old);
        assert.equal(await repository.head("main"), old);
        assert.deepEqual((await room.done("git_status"))["staged"], []);

        const second = open(host, { session: "second" });
        const again = await second.done("git_pull", { source: onBranch(target, "reports"), paths: ["."] });
        assert.equal(again["commitSha"], pushed["commitSha"]);
        for (const [path, content] of Object.entries(files))
          assert.equal((await second.done("read_file", { path }))["content"], content);
        assert.equal((await second.done("git_status"))["unstaged"]?.toString(), "");
        assertNoSecret(room, host, room.person.asked);
        assertNoSecret(second, host, second.person.asked);
        assert.deepEqual(contactsIn(room), [
          [repository.place, room.person.asked[0]?.action.digest],
          [repository.place, contact.action.digest],
        ]);
        assert.equal(room.gate.journal.verify().ok, true);
      });

      if (isFirst) {
        test("the default branch is one that others build on; a yes for the session leaves the push to be asked about", async () => {
          const repository = await host.repository();
          const { target } = repository;
          const room = open(host);
          room.person.says = (question) => (about(question) === "pull" ? { scope: "session" } : {});
          const first = await room.stage();
          const old = await repository.head("main");
          await room.done("git_push", { commitId: first, target });
          const push = room.person.asked[1] as Question;
          assert.deepEqual(
            [kinds(room.person.asked), push.severity, push.action.push?.oldCommit],
            [["pull", "push"], "high", old],
          );
          await assertLanded(repository, "main", push);
          await room.done("write_file", { path: "report.md", content: "# again\n" });
          const { id } = await room.done("git_stage", { files: ["report.md"], message: "Again" });
          await room.done("git_push", { commitId: id, target });
          assert.deepEqual(kinds(room.person.asked), ["pull", "push", "push"]);
          assert.equal(room.person.asked[2]?.action.push?.commit, await repository.head("main"));

          // It was a yes to this repository, not to all of the host.
          const other = await host.repository();
          await room.done("git_pull", { source: other.target, paths: ["README.md"] });
          assert.deepEqual(kinds(room.person.asked), ["pull", "push", "push", "pull"]);
        });

        test("a rule, a worker or an answer for the project leaves only the push, and only there", async () => {
          const [named, other] = [await host.repository(), await host.repository()];
          const target = onBranch(named.target, "reports");
          const always = open(host);
          always.person.says = (question) => (about(question) === "pull" ? { scope: "project" } : { decision: "deny" });
          const [ruled, worked, pulls] = [
            open(host, { rules: [{ decide: "allow", effect: "pull", target: named.place }] }),
            open(host, { worker: { default_target: target } }),
            open(host, { worker: { auto_pull: [{ path: "templates/", source: named.target }] } }),
          ];
          for (const room of [always, ruled, worked, pulls]) {
            if (room !== always) room.person.says = () => ({ decision: "deny", reason: "not now" });
            const id = await room.stage();
            const isWorked = room === worked;
            const refused = await room.refused("git_push", { commitId: id, ...(isWorked ? {} : { target }) });
            if (room === always) {
              assert.deepEqual(kinds(room.person.asked.splice(0)), ["pull", "push"]);
              await room.refused("git_push", { commitId: id, target });
            }
            assert.equal(refused.error, "approval_denied");
            assert.deepEqual(kinds(room.person.asked), ["push"]);
            assert.equal(room.person.asked[0]?.action.push?.place, named.place);
            assert.deepEqual(
              contactsIn(room).map(([where]) => where),
              Array(room === always ? 2 : 1).fill(named.place),
            );
            const count = host.contacts();
            room.person.says = () => ({ decision: "deny" });
            assert.equal(
              (await room.refused("git_push", { commitId: id, target: onBranch(other.target, "reports") })).error,
              "approval_denied",
            );
            assert.deepEqual([kinds(room.person.asked), host.contacts() - count], [["push", "pull"], 0]);
            assert.equal(
              ((await room.done("git_status"))["staged"] as object[]).length,
              1,
              "it is still there to be tried again",
            );
          }
          assert.equal(await named.head("reports"), null);
        });
      }

      if (isFirst)
        test("a no, a rule that denies, nobody to ask and a plan: nothing is spoken to", async () => {
          const repository = await host.repository();
          const { target, place: url } = repository;
          const before = host.contacts();
          const [no, denied, nobody] = [
            open(host),
            open(host, {
              rules: [{ decide: "deny", effect: "pull", target: url }],
              worker: { default_target: target },
            }),
            open(host, { approvers: [] }),
          ];
          no.person.says = () => ({ decision: "deny", reason: "not to that place" });
          for (const [room, error] of [
            [no, "approval_denied"],
            [denied, "permission_denied"],
            [nobody, "no_approver"],
          ] as const) {
            const push = { commitId: await room.stage(), target: onBranch(target, "reports") };
            const refused = await room.refused("git_push", push);
            assert.equal(refused.error, error, refused.message);
            assert.equal((await room.refused("git_pull", { source: target, paths: ["."] })).error, error);
            const planned = await room.gate.plan({ tool: "git_push", args: push });
            assert.equal(!planned.ok && planned.failure.error, "no_approver");
            assert.equal(((await room.done("git_status"))["staged"] as object[]).length, 1);
          }
          assert.match(JSON.stringify(no.replies), /not to that place/);
          assert.equal(host.contacts(), before);
          assert.equal(await repository.head("reports"), null);
          // Nobody to ask about the push, where the place itself is allowed.
          const half = open(host, { approvers: [], worker: { default_target: onBranch(target, "reports") } });
          assert.equal((await half.refused("git_push", { commitId: await half.stage() })).error, "no_approver");
          assert.ok(host.contacts() > before);
          assert.equal(await repository.head("reports"), null);
        });

      // ssh lands as HTTP does: git's own protocol.
      if (isFull || !host.name.includes("ssh"))
        test("a branch that moves while a person reads is a conflict, and the commit can be pushed again", async () => {
          const repository = await host.repository();
          const questions: Question[] = [];
          let moved: string | null = null;
          const slow: Approver = {
            name: "slow",
            async ask(question) {
              questions.push(question);
              if (about(question) === "push" && moved === null) moved = await repository.move("main");
              return answerTo(question);
            },
          };
          const room = open(host, {
            approvers: [slow],
            rules: [{ decide: "allow", effect: "pull", target: repository.place }],
          });
          const id = await room.stage();
          const late = await room.refused("git_push", { commitId: id, target: repository.target });
          assert.equal(late.error, "conflict", late.message);
          assert.equal(await repository.head("main"), moved);
          const pushed = await room.done("git_push", { commitId: id, target: repository.target });
          assert.equal(pushed["previousSha"], moved);
          assert.deepEqual(kinds(questions), ["push", "push"]);
          assert.notEqual(questions[0]?.action.digest, questions[1]?.action.digest);
          await assertLanded(repository, "main", questions[1] as Question);
        });

      test("the agent's own programs find nothing that signs the person in", async () => {
        const repository = await host.repository();
        const room = open(host, { worker: { default_target: repository.target } });
        await room.done("git_pull", { source: repository.target, paths: ["README.md"] });
        const control = spawnSync(
          "/bin/bash",
          ["-c", ["env", ...host.secretFiles.map((path) => `cat ${path}`)].join("; ")],
          {
            env: { ...host.environment, PATH: "/usr/bin:/bin" },
            encoding: "utf8",
          },
        );
        for (const secret of host.secrets)
          assert.ok(control.stdout.includes(secret), "the person's own programs find it");
        const home = String(host.environment["HOME"]);
        const looks = [
          "env; cat ~/.git-credentials ~/.ssh/*; cat /proc/*/environ | tr '\\0' '\\n'",
          ...[...host.secretFiles, join(home, ".gitconfig")].map((path) => `cat ${path}`),
          `ls -la ${home} ${directories.outside}; git config --global --list; printf 'url=%s\\n\\n' '${repository.place}' | git credential fill`,
          "find / -xdev -name '.git-credentials' -o -xdev -name client -type f 2>/dev/null | head",
        ];
        for (const script of looks) await room.call("Bash", { script });
        assert.ok(
          room.replies.some((reply) => reply.ok && String(reply.result["stdout"]).includes("PATH=")),
          JSON.stringify(room.replies[1]),
        );
        assert.ok(!JSON.stringify(room.replies).includes("BEGIN OPENSSH"));
        assertNoSecret(room, host, room.person.asked);
      });
    });
  }
});

test("a sign-in that fails says so without what was tried, and the commit stays staged", async () => {
  const { target } = await mistaken.repository();
  const room = open(mistaken);
  const refused = await room.refused("git_push", { commitId: await room.stage(), target });
  assert.match(`${refused.message} ${refused.hint ?? ""}`, /sign|credential|password|permission|login/i);
  assert.deepEqual(kinds(room.person.asked), ["pull"]);
  assert.equal(((await room.done("git_status"))["staged"] as object[]).length, 1);
  assertNoSecret(room, mistaken, room.person.asked);
});
