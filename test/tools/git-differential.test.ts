// The same question to git through the gate and to git alone: the same answer, byte for byte, and the same exit code.
// `cmd` is what the gate says it ran: so that is what git alone is given.

import assert from "node:assert/strict";
import test, { after } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { makeHistory } from "../fixtures/git-history.ts";
import { type GitCall, openGitGate, pictureOf, plainGit, ranGit } from "../fixtures/git.ts";
import { runs } from "../fixtures/runs.ts";

const directories = makeTestDirectories();
const { repo, refs, paths } = makeHistory(directories.root);
const gate = openGitGate(directories);
after(() => {
  gate.close();
  directories.remove();
});

async function compare(call: GitCall): Promise<{ stdout: string; exitCode: number | null }> {
  const ours = await ranGit(gate, repo, call);
  const plain = plainGit("/", ours.cmd.slice(1), { env: { GIT_LITERAL_PATHSPECS: "1" } });
  const shown = `${JSON.stringify(call)} ran as ${ours.cmd.join(" ")}\n${ours.stderr}${plain.stderr}`;
  assert.equal(withoutNow(ours.stdout), withoutNow(plain.stdout), shown);
  assert.equal(ours.exit_code, plain.exitCode, shown);
  // Where it fails, git's words depend on whether a `--` was there.
  if (plain.exitCode === 0) assert.equal(ours.stderr, plain.stderr, shown);
  return { stdout: ours.stdout, exitCode: ours.exit_code };
}

/** What is not committed yet is dated now, and the two ran one after the other. */
function withoutNow(text: string): string {
  return text
    .replace(/((?:author|committer)-mail <not\.committed\.yet>\n(?:author|committer)-time )\d+/g, "$1now")
    .replace(/(\(Not Committed Yet\s+)(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\d+(?= [+-]\d{4}))/g, "$1now");
}

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += 4) await Promise.all(items.slice(start, start + 4).map(work));
}

// What people and agents ask all day. Each must succeed and print something.
const daily: GitCall[] = [
  { op: "status" },
  { op: "status", args: ["-s"] },
  { op: "status", args: ["-sb"] },
  { op: "status", args: ["-uno"] },
  { op: "status", args: ["--ignored"] },
  { op: "status", args: ["--porcelain=v2", "--branch"] },
  { op: "status", args: ["-z", "-uall"] },
  { op: "status", path: "src" },
  { op: "log", args: ["--oneline", "--graph", "--all", "--decorate", "-20"] },
  { op: "log", args: ["--pretty=format:%h %an %ad %s", "--date=short"] },
  { op: "log", args: ["-S", "return 33", "--patch"] },
  { op: "log", args: ["-Sreturn 33", "-p"] },
  { op: "log", args: ["-G", "return [0-9]{2}", "--oneline"] },
  { op: "log", args: ["--follow", "--oneline"], path: "src/helpers.js" },
  { op: "log", args: ["-L", ":app3:src/app.js"] },
  { op: "log", args: ["-L", "1,5:src/app.js", "-s"] },
  { op: "log", args: ["--author=ada", "-i", "--since=2020-01-01", "--no-merges"] },
  { op: "log", args: ["--since", "10 years ago", "--oneline"] },
  { op: "log", args: ["--format=%H"] },
  { op: "log", args: ["--format=%H%x00%s%x0a", "-n1"] },
  { op: "log", args: ["--diff-filter=D", "--summary"] },
  { op: "log", args: ["--reverse"], ref: "v0.9..HEAD" },
  { op: "log", args: ["--numstat"] },
  { op: "log", args: ["--stat", "-n", "3"] },
  { op: "log", args: ["-p", "-n", "2", "-U1"] },
  { op: "log", args: ["--merges", "-m", "-p"] },
  { op: "log", args: ["--grep=fix", "-i", "--oneline"] },
  { op: "log", args: ["--first-parent", "--oneline"] },
  { op: "log", args: ["--name-status", "--oneline", "-M"] },
  { op: "log", args: ["-1", "--format=%(trailers:key=Signed-off-by,valueonly)"], ref: "feature/c++#42~1" },
  { op: "log", args: ["--oneline", "-n", "5"], ref: "@{u}..HEAD" },
  { op: "log", args: ["-g", "--oneline", "-3"] },
  { op: "log", args: ["--left-right", "--oneline"], ref: "main...user@topic" },
  { op: "log", args: ["--color=never", "--no-color", "-1"] },
  { op: "log", args: ["--walk-reflogs", "-1", "--date=iso"] },
  { op: "log", args: ["--decorate=full", "--oneline", "--simplify-by-decoration"] },
  { op: "log", path: "docs/read me.md" },
  { op: "log", path: "tab\tnew\nline.txt" },
  { op: "show", args: ["--stat"], ref: "HEAD~1" },
  { op: "show", args: ["--name-only"], ref: "HEAD" },
  { op: "show", args: ["-s", "--format=%B"], ref: "HEAD" },
  { op: "show", ref: "HEAD:src/app.js" },
  { op: "show", ref: "HEAD:日本/f ü.txt" },
  { op: "show", ref: "v1.0" },
  { op: "show", ref: "HEAD:src" },
  { op: "show", args: ["-m", "--oneline"], ref: "HEAD^" },
  { op: "show", args: ["--cc"], ref: "v1.0" },
  { op: "diff" },
  { op: "diff", args: ["--cached", "--stat"] },
  { op: "diff", args: ["--staged", "--name-status"] },
  { op: "diff", args: ["--word-diff"] },
  { op: "diff", args: ["--word-diff=porcelain"], path: "a.txt" },
  { op: "diff", args: ["--name-status"], ref: "v0.9...main" },
  { op: "diff", args: ["-M", "--stat"], ref: "v0.9..HEAD" },
  { op: "diff", args: ["--shortstat"], ref: "HEAD" },
  { op: "diff", args: ["-w", "--ignore-blank-lines"] },
  { op: "diff", args: ["--numstat", "-z"], ref: "HEAD~2" },
  { op: "diff", args: ["--binary"], ref: "v0.9" },
  { op: "diff", args: ["--check"] },
  { op: "branch" },
  { op: "branch", args: ["-vv"] },
  { op: "branch", args: ["-r"] },
  { op: "branch", args: ["--show-current"] },
  { op: "branch", args: ["--contains", "v0.9"] },
  { op: "branch", args: ["--merged", "main"] },
  { op: "branch", args: ["--no-merged"] },
  { op: "branch", args: ["--merged", "--sort=-committerdate"] },
  { op: "branch", args: ["--format=%(refname:short) %(upstream:short) %(upstream:track)"] },
  { op: "blame", args: ["-L", "10,20", "-w"], path: "src/app.js" },
  { op: "blame", args: ["-L", "/app5/,+3", "--date=short"], path: "src/app.js" },
  { op: "blame", args: ["--line-porcelain", "-L1,2"], path: "a.txt" },
  { op: "blame", args: ["-e", "-C", "-M"], ref: "v1.0", path: "src/helpers.js" },
  { op: "blame", path: "win.txt" },
  { op: "ls_files" },
  { op: "ls_files", args: ["--others", "--exclude-standard"] },
  { op: "ls_files", args: ["-s", "-z"] },
  { op: "ls_files", args: ["--deleted", "--modified"] },
  { op: "ls_files", args: ["--eol"] },
  { op: "ls_files", args: ["-o", "-i", "--exclude-standard"] },
  { op: "ls_files", args: ["-t", "-c"], path: "src" },
  { op: "rev_parse" },
  { op: "rev_parse", args: ["--abbrev-ref"], ref: "HEAD" },
  { op: "rev_parse", args: ["--verify"], ref: "v1.0^{commit}" },
  { op: "rev_parse", args: ["--short=12"], ref: "HEAD" },
  { op: "rev_parse", args: ["--abbrev-ref", "--symbolic-full-name"], ref: "@{u}" },
  { op: "rev_parse", args: ["--show-toplevel"] },
  { op: "rev_parse", args: ["--is-inside-work-tree"] },
  { op: "rev_parse", args: ["--all"] },
  { op: "rev_parse", args: ["--is-shallow-repository"] },
];

test("what is asked all day gets git's own answer", async () => {
  await inBatches(daily, async (call) => {
    const { stdout, exitCode } = await compare(call);
    assert.ok(
      call.args?.includes("--check") === true ? exitCode === 2 : exitCode === 0,
      `${JSON.stringify(call)} ended with ${exitCode}`,
    );
    assert.notEqual(stdout, "", JSON.stringify(call));
  });
});

const some = (...flags: string[]): fc.Arbitrary<string[]> => fc.subarray(flags, { maxLength: 3 });
const diffish = [
  "-p",
  "--stat",
  "--numstat",
  "--shortstat",
  "--name-only",
  "--name-status",
  "--raw",
  "--summary",
  "-M",
  "-C",
  "-R",
  "-w",
  "-U1",
  "--word-diff",
  "--abbrev=10",
  "--full-index",
  "--diff-filter=AMR",
  "--no-renames",
  "--patience",
  "--compact-summary",
  "--dirstat",
  "-z",
  "--binary",
  "--no-prefix",
];
const logish = [
  "--oneline",
  "--graph",
  "-n3",
  "-5",
  "--reverse",
  "--no-merges",
  "--merges",
  "--first-parent",
  "--decorate",
  "--all",
  "--date=short",
  "--date=raw",
  "--format=%h|%an|%s",
  "--pretty=fuller",
  "--pretty=raw",
  "--topo-order",
  "--author=Ada",
  "--grep=fix",
  "--since=2023-01-01",
  "--until=2030-01-01",
  "-i",
  "--abbrev-commit",
  "--parents",
  "--branches",
  "--tags",
  "--skip=1",
  "--boundary",
  "--cherry-mark",
];
const option = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });
const ref = fc.constantFrom(...refs, "no-such-ref");
const path = fc.constantFrom(...paths);
const call = (
  op: string,
  args: fc.Arbitrary<string[]>,
  more: { ref?: fc.Arbitrary<string | undefined>; path?: fc.Arbitrary<string | undefined> } = {},
): fc.Arbitrary<GitCall> =>
  fc
    .record({
      op: fc.constant(op),
      args,
      ref: more.ref ?? fc.constant(undefined),
      path: more.path ?? fc.constant(undefined),
    })
    .map((parts) => JSON.parse(JSON.stringify(parts)) as GitCall);

const generated = fc.oneof(
  call(
    "status",
    some(
      "-b",
      "-s",
      "-uno",
      "-uall",
      "--ignored",
      "--porcelain=v2",
      "-z",
      "--no-renames",
      "--show-stash",
      "--ignored=matching",
    ),
    { path: option(path) },
  ),
  {
    arbitrary: call(
      "log",
      fc.tuple(some(...logish), some(...diffish)).map((parts) => parts.flat()),
      { ref: option(ref), path: option(path) },
    ),
    weight: 4,
  },
  {
    arbitrary: call("diff", some(...diffish, "--cached", "--staged", "--exit-code", "--quiet"), {
      ref: option(ref),
      path: option(path),
    }),
    weight: 2,
  },
  {
    arbitrary: call(
      "show",
      fc
        .tuple(some("--oneline", "-s", "--format=%H", "--pretty=short", "--cc", "-m"), some(...diffish))
        .map((parts) => parts.flat()),
      {
        ref: fc.oneof(
          ref,
          path.filter((name) => !name.includes("\n")).map((name) => `HEAD:${name}`),
        ),
        path: option(path),
      },
    ),
    weight: 2,
  },
  call(
    "branch",
    some(
      "-v",
      "-vv",
      "-r",
      "-a",
      "--contains=HEAD",
      "--merged",
      "--no-merged=main",
      "--points-at=v0.9",
      "--sort=-committerdate",
      "--format=%(refname) %(objectname:short)",
      "--show-current",
      "-i",
    ),
  ),
  call(
    "blame",
    some(
      "-w",
      "-e",
      "-l",
      "-t",
      "-s",
      "-n",
      "-f",
      "-p",
      "-L2,3",
      "-M",
      "-C",
      "--date=short",
      "--root",
      "--abbrev=6",
      "--since=2020-01-01",
    ),
    { ref: option(ref), path },
  ),
  call(
    "ls_files",
    some(
      "-c",
      "-o",
      "-m",
      "-d",
      "-s",
      "-t",
      "-v",
      "-z",
      "-u",
      "-k",
      "--exclude-standard",
      "--eol",
      "--directory",
      "--full-name",
      "--error-unmatch",
      "--deduplicate",
      "--abbrev=7",
    ),
    { path: option(path) },
  ),
  call(
    "rev_parse",
    some(
      "--short",
      "--short=10",
      "--verify",
      "-q",
      "--abbrev-ref",
      "--symbolic",
      "--symbolic-full-name",
      "--absolute-git-dir",
      "--show-toplevel",
      "--show-cdup",
      "--is-bare-repository",
      "--show-object-format",
    ),
    { ref: option(ref) },
  ),
);

test("generated calls get git's own answer", async () => {
  const calls = fc.sample(generated, runs(300, 80));
  let succeeded = 0;
  await inBatches(calls, async (item) => {
    const { exitCode } = await compare(item);
    if (exitCode === 0) succeeded += 1;
  });
  assert.ok(succeeded > calls.length / 2, `only ${succeeded} of them succeed: the calls are not benign`);
});

test("and none of it changed a byte, a time or a mode of the repository", async () => {
  const before = pictureOf(repo);
  await inBatches(daily, async (item) => void (await ranGit(gate, repo, item)));
  assert.deepEqual(pictureOf(repo), before);
});
