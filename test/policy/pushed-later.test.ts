// Which paths run somewhere by themselves once they have landed, and which only look like it.

import assert from "node:assert/strict";
import test from "node:test";
import { executedPart } from "../../src/policy/executed-later.ts";
import { executedNames } from "../../src/policy/executed-names.ts";
import { pushedLater } from "../../src/policy/pushed-later.ts";

const opened = [
  ".vscode/tasks.json",
  ".VSCODE/tasks.json",
  "deep/down/.VsCode/settings.json",
  ".vscode./tasks.json",
  ".vsco\u200dde/tasks.json",
  ".husky/pre-commit",
  ".githooks/post-merge",
  ".envrc",
  ".EnvRc",
  ".idea/runConfigurations/x.xml",
  ".devcontainer/devcontainer.json",
  ".devcontainer.json",
  ".pre-commit-config.yaml",
  "lefthook.yml",
  ".npmrc",
  ".yarn/releases/yarn.cjs",
  ".cargo/config.toml",
  "team.code-workspace",
  ".mcp.json",
  ".vscode",
  ".zed/tasks.json",
  ".vimrc",
  ".run/all.run.xml",
  ".kiro/hooks/build.kiro.hook",
  ".roo/mcp.json",
  "opencode.json",
  ".amazonq/cli-agents/a.json",
  "home/.config/fish/config.fish",
  ".config/git/config",
  ".ssh/rc",
  ".bazelrc",
  "AGENTS.md",
  "docs/CLAUDE.md",
  "agents.md",
  ".npmrc/x/.vscode/tasks.json",
];

const built = [
  ".github/workflows/release.yml",
  ".GitHub/Workflows/release.yml",
  ".github/actions/setup/action.yml",
  ".gitea/workflows/a.yaml",
  ".gitlab-ci.yml",
  "service/.gitlab-ci.yml",
  "ci/build.gitlab-ci.yml",
  ".gitlab/ci/build.yml",
  ".circleci/config.yml",
  "azure-pipelines.yml",
  "azure-pipelines-nightly.yaml",
  ".azure-pipelines/x.yml",
  "Jenkinsfile",
  "jenkinsfile",
  "Jenkinsfile.release",
  "ci/nightly.Jenkinsfile",
  ".travis.yml",
  ".buildkite/pipeline.yml",
  "bitbucket-pipelines.yml",
  ".drone.yml",
  ".drone.star",
  ".woodpecker.yml",
  ".woodpecker/test.yaml",
];

const ordinary = [
  "src/index.ts",
  "Makefile",
  "package.json",
  "README.md",
  "docs/AGENTS.md/x",
  "docs/agents.md",
  ".gitignore",
  ".editorconfig",
  ".prettierrc",
  ".env.example",
  ".github/CODEOWNERS",
  ".github/ISSUE_TEMPLATE/bug.md",
  ".github/dependabot.yml",
  ".gitlab/issue_templates/bug.md",
  "github/workflows/x.yml",
  "docs/workflows/x.md",
  "docs/.vscode.md",
  "docs/vscode/tasks.json",
  "Jenkinsfile.md",
  "docs/jenkinsfiles.txt",
  "src/circleci/config.yml",
  "src/envrc.ts",
  "travis.yml",
  "drone.yml",
  "my.npmrc",
  ".npmrc/x",
  "cloudbuild.ts",
];

test("what runs when somebody opens, installs or commits, and what runs on a build machine, in any case", () => {
  for (const path of opened) assert.equal(pushedLater(path)?.kind, "opened", path);
  for (const path of built) assert.equal(pushedLater(path)?.kind, "built", path);
});

test("ordinary files are nothing of the kind", () => {
  for (const path of ordinary) assert.equal(pushedLater(path), null, path);
});

test("files under one name are of one sort", () => {
  assert.equal(pushedLater("a/.Husky/x")?.name, pushedLater(".husky/y/z")?.name);
  assert.notEqual(pushedLater(".husky/x")?.name, pushedLater(".vscode/x")?.name);
});

test("on disk, too, the case of a name does not matter", () => {
  assert.equal(executedPart("/repo/.VSCODE/tasks.json"), "/repo/.VSCODE");
  assert.equal(executedPart("/repo/vscode/tasks.json"), null);
});

test("names of several components count where all of them stand in a row", () => {
  assert.equal(executedPart("/home/me/.config/fish/config.fish"), "/home/me/.config/fish");
  assert.equal(executedPart("/home/me/.config/htop/htoprc"), null);
  assert.equal(executedPart("/repo/.cargo/config.toml"), "/repo/.cargo/config.toml");
  assert.equal(executedPart("/repo/.cargo/registry/x"), null);
  assert.equal(executedPart("/repo/fish/config.fish"), null);
  assert.equal(executedPart("/repo/team.code-workspace"), "/repo/team.code-workspace");
});

test("names above the granted directory do not count", () => {
  assert.equal(executedPart("/p/.claude/worktrees/x/a.ts", "/p/.claude/worktrees/x"), null);
  assert.equal(
    executedPart("/p/.claude/worktrees/x/.envrc", "/p/.claude/worktrees/x"),
    "/p/.claude/worktrees/x/.envrc",
  );
  assert.equal(executedPart("/p/.claude/worktrees/x/a.ts"), "/p/.claude");
});

test("what is only warned about may be changed here, and is named in a push", () => {
  for (const path of ["CLAUDE.md", ".bazelrc", ".github/workflows/a.yml", ".yarn/cache/a.zip"]) {
    assert.equal(executedPart(`/repo/${path}`), null, path);
    assert.notEqual(pushedLater(path), null, path);
  }
});

test("everything that is guarded here is named in a push, too", () => {
  for (const { name, kind } of executedNames) {
    const path = name.replace("*", "team") + (kind === "directory" ? "/x" : "");
    assert.notEqual(pushedLater(path), null, path);
  }
});
