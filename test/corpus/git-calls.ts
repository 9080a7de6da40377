// Process cases whose input is a call of Git: it waits for no input, prints no more than it may, and starts its threads.

import { strict as assert } from "node:assert";
import { type ExecutionResult, type Reply } from "../../src/index.ts";
import { commit, git, plainGit } from "../fixtures/git.ts";
import { type Bench, ran, usualGrants } from "./bench.ts";
import { type Contained, nothingIsLeft } from "./contained.ts";
import { type GitArgs, plainWords } from "./git-bench.ts";

const grants: Contained["grants"] = (world) => ({ ...usualGrants(world), tools: ["Exec", "Git"] });

export const gitCalls: Readonly<Record<string, Contained>> = {
  "proc-time-stdin-git": { grants, check: waitsForNothing },
  "proc-out-huge-git": { grants, check: printsNoMoreThanItMay },
  "proc-ok-git-pack-threads": { grants, check: startsItsThreads },
};

async function waitsForNothing(bench: Bench): Promise<void> {
  const reply = await call(bench);
  // Not one of the flags; and in the box, where it may be said, there is nothing to wait for.
  if (bench.how === "gate") assert.ok(!reply.ok && reply.error === "invalid_args" && reply.message.includes("--stdin"));
  else assert.deepEqual([ran(reply).exit_code, ran(reply).timed_out], [0, false]);
  await nothingIsLeft(bench.world);
}

async function printsNoMoreThanItMay(bench: Bench): Promise<void> {
  const { repo } = bench.world;
  const lines = (count: number, text: string) =>
    Array.from({ length: count }, (_, line) => `${text}${line}\n`).join("");
  commit(repo, "much to print", { "big.txt": lines(200_000, "line ") });
  commit(repo, "much to complain about", { ".gitattributes": lines(6_000, "*.txt -not!an!attribute") });
  const plain = plainGit(repo, ["log", "-p"]);
  const printed = { stdout: Buffer.byteLength(plain.stdout), stderr: Buffer.byteLength(plain.stderr) };
  assert.ok(printed.stdout > 1 << 20 && printed.stderr > 256 << 10, JSON.stringify(printed));
  const result = ran(await call(bench));
  assert.deepEqual([result.exit_code, result.stdout_truncated, result.stderr_truncated], [0, true, true]);
  assert.deepEqual([result.stdout_bytes, result.stderr_bytes], [printed.stdout, printed.stderr]);
  const caps = bench.how === "gate" ? { stdout: 1 << 20, stderr: 256 << 10 } : { stdout: 256 << 10, stderr: 256 << 10 };
  for (const stream of ["stdout", "stderr"] as const) {
    const kept = Buffer.byteLength(result[stream]);
    assert.ok(kept <= caps[stream] && kept > caps[stream] / 2, `${stream}: ${kept} bytes`);
    assert.match(result[stream], /bytes left out/);
  }
}

/** A pack with deltas, and so many files that git looks at them with several threads. */
async function startsItsThreads(bench: Bench): Promise<void> {
  const { repo } = bench.world;
  const files = Object.fromEntries(Array.from({ length: 2_500 }, (_, number) => [`many/${number}.txt`, `${number}\n`]));
  commit(repo, "many files", files);
  git(repo, ["repack", "-q", "-a", "-d"]);
  for (const op of ["log", "status"]) {
    const args = op === "log" ? gitArgs(bench) : { op, repo };
    const result: ExecutionResult = ran(await bench.gate.call({ tool: "Git", args }));
    assert.deepEqual([result.exit_code, result.limit_hit, result.stderr], [0, null, ""]);
    assert.equal(result.stdout, git(repo, plainWords(args)));
  }
}

function call(bench: Bench): Promise<Reply> {
  const args = gitArgs(bench);
  if (bench.how === "gate") return bench.gate.call({ tool: "Git", args });
  return bench.run({ argv: ["/usr/bin/git", "-C", args.repo, ...plainWords(args)] });
}

/** The case's own input, which is no argv. */
function gitArgs({ args }: Bench): GitArgs {
  const { argv: _none, ...call } = args as Bench["args"] & GitArgs;
  return call;
}
