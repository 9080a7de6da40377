// Where the token of GitHub and the key of a model go: to the one host that each is for, whatever the person or a server does.

import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import test, { type TestContext } from "node:test";
import type { WorkState } from "../../../src/web/api-work.ts";
import { listenOn } from "../../fixtures/github-emulator.ts";
import type { GithubFront } from "../../fixtures/github-front.ts";
import { until } from "../../fixtures/run.ts";
import { noExtension } from "../browser.ts";
import { runInPage } from "../in-page.ts";
import { type CallReply, clientId, openEnterprise, openOwnGate, token } from "./open-gate.ts";

const otherToken = "gho_another-token-of-nobody-987654321";
const key = "sk-a-key-of-nobody-0123456789";

const sentTo = ({ asked, archivesAsked }: GithubFront): string =>
  [...asked, ...archivesAsked].map(({ authorization }) => authorization ?? "").join("\n");

test(
  "a token goes to the GitHub that gave it, also while a draft of another one is open",
  { skip: noExtension },
  async (t) => {
    const gate = await openOwnGate(t);
    if (gate === null) return;
    const other = await openEnterprise(t, gate.emulatorUrl, otherToken);
    await gate.signIn();
    await gate.open();
    await gate.signIn(other);
    assert.equal((await gate.state()).open?.repository, "octo/r0", "the draft of the first one is still open");

    await gate.ask("PUT", "/api/work/file", { path: "a.txt", text: "a\n", hash: null });
    const call = async (tool: string, args: object): Promise<CallReply> =>
      (await gate.withYes(gate.ask<CallReply>("POST", "/api/work/call", { tool, arguments: args }))).value.body;
    const staged = await call("git_stage", { files: ["a.txt"], message: "Add a" });
    const before = gate.front.asked.length;
    await call("git_push", { commitId: String(staged.result?.["id"]) });
    assert.ok(gate.front.asked.length > before, "the first one was asked");
    assert.doesNotMatch(sentTo(gate.front), new RegExp(otherToken), "and got no token of the second");
    assert.doesNotMatch(sentTo(other.front), new RegExp(token));
    assert.match(sentTo(gate.front), new RegExp(token), "the control: it got its own, before");
    assert.match(sentTo(other.front), new RegExp(otherToken), "the control: the second got its own");

    await gate.kill();
    assert.equal((await gate.state()).account?.login, "octo", "the token of the second outlives the worker");
    await gate.ask("PUT", "/api/work/settings", { githubUrl: gate.front.url });
    assert.equal((await gate.state()).account, null, "and ends with the choice of another GitHub");
  },
);

test(
  "a sign-in that is overtaken by the choice of another GitHub gives it nothing",
  { skip: noExtension },
  async (t) => {
    const held = Promise.withResolvers<undefined>();
    let isHeld = false;
    const gate = await openOwnGate(t, {
      play(request, response) {
        if (!(request.url ?? "").endsWith("/user") || isHeld) return false;
        isHeld = true;
        const body = JSON.stringify({ login: "octo", id: 1, name: "Octo" });
        void held.promise.then(() => response.setHeader("content-type", "application/json").end(body));
        return true;
      },
    });
    if (gate === null) return;
    const other = await openEnterprise(t, gate.emulatorUrl, otherToken);
    await gate.ask("PUT", "/api/work/settings", { clientId, githubUrl: gate.front.url });
    const begun = await gate.ask<{ userCode: string }>("POST", "/api/work/sign-in");
    assert.ok(gate.flow.answer(begun.body.userCode, true));
    await until("the first GitHub is asked who it is", async () => isHeld);
    await gate.ask("PUT", "/api/work/settings", { githubUrl: other.front.url });
    held.resolve(undefined);
    const listed = await gate.ask("GET", "/api/work/repositories");
    assert.equal(listed.status, 400, "nobody is signed in at the second");
    assert.equal((await gate.state()).account, null);
    const kept = await runInPage<string>(gate.browser.worker, "chrome.storage.session.get(null).then(JSON.stringify)");
    assert.ok(!kept.includes(token), "the token was dropped");
    assert.match(sentTo(gate.front), new RegExp(token), "the control: there was one");
    assert.doesNotMatch(sentTo(other.front), new RegExp(token));
  },
);

/** A server that notes the headers it gets. */
async function openNoting(t: TestContext, redirectTo: () => string | null) {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers);
    request.resume();
    const location = redirectTo();
    if (location === null) response.writeHead(500).end("{}");
    else response.writeHead(307, { location }).end();
  });
  t.after(() => server.close().closeAllConnections());
  return { heard, url: `http://127.0.0.1:${await listenOn(server)}` };
}

test(
  "the key of a model goes to the address that it was given for, and along no redirect",
  { skip: noExtension },
  async (t) => {
    const gate = await openOwnGate(t);
    if (gate === null) return;
    const stranger = await openNoting(t, () => null);
    const model = await openNoting(t, () => `${stranger.url}/v1/messages`);
    await gate.signIn();
    await gate.open();
    const settings = (provider: string, baseUrl: string) => ({ model: { provider, name: "m", baseUrl } });
    const set = async (path: string, body: object): Promise<WorkState> => {
      const { status, body: state } = await gate.ask<WorkState>("PUT", path, body);
      assert.equal(status, 200, JSON.stringify(state));
      return state;
    };
    await set("/api/work/settings", settings("anthropic", `${model.url}/v1`));
    assert.equal((await set("/api/work/key", { key })).settings.model?.hasKey, true);
    assert.equal((await gate.ask("POST", "/api/work/agent", { task: "Say hello" })).status, 200);
    await until("the agent has stopped", async () => (await gate.state()).agent?.isRunning === false);
    assert.ok(
      model.heard.some((headers) => headers["x-api-key"] === key),
      "the control: the model's address got it",
    );
    assert.equal(stranger.heard.length, 0, "no redirect was followed");
    const headers = JSON.stringify({ "x-api-key": key });
    await runInPage(gate.panel, `fetch("${model.url}/v1/messages", { headers: ${headers} }).then(String, String)`);
    assert.equal(stranger.heard[0]?.["x-api-key"], key, "the control: the browser would have taken it along");

    assert.equal(
      (await set("/api/work/settings", settings("anthropic", `${model.url}/v1`))).settings.model?.hasKey,
      true,
    );
    assert.equal(
      (await set("/api/work/settings", settings("openai", `${stranger.url}/v1`))).settings.model?.hasKey,
      false,
    );
    assert.equal((await gate.ask("POST", "/api/work/agent", { task: "Say hello" })).status, 400, "it has no key");
    assert.equal(stranger.heard.length, 1);
    await gate.kill();
    assert.equal((await gate.state()).settings.model?.hasKey, false, "it was forgotten, not only hidden");
  },
);
