// GitHub's device flow against a server that plays it. Time is the test's: no waiting takes any.

import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, describe, it } from "node:test";
import { beginDeviceSignIn, type DeviceSignInContext } from "../../../../src/git/target/github/device-sign-in.ts";
import { sendRequest } from "../../../../src/process/network.ts";
import { type DeviceFlowOptions, playDeviceFlow } from "../../../fixtures/github-device-flow.ts";
import { openGithubFront } from "../../../fixtures/github-front.ts";

const TOKEN = "gho_aSecretThatNobodyMaySee0123456789abcd";
const clientId = "Iv1.0123456789abcdef";
const nowhere = "http://127.0.0.1:1";

interface Options extends Partial<DeviceFlowOptions> {
  /** Before the flow answers. */
  readonly play?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** After each wait of so many seconds, with the time since the start. */
  readonly waited?: (s: number) => void;
  readonly context?: Partial<DeviceSignInContext>;
}

async function openFlow({ play, waited, context: more, ...options }: Options = {}) {
  let nowMs = 0;
  const waits: number[] = [];
  const flow = playDeviceFlow({ clientId, token: TOKEN, now: () => nowMs, ...options });
  const front = await openGithubFront(nowhere, {
    play: (request, response) => play?.(request, response) === true || flow.play(request, response),
  });
  after(() => front.close());
  const context: DeviceSignInContext = {
    clientId,
    scope: "repo",
    baseUrl: front.url,
    send: sendRequest,
    clock: { now: () => nowMs, monotonic: () => nowMs },
    async sleep(ms) {
      waits.push(ms / 1_000);
      nowMs += ms;
      waited?.(nowMs / 1_000);
    },
    ...more,
  };
  return { flow, front, context, waits };
}

async function begun(context: DeviceSignInContext) {
  const sign = await beginDeviceSignIn(context);
  assert.ok(sign.ok, JSON.stringify(sign));
  return sign.value;
}

const isPoll = ({ url }: IncomingMessage): boolean => url === "/login/oauth/access_token";

function answered(response: ServerResponse, status: number, body: object | string): true {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
  return true;
}

describe("GitHub's device flow", () => {
  it("gives the token when the person has entered the code", async () => {
    const { flow, front, context, waits } = await openFlow({
      waited: (s) => s >= 15 && flow.answer("WDJB-0001", true),
    });
    const sign = await begun(context);
    assert.deepEqual(
      [sign.userCode, sign.verificationUrl, sign.validS],
      ["WDJB-0001", `${front.url}/login/device`, 900],
    );
    assert.deepEqual(await sign.token(), { ok: true, value: TOKEN });
    assert.deepEqual(flow.polls, ["authorization_pending", "authorization_pending", "token"]);
    assert.deepEqual([waits, flow.scopes], [[5, 5, 5], ["repo"]]);
  });

  it("asks less often when it is told to", async () => {
    const interval = { said: 1, needed: 8 };
    const { flow, context, waits } = await openFlow({
      interval,
      waited: (s) => s >= 20 && flow.answer("WDJB-0001", true),
    });
    const sign = await begun(context);
    assert.deepEqual(await sign.token(), { ok: true, value: TOKEN });
    assert.deepEqual(flow.polls, ["slow_down", "authorization_pending", "token"]);
    assert.deepEqual(waits, [1, 13, 13]);
  });

  it("adds five seconds where no interval is said", async () => {
    let left = 2;
    const { flow, context, waits } = await openFlow({
      play(request, response) {
        if (!isPoll(request) || left-- <= 0) return false;
        request.resume();
        return answered(response, 200, { error: "slow_down" });
      },
    });
    const sign = await begun(context);
    flow.answer(sign.userCode, true);
    assert.deepEqual(await sign.token(), { ok: true, value: TOKEN });
    assert.deepEqual(waits, [5, 10, 15]);
  });

  it("says that the person refused", async () => {
    const { flow, context } = await openFlow();
    const sign = await begun(context);
    flow.answer(sign.userCode, false);
    const result = await sign.token();
    assert.equal(result.ok ? "" : result.failure.error, "approval_denied");
  });

  it("ends when the code has expired, by GitHub's clock or by its own", async () => {
    const early = await openFlow({
      play(request, response) {
        if (!isPoll(request)) return false;
        request.resume();
        return answered(response, 200, { error: "expired_token" });
      },
    });
    const { flow, context, waits } = await openFlow();
    for (const one of [early.context, context]) {
      const result = await (await begun(one)).token();
      assert.equal(result.ok ? "" : result.failure.error, "approval_timeout");
    }
    assert.equal(early.waits.length, 1);
    assert.ok(flow.polls.length > 100 && flow.polls.every((said) => said === "authorization_pending"));
    assert.ok(waits.reduce((sum, s) => sum + s, 0) < 900);
  });

  it("goes on, less often, after broken connections and errors of the server", async () => {
    const troubles: ((response: ServerResponse) => unknown)[] = [
      (response) => response.destroy(),
      (response) => answered(response, 503, "<html>later</html>"),
      (response) => answered(response, 429, {}),
    ];
    const { flow, context, waits } = await openFlow({
      play(request, response) {
        const trouble = isPoll(request) ? troubles.shift() : undefined;
        if (trouble === undefined) return false;
        request.resume();
        trouble(response);
        return true;
      },
    });
    const sign = await begun(context);
    flow.answer(sign.userCode, true);
    assert.deepEqual(await sign.token(), { ok: true, value: TOKEN });
    assert.deepEqual(waits, [5, 10, 20, 40]);
  });

  it("says what is wrong with the app or the server, and repeats nothing that was sent", async () => {
    const secret = "device-code-that-nobody-may-see-1";
    const answers: [status: number, body: object | string, RegExp][] = [
      [
        200,
        { error: "device_flow_disabled", error_description: secret },
        /device_flow_disabled.*Enable the device flow/,
      ],
      [200, { error: "incorrect_device_code" }, /incorrect_device_code.*Begin the sign-in again/],
      [200, { error: secret, error_description: TOKEN }, /an answer 200 that is not understood/],
      [200, { error: "toString" }, /an answer 200 that is not understood/],
      [200, { access_token: `${TOKEN}\n` }, /an answer 200 that is not understood/],
      [404, { error: "Not Found" }, /an answer 404 that is not understood.*client id/],
      [302, TOKEN, /an answer 302 that is not understood/],
      [200, TOKEN, /an answer 200 that is not understood/],
    ];
    for (const [status, body, expected] of answers) {
      const { context } = await openFlow({
        play(request, response) {
          if (!isPoll(request)) return false;
          request.resume();
          return answered(response, status, body);
        },
      });
      const result = await (await begun(context)).token();
      assert.ok(!result.ok);
      assert.match(`${result.failure.message} ${result.failure.hint}`, expected);
      assert.doesNotMatch(JSON.stringify(result), /gho_|nobody/);
    }
    const { context } = await openFlow({ context: { clientId: "Iv1.another" } });
    const result = await beginDeviceSignIn(context);
    assert.match(result.ok ? "" : result.failure.message, /refused the sign-in: an answer 404/);
  });

  it("shows no page but GitHub's, and no code that is none", async () => {
    const good = { device_code: "0123456789", user_code: "ABCD-0123", expires_in: 900, interval: 5 };
    const page = (baseUrl: string) => `${baseUrl}/login/device`;
    const wrong: ((baseUrl: string) => object)[] = [
      () => ({ ...good, verification_uri: "https://github.com.example.com/login/device" }),
      () => ({ ...good, verification_uri: "javascript:alert(1)" }),
      (baseUrl) => ({ ...good, verification_uri: page(baseUrl).replace("http:", "https:") }),
      (baseUrl) => ({ ...good, verification_uri: page(baseUrl), user_code: "go to example.com" }),
      (baseUrl) => ({ ...good, verification_uri: page(baseUrl), expires_in: "long" }),
      (baseUrl) => ({ ...good, verification_uri: page(baseUrl), expires_in: -1 }),
      (baseUrl) => ({ ...good, verification_uri: page(baseUrl), interval: "often" }),
      (baseUrl) => ({ ...good, verification_uri: page(baseUrl), device_code: "" }),
    ];
    for (const body of [...wrong, (baseUrl: string) => ({ ...good, verification_uri: page(baseUrl) })]) {
      const { context } = await openFlow({
        play(request, response) {
          request.resume();
          return answered(response, 200, body(`http://${request.headers.host}`));
        },
      });
      const result = await beginDeviceSignIn(context);
      assert.equal(result.ok, !wrong.includes(body), JSON.stringify(result));
    }
  });

  it("ends at once when the caller is gone", async () => {
    const stop = new AbortController();
    const { context } = await openFlow({ context: { signal: stop.signal, sleep: undefined } });
    const sign = await begun(context);
    const waiting = sign.token();
    stop.abort(new Error("gone"));
    const result = await waiting;
    assert.match(result.ok ? "" : result.failure.message, /cancelled by the caller/);
  });

  it("begins nowhere without a server, without an id, or where the token would be readable", async () => {
    const context = { clientId, scope: "repo", send: sendRequest } as const;
    const closed = await beginDeviceSignIn({ ...context, baseUrl: nowhere });
    assert.match(closed.ok ? "" : closed.failure.message, /cannot be reached/);
    const noId = await beginDeviceSignIn({ ...context, clientId: "", baseUrl: nowhere });
    assert.equal(noId.ok ? "" : noId.failure.error, "invalid_args");
    await assert.rejects(beginDeviceSignIn({ ...context, baseUrl: "http://github.example.com" }), /must be https/);
  });
});
