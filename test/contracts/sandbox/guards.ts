// What others execute later: a call can write it in its layer, and nothing of it lands.

import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, test } from "node:test";
import type { Gate } from "../../../src/index.ts";
import { makeTestDirectories, type TestDirectories } from "../../fixtures/gate.ts";
import { bash } from "../../fixtures/run.ts";
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
  const heldBack = ({
    not_kept: notKept = [],
  }: {
    readonly not_kept?: { path: string; reason: string }[] | undefined;
  }) =>
    notKept
      .filter(({ reason }) => reason.startsWith("others execute it later"))
      .map(({ path }) => path)
      .sort();

  describe(`${name}: what others execute later`, { concurrency: 3 }, () => {
    for (const [where, directory] of [
      ["at the top", ""],
      ["at depth", "/a/b/c"],
    ] as const) {
      test(
        `an existing repository ${where} stays as it is`,
        inYard(
          (root) => repository(root + directory),
          async ({ root, gate }) => {
            const git = `${root}${directory}/.git`;
            const attempts = [
              `echo x > ${git}/${HOOK}`,
              `echo x >> ${git}/config`,
              `rm -rf ${git}`,
              `mv ${git} ${git}2 && mv ${git}2 ${git} && echo x > ${git}/y`,
              `mkdir ${git}/new`,
              `echo /x > ${git}/commondir`,
              `rm -rf ${git}; echo 'gitdir: x' > ${git}`,
              `rm -rf ${git}; ln -s x ${git}`,
              `chmod -R 777 ${git}`,
            ];
            for (const attempt of attempts) {
              await bash(gate, attempt);
              assert.deepEqual(isLeft(git), ["config", "hooks"], attempt);
              assert.equal(readFileSync(`${git}/config`, "utf8"), "[core]\n", attempt);
            }
            const named = await bash(gate, `touch ${root}/landed; echo x > ${git}/${HOOK}`);
            if (directory === "") assert.match(named.stderr, /Read-only file system/);
            else assert.deepEqual(heldBack(named), [git]);
            assert.ok(existsSync(`${root}/landed`), "control: the rest of the call lands");
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
          assert.deepEqual(heldBack(result), [`${root}/old/project/.git`, `${root}/sub/project/.git`]);
          assert.deepEqual(isLeft(`${root}/sub/project/.git`), ["config", "hooks"]);
          assert.ok(!existsSync(`${root}/old/project/.git`));
        },
      ),
    );

    test(
      "a pointer file stays as it is, and so do the directories that it leads to, wherever they lie in what may be changed",
      inYard(
        (root) => {
          mkdirSync(`${root}/tree`, { recursive: true });
          mkdirSync(`${root}/stores/main/worktrees/tree`, { recursive: true });
          mkdirSync(`${root}/stores/main/hooks`);
          writeFileSync(`${root}/tree/.git`, "gitdir: ../stores/main/worktrees/tree\n");
          writeFileSync(`${root}/stores/main/worktrees/tree/commondir`, "../..\n");
        },
        async ({ root, gate }) => {
          const before = isLeft(root);
          for (const attempt of [
            `echo x > ${root}/tree/.git`,
            `rm ${root}/tree/.git`,
            `echo x > ${root}/stores/main/worktrees/tree/HEAD`,
            `echo x > ${root}/stores/main/${HOOK}`,
            `rm -r ${root}/stores`,
            `rm -r ${root}/stores; ln -s /tmp ${root}/stores`,
          ]) {
            await bash(gate, attempt);
            assert.deepEqual(isLeft(root), before, attempt);
            assert.equal(readFileSync(`${root}/tree/.git`, "utf8"), "gitdir: ../stores/main/worktrees/tree\n");
          }
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
      await bash(gate, `echo x > ${store}/hooks/x; echo x > ${store}/other/x`);
      assert.deepEqual([existsSync(`${store}/hooks/x`), existsSync(`${store}/other/x`)], [false, true]);
      gate.close();
      directories.remove();
    });

    test(
      "a .git that is a link stays, and what it leads to",
      inYard(
        (root) => {
          mkdirSync(`${root}/elsewhere/hooks`, { recursive: true });
          symlinkSync("elsewhere", `${root}/.git`);
        },
        async ({ root, gate }) => {
          for (const attempt of [
            `rm ${root}/.git`,
            `rm ${root}/.git; mkdir -p ${root}/.git/hooks; echo evil > ${root}/.git/${HOOK}`,
            `rm ${root}/.git; mkdir ${root}/evil; ln -s evil ${root}/.git`,
            `echo x > ${root}/elsewhere/${HOOK}`,
          ]) {
            await bash(gate, attempt);
            assert.equal(readlinkSync(`${root}/.git`), "elsewhere", attempt);
            assert.deepEqual(isLeft(`${root}/elsewhere`), ["hooks"], attempt);
          }
        },
      ),
    );

    test(
      "what is absent does not come, at the top of a grant or of a work tree; and what a person has there stays",
      inYard(
        (root) => {
          repository(`${root}/tree`);
          mkdirSync(`${root}/.vscode`);
          writeFileSync(`${root}/.vscode/tasks.json`, "{}");
          writeFileSync(`${root}/.envrc`, "");
        },
        async ({ root, gate }) => {
          const before = isLeft(root);
          for (const directory of [root, `${root}/tree`]) {
            const result = await bash(
              gate,
              `cd ${directory}; for n in .vscode .claude .husky; do mkdir -p $n/x && echo x > $n/tasks.json; done
          for n in .mcp.json .envrc .bashrc .profile .zshenv .gitconfig; do echo x > $n; done; rm -rf .vscode`,
            );
            assert.ok(heldBack(result).length >= 8, JSON.stringify(result.not_kept));
          }
          assert.deepEqual(isLeft(root), before);
          assert.equal(readFileSync(`${root}/.envrc`, "utf8"), "");
          assert.equal(readFileSync(`${root}/.vscode/tasks.json`, "utf8"), "{}");
        },
      ),
    );

    test(
      "a link put in the place of a directory does not lead our own hands out of the grant",
      inYard(
        (root, directories) => {
          mkdirSync(`${root}/x/sub`, { recursive: true });
          writeFileSync(`${root}/x/sub/a`, "a");
          mkdirSync(`${directories.outside}/sub/.vscode`, { recursive: true });
          writeFileSync(`${directories.outside}/sub/a`, "theirs");
        },
        async ({ root, gate, directories }) => {
          const before = isLeft(directories.outside);
          await bash(gate, `cd ${root}; mv x x2; ln -s ${directories.outside} x`);
          assert.equal(readlinkSync(`${root}/x`), directories.outside, "control: the link has landed");
          await bash(
            gate,
            `cd ${root}; echo new > x/sub/a; echo new > x2/sub/a; rm x; mkdir -p x/sub; echo new > x/sub/a`,
          );
          assert.deepEqual(isLeft(directories.outside), before);
          assert.equal(readFileSync(`${directories.outside}/sub/a`, "utf8"), "theirs");
          assert.equal(readFileSync(`${root}/x/sub/a`, "utf8"), "new\n");
        },
      ),
    );

    test(
      "where the top may not be written, and the program gives itself the right, nothing of this kind lands",
      inYard(
        (root) => chmodSync(root, 0o555),
        async ({ root, gate }) => {
          await gate.call({
            tool: "Exec",
            args: {
              argv: [
                "/bin/bash",
                "-c",
                `cd ${root}; chmod 755 .; mkdir -p .vscode && echo evil > .vscode/tasks.json; mkdir -p .git && echo evil > .git/config`,
              ],
            },
          });
          chmodSync(root, 0o755);
          assert.deepEqual(isLeft(root), []);
        },
      ),
    );
  });
}
