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
  [reading, "POST", "/owner/repo.git/git-upload-pack"],
  [api, "GET", "/api/v1/things?path=../.."],
  [api, "GET", "/api/v1/"],
  [api, "GET", "/@scope%2fname"],
  [api, "GET", "/api/a%20b"],
];
for (const [open, method, target] of passed)
  test(`${method} ${target} passes`, () => assert.equal(requestProblem(open, method, target), null));

const refused: readonly (readonly [OpenHost, string, string])[] = [
  [all, "TRACE", "/"],
  [all, "CONNECT", "/"],
  [all, "GET", "http://other.test/"],
  [all, "OPTIONS", "*"],
  [reading, "POST", "/"],
  [reading, "get", "/"],
  [reading, "POST", "/x?y=/git-upload-pack"],
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
