// Exec calls that may start and must not get out: by the program they name, by what it inherits.

import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { runs } from "../fixtures/runs.ts";
import { assertNoMarker, type Bench, type Grants, openGate, ran, usualGrants } from "./bench.ts";
import { contained, type Contained, failed } from "./contained.ts";
import { copyProgram, type World } from "./world.ts";

/** In this process's environment for the whole run: what no program of an agent may see. */
export const canary = "canary-value";
export const canaryNames = [
  "ANTHROPIC_API_KEY",
  "GITHUB_TOKEN",
  "AWS_SECRET_ACCESS_KEY",
  "GOOGLE_APPLICATION_CREDENTIALS",
];

const lacksCanary = contained(({ exit_code, stdout }) => {
  assert.equal(exit_code, 0);
  assert.match(stdout, /^PATH=/m);
  assert.ok(!stdout.includes(canary));
});

export const containedExec: Readonly<Record<string, Contained>> = {
  "exec-ld-so": {
    grants: (world) => ({
      tools: ["Exec"],
      paths: [
        { path: "/lib64", mode: "r" },
        { path: world.root, mode: "rw" },
      ],
    }),
    check: checkLoader,
  },
  "exec-rw-root-script": contained((result) => {
    failed(result);
    assert.match(result.stderr, /touch/); // it ran, and could not
  }),
  "exec-argv0-swap-toctou": { alone: true, grants: rootOnly, check: checkSwap },
  "exec-xargs-wrapper": contained(failed),
  "exec-find-exec": contained(({ stderr }) => assert.match(stderr, /touch/)), // find itself says 0
  "exec-env-scrub-anthropic": lacksCanary,
  "exec-env-scrub-github": lacksCanary,
  "exec-env-scrub-aws": lacksCanary,
  "exec-env-scrub-gcp": lacksCanary,
  "exec-env-proc-parent": { check: checkParentEnvironment },
  "exec-env-proc-ppid-sh": contained(({ stdout }) => assert.ok(!stdout.includes(canary))),
};

function rootOnly(world: World): Grants {
  return { tools: ["Exec"], paths: [{ path: world.root, mode: "rw" }] };
}

/** A file without x, started through the loader: refused where the loader is not granted, boxed where it is. */
async function checkLoader({ how, world, gate, args, run }: Bench): Promise<void> {
  copyProgram("/usr/bin/touch", `${world.root}/notmarked-x`, 0o644);
  const [loader, program] = args.argv as [string, string];
  for (const argv of [
    [loader, program],
    [loader, program, world.marker],
  ]) {
    const reply = await run({ argv });
    // The loader's real path is /usr/lib/…, which a grant on /lib64 does not cover.
    if (how === "gate") assert.ok(!reply.ok && reply.error === "fs_denied", JSON.stringify(reply));
    else failed(ran(reply));
    assertNoMarker(world);
  }
  if (how === "hand") return;
  const wider = openGate(world, usualGrants(world), `${gate.session}-wider`);
  try {
    const started = ran(
      await wider.call({ tool: "Exec", args: { argv: [loader, program, `${world.root}/by-loader`] } }),
    );
    assert.equal(started.exit_code, 0, "r means see and run");
    failed(ran(await wider.call({ tool: "Exec", args: { argv: [loader, program, world.marker] } })));
    assertNoMarker(world);
  } finally {
    wider.close();
  }
}

async function checkParentEnvironment({ world, args, run }: Bench): Promise<void> {
  for (const pid of [1, process.pid, process.ppid]) {
    const { stdout } = ran(await run({ ...args, argv: ["/bin/cat", `/proc/${pid}/environ`] }));
    assert.ok(!stdout.includes(canary));
  }
  assertNoMarker(world);
}

/** bin/tool becomes a link to /bin/sh and a program again, as fast as a machine can, during hundreds of calls. */
async function checkSwap({ how, world, args, run }: Bench): Promise<void> {
  const directory = `${world.root}/bin`;
  mkdirSync(directory);
  copyProgram("/usr/bin/true", `${directory}/good`, 0o755);
  copyProgram("/usr/bin/true", `${directory}/tool`, 0o755);
  const swap = `while (1) { symlink("/bin/sh", "l"); rename("l", "tool"); link("good", "g"); rename("g", "tool"); }`;
  const helper = spawn("/usr/bin/perl", ["-e", swap], { cwd: directory, stdio: "ignore" });
  try {
    const seen = new Map<string, number>();
    const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
    const most = how === "gate" ? runs(500, 120) : runs(150, 60);
    let calls = 0;
    const caller = async () => {
      while (calls++ < most) {
        // A shell would read this and say so, wherever it ran.
        const reply = await run({ ...args, stdin: `echo a shell ran; touch ${world.marker}` });
        count(reply.ok ? "ran" : reply.error);
        if (reply.ok) assert.deepEqual([reply.result["exit_code"], reply.result["stdout"]], [0, ""]);
      }
    };
    await Promise.all([caller(), caller(), caller()]);
    assertNoMarker(world);
    // Both faces were met, or nothing was raced.
    assert.ok(seen.has("ran") && seen.size > 1, JSON.stringify([...seen]));
    assert.deepEqual(
      [...seen.keys()].filter((what) => !["ran", "fs_denied", "invalid_args", "changed"].includes(what)),
      [],
    );
  } finally {
    helper.kill("SIGKILL");
  }
}
