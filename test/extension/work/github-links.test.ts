import assert from "node:assert/strict";
import test from "node:test";
import { branchLink, commitLink, linkAt } from "../../../extension/work/github-links.ts";
import { githubPatterns, modelPatterns, readPageAddress } from "../../../extension/work/work-hosts.ts";

const at = { githubUrl: "https://github.com", repository: "octo/shop" };
const commit = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d";

test("T94: what came of a push leads to the repository at the chosen GitHub, or nowhere", () => {
  assert.equal(branchLink(at, "fix/total"), "https://github.com/octo/shop/tree/fix/total");
  assert.equal(branchLink(at, "a?b#c d"), "https://github.com/octo/shop/tree/a%3Fb%23c%20d");
  assert.equal(commitLink(at, commit), `https://github.com/octo/shop/commit/${commit}`);
  assert.equal(
    commitLink({ ...at, githubUrl: "https://ghe.example/" }, commit),
    `https://ghe.example/octo/shop/commit/${commit}`,
  );
  for (const branch of ["../../../evil/x", "a//b", "", ".", "\ud800"])
    assert.equal(branchLink(at, branch), null, branch);
  for (const id of ["", "HEAD", `${commit}/../..`, commit.toUpperCase()]) assert.equal(commitLink(at, id), null, id);
  for (const githubUrl of ["", "javascript:alert(1)", "data:text/html,x", "github.com"])
    assert.equal(branchLink({ ...at, githubUrl }, "main"), null, githubUrl);
  assert.equal(linkAt("https://github.com", "https://github.com/login/device"), "https://github.com/login/device");
  assert.equal(linkAt("https://github.com", "https://github.com:444/login/device"), null);
});

test("the browser is asked about the addresses of GitHub and of the model, and no others", () => {
  const github = (text: string) => {
    const read = readPageAddress(text);
    return read === null ? null : githubPatterns(read);
  };
  assert.deepEqual(github("https://github.com/"), [
    "https://github.com/*",
    "https://api.github.com/*",
    "https://codeload.github.com/*",
  ]);
  assert.deepEqual(github("https://ghe.example"), ["https://ghe.example/*"]);
  assert.deepEqual(github("http://127.0.0.1:4000"), ["http://127.0.0.1/*"]);
  for (const text of ["github.com", "http://github.com", "https://a:b@github.com", "file:///x"])
    assert.equal(github(text), null, text);
  const model = (provider: "anthropic" | "openai" | "google", baseUrl: string | null) =>
    modelPatterns({ provider, name: "x", baseUrl });
  assert.deepEqual(model("anthropic", null), ["https://api.anthropic.com/*"]);
  assert.deepEqual(model("google", null), ["https://generativelanguage.googleapis.com/*"]);
  assert.deepEqual(model("openai", "https://models.example/v1"), ["https://models.example/*"]);
  assert.equal(
    model("openai", "http://models.example/v1"),
    null,
    "a key never goes over plain HTTP to another machine",
  );
});
