// Guards: what others execute later cannot be changed, made or replaced in an rw grant; and nothing of ours stays there.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { Gate } from "../../../src/index.ts";
import { configText, makeTestDirectories, type TestDirectories } from "../../fixtures/gate.ts";
import { bash, until } from "../../fixtures/run.ts";
import type { ContractContext } from "./context.ts";

const HOOK = "hooks/pre-commit";

interface Yard {
  readonly directories: TestDirectories;
  readonly root: string;
  readonly gate: Gate;
}

export function describeGuards(name: string, context: ContractContext): void {
  /** A fresh root for each test: what is in it is made before the gate is opened. */
  const inYard =
    (prepare: (root: string, directories: TestDirectories) => void, work: (yard: Yard) => Promise<void>) =>
    async () => {
      const directories = makeTestDirectories();
      prepare(directories.root, directories);
      const gate = context.openGate(directories);
      try {
        await work({ directories, root: directories.root, gate });
      } finally {
        gate.close();
        directories.remove();
      }
    };
  const repository = (directory: string) => {
    mkdirSync(`${directory}/.git/hooks`, { recursive: true });
    writeFileSync(`${directory}/.git/config`, "[core]\n");
  };
  const isLeft = (root: string) => readdirSync(root, { recursive: true }).map(String).sort();

  describe(`${name}: guards`, { concurrency: 3 }, () => {
    for (const [where, directory] of [
      ["at the top", ""],
      ["at depth", "/a/b/c"],
    ] as const) {
      test(
        `an existing repository ${where} is read-only`,
        inYard(
          (root) => repository(root + directory),
          async ({ root, gate }) => {
            const git = `${root}${directory}/.git`;
            const attempts = [
              `echo x > ${git}/${HOOK}`,
              `echo x >> ${git}/config`,
              `rm -rf ${git}`,
              `mv ${git} ${git}2`,
              `mkdir ${git}/new`,
              `echo /x > ${git}/commondir`,
              `chmod -R 777 ${git}`,
            ];
            for (const attempt of attempts) assert.notEqual((await bash(gate, attempt)).exit_code, 0, attempt);
            assert.deepEqual(isLeft(git), ["config", "hooks"]);
            assert.equal(readFileSync(`${git}/config`, "utf8"), "[core]\n");
          },
        ),
      );
    }

    test(
      "a repository cannot be put in the place of another by moving what lies above it",
      inYard(
        (root) => repository(`${root}/sub/project`),
        async ({ root, gate }) => {
          const result = await bash(
            gate,
            `cd ${root} && mv sub old && mkdir -p sub/project/.git/hooks && echo evil > sub/project/.git/${HOOK}`,
          );
          assert.equal(result.exit_code, 0, result.stderr);
          assert.deepEqual(result.quarantined, [`${root}/sub/project/.git`]);
          assert.ok(!existsSync(`${root}/sub/project/.git`));
          assert.ok(existsSync(`${root}/old/project/.git/config`), "the one that was there has only moved along");
          assert.deepEqual(
            isLeft(`${root}/old/project`),
            [".git", ".git/config", ".git/hooks"],
            "and no placeholder went with it",
          );
        },
      ),
    );

    test(
      "a pointer file is read-only, and so are the directories that it leads to, wherever they lie in what may be changed",
      inYard(
        (root) => {
          mkdirSync(`${root}/tree`, { recursive: true });
          mkdirSync(`${root}/stores/main/worktrees/tree`, { recursive: true });
          mkdirSync(`${root}/stores/main/hooks`);
          writeFileSync(`${root}/tree/.git`, "gitdir: ../stores/main/worktrees/tree\n");
          writeFileSync(`${root}/stores/main/worktrees/tree/commondir`, "../..\n");
        },
        async ({ root, gate }) => {
          for (const attempt of [
            `echo x > ${root}/tree/.git`,
            `mv ${root}/tree/.git ${root}/g`,
            `echo x > ${root}/stores/main/worktrees/tree/HEAD`,
            `echo x > ${root}/stores/main/${HOOK}`,
            `mv ${root}/stores/main ${root}/m`,
          ]) {
            assert.notEqual((await bash(gate, attempt)).exit_code, 0, attempt);
          }
          const result = await bash(
            gate,
            `cd ${root} && mv stores s2 && mkdir -p stores/main/hooks stores/main/worktrees/tree && echo evil > stores/main/${HOOK} && echo ../.. > stores/main/worktrees/tree/commondir`,
          );
          assert.match(result.stderr, /busy/, "what lies above it keeps its name");
          assert.ok(!existsSync(`${root}/stores/main/${HOOK}`), JSON.stringify(result.quarantined));
        },
      ),
    );

    test("a pointer in one grant protects what it leads to in another", async () => {
      const directories = makeTestDirectories();
      const [work, store] = [`${directories.base}/work`, `${directories.base}/store`];
      mkdirSync(work);
      mkdirSync(`${store}/hooks`, { recursive: true });
      mkdirSync(`${store}/other`);
      writeFileSync(`${work}/.git`, `gitdir: ${store}/hooks\n`);
      const gate = context.openGate(directories, {
        paths: [
          { path: "/usr", mode: "r" },
          { path: work, mode: "rw" },
          { path: store, mode: "rw" },
        ],
      });
      assert.notEqual((await bash(gate, `echo x > ${store}/hooks/x`)).exit_code, 0);
      assert.equal((await bash(gate, `echo x > ${store}/other/x`)).exit_code, 0);
      gate.close();
      directories.remove();
    });

    test(
      "a .git that is a link is put back",
      inYard(
        (root) => {
          mkdirSync(`${root}/elsewhere/hooks`, { recursive: true });
          symlinkSync("elsewhere", `${root}/.git`);
        },
        async ({ root, gate }) => {
          for (const attempt of [
            `rm ${root}/.git`,
            `rm ${root}/.git; mkdir -p ${root}/.git/hooks; echo evil > ${root}/.git/${HOOK}`,
            `rm ${root}/.git; mkdir ${root}/.git`,
            `rm ${root}/.git; mkdir ${root}/evil; ln -s evil ${root}/.git`,
          ]) {
            await bash(gate, attempt);
            assert.equal(readlinkSync(`${root}/.git`), "elsewhere", attempt);
          }
          assert.notEqual((await bash(gate, `echo x > ${root}/elsewhere/${HOOK}`)).exit_code, 0);
        },
      ),
    );

    test(
      "what is absent at the top of a grant, or of a work tree, cannot be made; and no placeholder stays",
      inYard(
        (root) => repository(`${root}/tree`),
        async ({ root, gate }) => {
          const before = isLeft(root);
          for (const directory of [root, `${root}/tree`]) {
            const { stdout } = await bash(
              gate,
              `cd ${directory}; for n in .vscode .claude .husky; do mkdir $n/x && echo made $n; mv $n y && echo moved $n; rmdir $n && echo gone $n; done
          for n in .mcp.json .envrc .bashrc .profile .zshenv .gitconfig; do echo x > $n && echo made $n; rm -f $n && echo gone $n; mv $n y && echo moved $n; done`,
            );
            assert.equal(stdout, "");
          }
          assert.notEqual((await bash(gate, `mkdir ${root}/.git/hooks`)).exit_code, 0);
          assert.deepEqual(isLeft(root), before);
        },
      ),
    );

    test(
      "what a person has there is read-only and stays",
      inYard(
        (root) => {
          mkdirSync(`${root}/.vscode`);
          writeFileSync(`${root}/.vscode/tasks.json`, "{}");
          writeFileSync(`${root}/.envrc`, "");
        },
        async ({ root, gate }) => {
          assert.notEqual((await bash(gate, `echo x > ${root}/.vscode/tasks.json`)).exit_code, 0);
          assert.notEqual((await bash(gate, `echo x > ${root}/.envrc`)).exit_code, 0);
          assert.deepEqual(isLeft(root), [".envrc", ".vscode", ".vscode/tasks.json"]);
        },
      ),
    );

    test(
      "an ordinary directory that a new pointer file names is left where it is",
      inYard(
        (root) => {
          mkdirSync(`${root}/src`);
          writeFileSync(`${root}/src/kept.txt`, "kept");
        },
        async ({ root, gate }) => {
          const result = await bash(gate, `mkdir ${root}/new; echo 'gitdir: ../src' > ${root}/new/.git`);
          assert.deepEqual(result.quarantined, [`${root}/new/.git`]);
          assert.equal(readFileSync(`${root}/src/kept.txt`, "utf8"), "kept");
        },
      ),
    );

    test(
      "a link put in the place of a directory does not lead our own hands out of the grant",
      inYard(
        (root, directories) => {
          repository(`${root}/x/sub`);
          mkdirSync(`${root}/y/sub`, { recursive: true });
          symlinkSync("../../z", `${root}/y/sub/.git`);
          mkdirSync(`${directories.outside}/sub/.vscode`, { recursive: true });
          writeFileSync(`${directories.outside}/sub/.bashrc`, "");
        },
        async ({ root, gate, directories }) => {
          const before = isLeft(directories.outside);
          await bash(
            gate,
            `cd ${root}; mv x x2; ln -s ${directories.outside} x; mv y y2; ln -s ${directories.outside} y`,
          );
          assert.deepEqual(isLeft(directories.outside), before);
          await bash(gate, "true");
          assert.deepEqual(isLeft(directories.outside), before);
        },
      ),
    );

    test(
      "of two calls at once, the end of the first does not take the other's guard",
      inYard(
        () => undefined,
        async ({ root, gate }) => {
          const long = bash(
            gate,
            `cd ${root}; touch one; while [ ! -e two ]; do sleep 0.02; done; mkdir .vscode/x && echo made; mkdir .git/hooks && echo made; rmdir .vscode && echo gone; ls -A`,
          );
          await until("the first runs", () => existsSync(`${root}/one`));
          await bash(gate, "true");
          assert.ok(existsSync(`${root}/.vscode`), "the other's placeholder still stands");
          writeFileSync(`${root}/two`, "");
          const { stdout } = await long;
          assert.doesNotMatch(stdout, /made|gone/);
          assert.match(stdout, /^\.git$/m);
          assert.deepEqual(isLeft(root), ["one", "two"]);
        },
      ),
    );

    test(
      "what a person puts into a placeholder while a call runs is not lost",
      inYard(
        () => undefined,
        async ({ root, gate }) => {
          const long = bash(gate, `cd ${root}; touch one; while [ ! -e two ]; do sleep 0.02; done`);
          await until("it runs", () => existsSync(`${root}/one`));
          writeFileSync(`${root}/.vscode/settings.json`, "{}");
          writeFileSync(`${root}/.envrc`, "export MINE=1");
          writeFileSync(`${root}/two`, "");
          await long;
          assert.deepEqual(isLeft(root), [".envrc", ".vscode", ".vscode/settings.json", "one", "two"]);
          assert.equal(readFileSync(`${root}/.envrc`, "utf8"), "export MINE=1");
        },
      ),
    );

    test(
      "after a killed gate, the next one sweeps the placeholders",
      inYard(
        () => undefined,
        async ({ root, gate, directories }) => {
          const options = {
            statePath: directories.state,
            project: directories.project,
            configText: configText(directories),
            args: { argv: ["/bin/bash", "-c", `touch ${root}/one; sleep 1000`] },
          };
          const child = spawn(
            process.execPath,
            [join(import.meta.dirname, "../../fixtures/gate-process.ts"), JSON.stringify(options)],
            {
              stdio: ["ignore", "ignore", "inherit"],
              env: { ...process.env, XDG_CONFIG_HOME: `${directories.base}/config` },
            },
          );
          after(() => child.kill("SIGKILL"));
          await until("it runs", () => existsSync(`${root}/one`));
          child.kill("SIGKILL");
          await until("it is gone", () => child.signalCode !== null);
          assert.ok(existsSync(`${root}/.vscode`), "it has left its placeholders");
          gate.close();
          context.openGate(directories).close();
          assert.deepEqual(isLeft(root), ["one"]);
        },
      ),
    );

    test(
      "where the top may not be written, and the program gives itself the right, what it makes is moved away",
      inYard(
        (root) => chmodSync(root, 0o555),
        async ({ root, gate }) => {
          await bash(
            gate,
            `cd ${root}; chmod 755 .; mkdir -p .vscode && echo evil > .vscode/tasks.json; mkdir -p .git && echo evil > .git/config`,
          );
          chmodSync(root, 0o755);
          assert.deepEqual(isLeft(root), []);
        },
      ),
    );

    test(
      "a repository may be moved by the program with the directory that it lies in",
      inYard(
        (root) => repository(`${root}/a`),
        async ({ root, gate }) => {
          const result = await bash(gate, `mv ${root}/a ${root}/b`);
          assert.equal(result.quarantined, undefined);
          assert.deepEqual(isLeft(root), ["b", "b/.git", "b/.git/config", "b/.git/hooks"]);
          assert.ok(lstatSync(`${root}/b/.git`).isDirectory());
        },
      ),
    );
  });
}
