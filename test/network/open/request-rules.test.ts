// Which requests a grant with `open: true` lets through.

import assert from "node:assert/strict";
import test from "node:test";
import { requestProblem } from "../../../src/network/open/request-rules.ts";
import type { OpenHost } from "../../../src/policy/open-host.ts";

const all: OpenHost = { methods: null, paths: null, credential: null, cache: false, requests: null };
const reading: OpenHost = { ...all, methods: ["GET", "HEAD"] };
const api: OpenHost = { ...all, paths: ["/api/**", "/@scope/*"] };

const passed: readonly (readonly [OpenHost, string, string])[] = [
  [all, "GET", "/"],
  [all, "DELETE", "/anything?x=1"],
  [reading, "GET", "/repo.git/info/refs?service=git-upload-pack"],
  [reading, "HEAD", "/"],
  [api, "GET", "/api/v1/things?path=../.."],
  [api, "GET", "/api/v1/"],
  [api, "GET", "/@scope%2fname"],
  [api, "GET", "/api/a%20b"],
];
for (const [open, method, target] of passed)
  test(`${method} ${target} passes`, () => assert.equal(requestProblem(open, method, target), null));

const gits = "application/x-git-upload-pack-request";
const granted: OpenHost = { ...reading, paths: ["/owner/**"] };
for (const target of ["/owner/repo.git/git-upload-pack", "/owner/a%20b/_git/c/git-upload-pack"])
  for (const open of [reading, granted])
    test(`a fetch of git from ${target} passes, with ${open.paths?.join() ?? "no"} paths`, () => {
      assert.equal(requestProblem(open, "POST", target, gits), null);
      for (const other of ["", "application/json", "application/x-www-form-urlencoded", `${gits}; charset=utf-8`])
        assert.notEqual(requestProblem(open, "POST", target, other), null, other);
      const writing: OpenHost = { ...open, methods: ["GET", "POST"] };
      assert.equal(requestProblem(writing, "POST", target, "application/json"), null, "the control");
    });

for (const target of [
  "/gists?/git-upload-pack",
  "/gists?x=/git-upload-pack",
  "/gists%3f/git-upload-pack",
  "/gists%23/git-upload-pack",
  "/gists;/git-upload-pack",
  "/gists%3b/git-upload-pack",
  "/gists%0d%0a/git-upload-pack",
  "/gists%2fgit-upload-pack",
  "/owner/../gists/git-upload-pack",
  "/owner/%252e%252e/gists/git-upload-pack",
  "/owner//git-upload-pack",
])
  test(`what calls itself a fetch at ${target} is refused`, () =>
    assert.notEqual(requestProblem(reading, "POST", target, gits), null));
test("nor outside the paths that are granted", () =>
  assert.notEqual(requestProblem(granted, "POST", "/other/repo.git/git-upload-pack", gits), null));

const refused: readonly (readonly [OpenHost, string, string])[] = [
  [all, "TRACE", "/"],
  [all, "CONNECT", "/"],
  [all, "GET", "http://other.test/"],
  [all, "OPTIONS", "*"],
  [reading, "POST", "/"],
  [reading, "get", "/"],
  [all, "POST", "/owner/repo.git/git-receive-pack"],
  [all, "GET", "/owner/repo.git/info/refs?service=git-receive-pack"],
  [all, "GET", "/owner/repo.git/info/refs?service=git%2Dreceive-pack"],
  [all, "GET", "/owner/repo.git/info/refs?service=git%252dreceive%2dpack"],
  [all, "POST", "/owner/repo.git/GIT-receive-pack"],
  [all, "POST", "/owner/repo.git/%67it-receive-pack"],
  [all, "POST", "/owner/%ff/%67it-receive-pack"],
  [api, "GET", "/"],
  [api, "GET", "/apix"],
  [api, "GET", "/api/../secret"],
  [api, "GET", "/api/%2e%2e/secret"],
  [api, "GET", "/api/..%2fsecret"],
  [api, "GET", "/api/%252e%252e/secret"],
  [api, "GET", "/api/..;/secret"],
  [api, "GET", "/api/..\\secret"],
  [api, "GET", "/api//secret"],
  [api, "GET", "/api/%ff"],
  [api, "GET", "/api/%00"],
];
for (const [open, method, target] of refused)
  test(`${method} ${target} is refused`, () => assert.notEqual(requestProblem(open, method, target), null));
