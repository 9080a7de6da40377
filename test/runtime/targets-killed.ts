// A gate that is killed while it lands a series somewhere else than on the branch that is checked out: before a change of its own in a repository
// of this machine, or when a server has got a given request of it.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { GitTarget } from "../../src/git/target/target.ts";
import { makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { git } from "../fixtures/git.ts";
import { seedFiles } from "../fixtures/git-gates.ts";
import { httpHost, type RemoteHost } from "../fixtures/remote-repositories.ts";

const fixtures = join(import.meta.dirname, "../fixtures");
const [edited = ""] = Object.keys(seedFiles);

interface Place {
  readonly target: GitTarget;
  /** Null: the gate is killed at its own changes below `below`. */
  readonly host: RemoteHost | null;
  readonly below: string;
  /** The repositories of this machine in which nothing may be left. */
  readonly repositories: readonly string[];
  readonly head: (name: string) => Promise<string | null>;
  /** A repository that git itself can read, with what is on the branch. */
  readonly read: () => Promise<string>;
}

const branch = "reports";

function localPlace(path: string, type: "local" | "local-bare"): Place {
  return {
    target: { type, path },
    host: null,
    below: path,
    repositories: [type === "local" ? join(path, ".git") : path],
    head: (name) =>
      Promise.resolve(git(path, ["for-each-ref", "--format=%(objectname)", `refs/heads/${name}`]).trim() || null),
    read: () => Promise.resolve(path),
  };
}

async function remotePlace(
  t: TestContext,
  project: Project,
  start: (directory: string) => Promise<RemoteHost | string>,
): Promise<Place> {
  const directory = join(project.outside, "host");
  mkdirSync(directory, { mode: 0o700 });
  const host = await start(directory);
  assert.ok(typeof host !== "string", typeof host === "string" ? host : "");
  t.after(() => host.close());
  const repository = await host.repository();
  return {
    target: repository.target,
    host,
    below: project.path,
    repositories: [
      join(project.path, ".git"),
      ...(repository.target.type === "remote" ? [await repository.copy("main")] : []),
    ],
    head: (name) => repository.head(name),
    read: () => repository.copy(branch),
  };
}

export const targets = {
  "a bare repository": (_: TestContext, project: Project) => {
    const bare = join(project.outside, "bare.git");
    execFileSync("git", ["clone", "--quiet", "--bare", project.path, bare]);
    return Promise.resolve(localPlace(bare, "local-bare"));
  },
  "a branch that is not checked out": (_: TestContext, project: Project) =>
    Promise.resolve(localPlace(project.path, "local")),
  "a remote over HTTP with a password": (t: TestContext, project: Project) =>
    remotePlace(t, project, (directory) => httpHost(directory, "correct-horse-4711-battery")),
} as const;

export interface Round {
  readonly at: string;
  readonly wasKilled: boolean;
  /** Whether the branch had the series when the gate was gone. */
  readonly hasMoved: boolean;
}

/** Lands once to see the changes, or requests. Then one landing is killed at each of them that `isTried` chooses, and its push repeated. */
export async function killAndPushAgain(
  t: TestContext,
  name: keyof typeof targets,
  isTried: (at: string, index: number, count: number) => boolean,
): Promise<Round[]> {
  const project = makeProject(t, seedFiles);
  const place = await targets[name](t, project);
  const base = await place.head("main");
  const before = project.digest();
  const more = {
    workspace: { kind: "draft" },
    ...(place.host?.githubUrl == null ? {} : { git: { github_url: place.host.githubUrl } }),
  };
  const paths = [{ path: project.outside, mode: "r" }];
  const gate = openDraft(t, project, { more, paths });
  const agents = {
    default: {
      tool_grants: ["*"],
      fs_grants: [{ path: "/usr", mode: "r" }, { path: project.path, mode: "r" }, ...paths],
    },
  };
  const configText = JSON.stringify({ version: 1, agents, ...more });
  const list = join(project.outside, "changes");
  let serial = 0;
  const land = async (at: number, what: string): Promise<Round & { readonly steps: readonly string[] }> => {
    serial += 1;
    await gate.bash(`echo ${serial} >> ${edited}; git commit -qam 'edit ${serial}'
      mkdir new-${serial}; echo ${serial} > new-${serial}/f; git add new-${serial}; git commit -qm 'new ${serial}'
      git mv new-${serial}/f new-${serial}/g; git commit -qm 'move ${serial}'`);
    const { id } = await gate.result("git_stage", { commits: "HEAD~3..HEAD" });
    const old = (await place.head(branch)) ?? base;
    const options = {
      statePath: project.state,
      project: project.path,
      session: "s1",
      configText,
      tool: "git_push",
      yes: true,
      args: { commitId: id, target: { ...place.target, branch } },
    };
    const { wasKilled, steps } = await push(list, place, JSON.stringify(options), at);
    const context = `killed at ${what}`;
    const then = (await place.head(branch)) ?? base;
    const hasMoved = then !== old;
    const again = await push(list, place, JSON.stringify(options), 0);
    assert.ok(!again.wasKilled, context);
    const reply = JSON.parse(again.out) as { ok: boolean; result?: { commits?: string[] } };
    assert.ok(reply.ok, `${context}: ${again.out}`);
    const repository = await place.read();
    const landed = git(repository, ["rev-list", "--reverse", `${old}..${branch}`])
      .trim()
      .split("\n");
    assert.equal(landed.length, 3, `one series: ${context}`);
    assert.deepEqual(reply.result?.commits, landed, context);
    if (hasMoved) assert.equal(landed.at(-1), then, `the same commits, not others on top of them: ${context}`);
    const said = git(repository, ["log", "--reverse", "--format=%s", `${old}..${branch}`]);
    assert.equal(said, `edit ${serial}\nnew ${serial}\nmove ${serial}\n`, context);
    assert.equal(git(repository, ["show", `${branch}:new-${serial}/g`]), `${serial}\n`);
    git(repository, ["fsck", "--strict"]);
    for (const one of place.repositories) {
      const left = readdirSync(one, { recursive: true }).map(String);
      assert.deepEqual(left.filter((path) => /\.lock$|tmp_objdir|tmp_pack|sallyport-/.test(path)), [], context); // prettier-ignore
    }
    return { at: what, wasKilled, hasMoved, steps };
  };
  const { steps } = await land(0, "never");
  const rounds: Round[] = [];
  for (const [index, step] of steps.entries())
    if (isTried(step, index, steps.length))
      rounds.push(await land(index + 1, `${index + 1} of ${steps.length}, ${step}`));
  if (place.repositories[0] !== join(project.path, ".git") || place.host !== null)
    assert.equal(project.digest(), before, "nothing of the project's has changed");
  return rounds;
}

interface Pushed {
  readonly wasKilled: boolean;
  readonly out: string;
  /** The gate's own changes of a repository of this machine; else one for each request. */
  readonly steps: readonly string[];
}

/** 0: it is not killed. */
async function push(list: string, { host, below }: Place, options: string, at: number): Promise<Pushed> {
  rmSync(list, { force: true });
  const setting = JSON.stringify({ below, at: host === null ? at : 0, list });
  const first = host?.contacts() ?? 0;
  const words = ["--import", join(fixtures, "kill-at-change.ts"), join(fixtures, "gate-process.ts"), options];
  const child = spawn(process.execPath, words, {
    env: { ...process.env, ...host?.environment, KILL_AT: setting },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
  const ended = once(child, "close");
  const asked = () => (host?.contacts() ?? 0) - first;
  while (host !== null && at > 0 && child.exitCode === null && child.signalCode === null) {
    if (asked() >= at) child.kill("SIGKILL");
    await new Promise((resolve) => setImmediate(resolve));
  }
  const [, signal] = (await ended) as [number | null, string | null];
  const steps =
    host === null
      ? (existsSync(list) ? readFileSync(list, "utf8") : "").split("\n").filter(Boolean)
      : Array.from({ length: asked() }, () => "a request");
  return { wasKilled: signal === "SIGKILL", out, steps };
}
