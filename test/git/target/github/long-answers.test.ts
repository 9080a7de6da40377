// A server that says it is GitHub and answers without end: the gate stops reading, and says why.

import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import test, { type TestContext } from "node:test";
import { readAccount } from "../../../../extension/browser-gate/github-lists.ts";
import { beginDeviceSignIn } from "../../../../src/git/target/github/device-sign-in.ts";
import { createGithubApi } from "../../../../src/git/target/github/github-api.ts";
import { sendRequest } from "../../../../src/process/network.ts";
import { limits } from "../../../../src/shared/limits.ts";
import { openGithubFront } from "../../../fixtures/github-front.ts";

const MiB = 1024 * 1024;
/** Far more than any answer may have. */
const END = 4 * limits.githubAnswerBytes;

interface Endless {
  readonly url: string;
  readonly requests: number;
  readonly sentBytes: number;
}

/** `length`: of the answer, which is a JSON object with a long text. */
async function openEndless(t: TestContext, length: number): Promise<Endless> {
  const seen = { url: "", requests: 0, sentBytes: 0 };
  const piece = Buffer.alloc(MiB, "a");
  const play = (request: IncomingMessage, response: ServerResponse): true => {
    request.resume();
    seen.requests += 1;
    response.writeHead(200, { "content-type": "application/json" }).write('{"content":"');
    let left = length;
    const more = (): void => {
      if (response.destroyed) return;
      if (left <= 0) return void response.end('"}');
      seen.sentBytes += piece.length;
      left -= piece.length;
      response.write(piece, more);
    };
    more();
    return true;
  };
  const front = await openGithubFront("http://127.0.0.1:1", { play });
  t.after(() => front.close());
  return Object.assign(seen, { url: front.url });
}

const api = (url: string) => createGithubApi({ baseUrl: url, token: null, send: sendRequest });

test("an answer that is longer than any file of a workspace is left, and not asked for again", async (t) => {
  const endless = await openEndless(t, END);
  const asked = await api(endless.url).request("GET", "/repos/octo/r0/git/blobs/x");
  assert.match(asked.ok ? "" : asked.failure.message, /cannot be read: it sent more than \d+ bytes in one answer/);
  assert.equal(endless.requests, 1);
  assert.ok(endless.sentBytes < END, `${endless.sentBytes} bytes were sent`);
});

test("the control: a long answer within the bound is read whole", async (t) => {
  const { url } = await openEndless(t, limits.githubAnswerBytes - 2 * MiB);
  const asked = await api(url).request("GET", "/repos/octo/r0/git/blobs/x");
  assert.ok(asked.ok);
  assert.equal(String(asked.value.body["content"]).length, limits.githubAnswerBytes - 2 * MiB);
});

test("a sign-in and the lists of a person have smaller bounds", async (t) => {
  const endless = await openEndless(t, END);
  const begun = await beginDeviceSignIn({ clientId: "Iv1.x", scope: "repo", baseUrl: endless.url, send: sendRequest });
  assert.equal(begun.ok, false);
  const account = await readAccount({ apiUrl: endless.url, token: "t", send: sendRequest });
  assert.equal(account.ok, false);
  assert.ok(endless.sentBytes < limits.githubAnswerBytes, `${endless.sentBytes} bytes were sent`);
});
