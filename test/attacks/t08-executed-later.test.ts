// T08: an agent's program cannot change what others execute later: hooks, settings, repositories' own files.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";
import { makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { keptLayers } from "../fixtures/layers.ts";
import { bare, bash } from "../fixtures/run.ts";

const skip = !existsSync("/usr/bin/git") && "there is no git to execute them";
const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];

const git = (directory: string, ...args: string[]) =>
  bare(["/usr/bin/git", ...identity, "-C", directory, ...args], {
    env: { PATH: "/usr/bin:/bin", HOME: "/nonexistent" },
  });

/** What a person does in a directory, sooner or later. */
function work(directory: string): void {
  git(directory, "status");
  git(directory, "commit", "--allow-empty", "-m", "x");
  git(directory, "diff");
}

const hook = (directories: TestDirectories) => `#!/bin/sh\ntouch ${directories.outside}/EXECUTED\n`;
const plants: Readonly<Record<string, (directories: TestDirectories) => string>> = {
  "a hook": (directories) => `printf '${hook(directories)}' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
  "a setting": (directories) =>
    `git config core.fsmonitor 'touch ${directories.outside}/EXECUTED; false' || printf '[core]\\n\\tfsmonitor = touch ${directories.outside}/EXECUTED; false\\n' >> .git/config`,
  "a repository in the place of this one": (directories) =>
    `mv .git g2; cp -r g2 .git; printf '[core]\\n\\tfsmonitor = touch ${directories.outside}/EXECUTED; false\\n' >> .git/config`,
  "a common directory": (directories) =>
    `mkdir evil; cp -r .git/. evil; printf '[core]\\n\\tfsmonitor = touch ${directories.outside}/EXECUTED; false\\n' >> evil/config; echo ../evil > .git/commondir`,
  "a pointer instead of the directory": (directories) =>
    `cp -r .git evil; printf '[core]\\n\\tfsmonitor = touch ${directories.outside}/EXECUTED; false\\n' >> evil/config; rm -rf .git; echo 'gitdir: evil' > .git`,
};

for (const [what, plant] of Object.entries(plants)) {
  test(`git does not execute ${what} that a program planted`, { skip }, async (t) => {
    for (const how of ["bare", "boxed"]) {
      const directories = makeTestDirectories();
      t.after(() => directories.remove());
      git(directories.root, "init", "-q");
      const script = `cd ${directories.root}; ${plant(directories)}`;
      if (how === "bare") bare(["/bin/bash", "-c", script], { env: { PATH: "/usr/bin:/bin", HOME: "/nonexistent" } });
      else {
        const gate = openGate(directories);
        await bash(gate, script);
        gate.close();
      }
      work(directories.root);
      assert.equal(
        existsSync(`${directories.outside}/EXECUTED`),
        how === "bare",
        how === "bare" ? "control: without us it is executed" : "it was executed",
      );
    }
  });
}

const nested: Readonly<Record<string, (evil: string) => string>> = {
  "deeper down": (evil) => `mkdir deep; git -C deep init -q; ${evil}`,
  "in the place of one that was moved away": (evil) => `mv deep old; mkdir deep; git -C deep init -q; ${evil}`,
  "and then makes the box's first process die": (evil) =>
    `mkdir -p deep; git -C deep init -q; ${evil}; prlimit --pid 1 --cpu=1:1; kill -9 -1; kill -9 $$`,
};
for (const [where, make] of Object.entries(nested)) {
  test(`git does not execute what is in a repository that a program made ${where}`, { skip }, async (t) => {
    for (const how of ["bare", "boxed"]) {
      const directories = makeTestDirectories();
      t.after(() => directories.remove());
      if (where.startsWith("in the place")) bare(["/usr/bin/git", "init", "-q", `${directories.root}/deep`]);
      const script = `cd ${directories.root}; ${make(`git -C deep config core.fsmonitor 'touch ${directories.outside}/EXECUTED; false'`)}`;
      const quiet = script
        .replace("kill -9 -1;", how === "bare" ? "" : "kill -9 -1;")
        .replace("prlimit --pid 1 --cpu=1:1;", how === "bare" ? "" : "prlimit --pid 1 --cpu=1:1;");
      if (how === "bare") bare(["/bin/bash", "-c", quiet], { env: { PATH: "/usr/bin:/bin", HOME: "/nonexistent" } });
      else {
        const gate = openGate(directories);
        await bash(gate, quiet);
        gate.close();
        assert.ok(keptLayers(directories.state).length > 0, "what was made is kept for a person to look at");
      }
      work(`${directories.root}/deep`);
      assert.equal(
        existsSync(`${directories.outside}/EXECUTED`),
        how === "bare",
        how === "bare" ? "control: without us it is executed" : "it was executed",
      );
    }
  });
}
