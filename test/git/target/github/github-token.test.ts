import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { findGithubToken } from "../../../../src/git/target/github/github-token.ts";
import { runCommand } from "../../../fixtures/git-servers.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-token-")));
chmodSync(root, 0o755);
after(() => rmSync(root, { recursive: true, force: true }));

/** A program that answers as gh does, and says for which host it was asked. */
function gh(answer: string): string {
  const path = join(root, "gh");
  writeFileSync(path, `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
  return path;
}

const enterprise = "https://git.example.com/api/v3";

it("a token of the environment goes to its own host alone", async () => {
  const environment = { GITHUB_TOKEN: "for-github.com", GH_ENTERPRISE_TOKEN: "for-enterprise" };
  const find = (baseUrl?: string) => findGithubToken({ baseUrl, environment, run: runCommand, paths: [] });
  assert.equal(await find(), "for-github.com");
  assert.equal(await find("https://api.github.com"), "for-github.com");
  assert.equal(await find(enterprise), "for-enterprise");
  assert.equal(
    await findGithubToken({
      baseUrl: enterprise,
      environment: { GITHUB_TOKEN: "for-github.com" },
      run: runCommand,
      paths: [],
    }),
    null,
  );
});

it("GH_TOKEN comes first, and what is no token is none", async () => {
  const find = (environment: Record<string, string>) => findGithubToken({ environment, run: runCommand, paths: [] });
  assert.equal(await find({ GH_TOKEN: "the-first-one", GITHUB_TOKEN: "the-second-one" }), "the-first-one");
  assert.equal(await find({ GH_TOKEN: "", GITHUB_TOKEN: "the-second-one\n" }), "the-second-one");
  assert.equal(await find({ GITHUB_TOKEN: "two words or more" }), null);
  assert.equal(await find({}), null);
});

it("else gh is asked, with nothing of the environment that could be another token", async () => {
  const paths = [gh('test "$GITHUB_TOKEN" = "" && echo "token-$4"')];
  const environment = { GITHUB_TOKEN: "for-github.com", PATH: "/usr/bin:/bin" };
  assert.equal(
    await findGithubToken({ baseUrl: enterprise, environment, run: runCommand, paths }),
    "token-git.example.com",
  );
  gh("echo not signed in; exit 1");
  assert.equal(await findGithubToken({ environment: {}, run: runCommand, paths }), null);
});
