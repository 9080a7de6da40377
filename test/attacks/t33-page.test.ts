// T33: nobody answers, or reads, on the page but whoever opened its link. Each attack is also tried on the same routes
// without what stands before them, or with the one thing that was missing: there it works.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { Hono, type MiddlewareHandler } from "hono";
import { type Gate, queueApprover, type Question } from "../../src/index.ts";
import { queueRoutes } from "../../src/web/queue-routes.ts";
import { typedRules } from "../../src/web/typed-rule.ts";
import { waitingQuestion } from "../fixtures/approver.ts";
import { makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { onPort, type OnPort, openPage, type TestPage } from "../fixtures/page.ts";
import { exec, ran, refused } from "../fixtures/run.ts";

interface Scene {
  readonly directories: TestDirectories;
  readonly gate: Gate;
  readonly page: TestPage;
  readonly server: OnPort;
  /** The same routes with nothing before them: whoever asks counts as a page. */
  readonly bare: OnPort;
  readonly question: Question;
  readonly isAnswered: () => Promise<boolean>;
  readonly token: () => Promise<string>;
}

async function newScene(t: TestContext): Promise<Scene> {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const approvers = [(answerService: Gate["answerService"]) => queueApprover(answerService.queue)];
  const gate = openGate(directories, { network: ["*"] }, { session: "s1", approvers });
  t.after(() => gate.close());
  refused(await exec(gate, ["/bin/echo", "hi"], { cwd: directories.outside }));
  let page: TestPage | undefined;
  const server = await onPort(t, (port) => (page = openPage(t, gate, { port })));
  const opened = page as unknown as TestPage;
  const asPage: MiddlewareHandler = (c, next) => {
    c.set("asker", { who: "somebody", device: null });
    return next();
  };
  const bare = await onPort(t, () => ({
    app: new Hono().use(asPage).route("/api", queueRoutes(opened.context, typedRules("/"))),
  }));
  const question = await waitingQuestion(gate);
  const own = { origin: `http://127.0.0.1:${server.port}`, "content-type": "application/json" };
  return {
    directories,
    gate,
    page: opened,
    server,
    bare,
    question,
    isAnswered: async () => (await gate.answerService.queue.find(question.id))?.answer !== null,
    async token() {
      const { status, body } = await server.raw("POST", "/api/enter", own, JSON.stringify({ token: opened.newLink() }));
      assert.equal(status, 200, body);
      return (JSON.parse(body) as { page: string }).page;
    },
  };
}

const yes = ({ action }: Question) => JSON.stringify({ decision: "allow", scope: "once", digest: action.digest });
const answerPath = ({ id }: Question) => `/api/questions/${id}/answer`;

test("another site's page cannot answer, not even with a token that leaked", async (t) => {
  const { server, bare, question, isAnswered, token } = await newScene(t);
  const authorization = `Bearer ${await token()}`;
  const json = { "content-type": "application/json" };
  for (const headers of [
    { origin: "http://evil.example", ...json },
    { origin: "http://evil.example", "content-type": "text/plain" },
    { origin: `http://localhost:${server.port}`, ...json },
    { origin: "null", ...json },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", origin: `http://127.0.0.1:${server.port}`, ...json },
    json,
  ]) {
    const { status } = await server.raw("POST", answerPath(question), { ...headers, authorization }, yes(question));
    assert.equal(status, 403, JSON.stringify(headers));
  }
  const preflight = await server.raw("OPTIONS", answerPath(question), {
    origin: "http://evil.example",
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization",
  });
  assert.deepEqual([preflight.status, preflight.headers["access-control-allow-origin"]], [403, undefined]);
  assert.equal(await isAnswered(), false);
  const control = await bare.raw(
    "POST",
    answerPath(question),
    { origin: "http://evil.example", ...json },
    yes(question),
  );
  assert.deepEqual([control.status, await isAnswered()], [200, true], "without the checks it is answered");
});

test("a name that is made to lead here (DNS rebinding) reaches nothing", async (t) => {
  const { server, bare, token, page } = await newScene(t);
  writeFileSync(join(page.pageDirectory, "own.txt"), "own");
  const authorization = `Bearer ${await token()}`;
  const host = `evil.example:${server.port}`;
  for (const path of ["/", "/own.txt", "/api/queue", "/api/enter"]) {
    const { status, body } = await server.raw("GET", path, { host, origin: `http://${host}`, authorization });
    assert.equal(status, 403, path);
    assert.doesNotMatch(body, /own|questions/);
  }
  assert.equal((await bare.raw("GET", "/api/queue", { host })).status, 200, "without the check it is told");
  assert.equal((await server.raw("GET", "/api/queue", { authorization })).status, 200, "by its own name as well");
});

test("a link that was used, and what is nearly a link, open nothing", async (t) => {
  const { server, page } = await newScene(t);
  const headers = { origin: `http://127.0.0.1:${server.port}`, "content-type": "application/json" };
  const enter = async (token: unknown) =>
    (await server.raw("POST", "/api/enter", headers, JSON.stringify({ token }))).status;
  const link = page.newLink();
  const other = link.endsWith("A") ? "B" : "A";
  for (const near of [
    link.slice(0, -1),
    `${link}A`,
    link.slice(0, -1) + other,
    link.toLowerCase(),
    ` ${link}`,
    "",
    "null",
  ])
    assert.equal(await enter(near), 401, near);
  for (const wrong of [null, 0, [link], { token: link }]) assert.equal(await enter(wrong), 400);
  const both = await Promise.all([enter(link), enter(link)]);
  assert.deepEqual([both.includes(200), both.includes(401)], [true, true], "one of two at once");
  assert.equal(await enter(link), 401);
  assert.equal(await enter(page.newLink()), 200, "a fresh one does");
});

test("a boxed program that reaches the port can neither read nor answer", async (t) => {
  const { gate, server, question, isAnswered, token } = await newScene(t);
  const url = `http://127.0.0.1:${server.port}`;
  const curl = async (path: string, ...more: readonly string[]) => {
    const code = ["--silent", "--output", "/dev/null", "--write-out", "%{http_code}"];
    return ran(await exec(gate, ["/usr/bin/curl", ...code, ...more, `${url}${path}`], { cwd: "/tmp" })).stdout;
  };
  const json = ["-H", "Content-Type: application/json", "-H", `Origin: ${url}`];
  assert.equal(await curl("/"), "200", "it does reach the port");
  for (const path of ["/api/queue", "/api/log", "/api/sessions", "/api/machine", "/api/events"])
    assert.equal(await curl(path), "401", path);
  assert.equal(await curl("/api/enter", ...json, "-d", '{"token":""}'), "401");
  assert.equal(await curl(answerPath(question), ...json, "-d", yes(question)), "401");
  assert.equal(await isAnswered(), false);
  const bearer = ["-H", `Authorization: Bearer ${await token()}`];
  assert.equal(await curl("/api/queue", ...bearer), "200");
  assert.equal(
    await curl(answerPath(question), ...json, ...bearer, "-d", yes(question)),
    "200",
    "the token is what it lacked",
  );
  assert.equal(await isAnswered(), true);
});

test("no address on the port gives a token away", async (t) => {
  const { server, page } = await newScene(t);
  const links = [page.newLink(), page.newLink()];
  for (const path of ["/", "/index.html", "/api/enter", "/api/queue", "/api/machine", "/.well-known/x", "/enter"]) {
    const { body, headers } = await server.raw("GET", path);
    for (const link of links) assert.equal(`${body}${JSON.stringify(headers)}`.includes(link), false, path);
  }
});

test("no spelling of a path leads out of the page's directory", async (t) => {
  const { server, page } = await newScene(t);
  writeFileSync(join(page.pageDirectory, "../secret.txt"), "secret");
  writeFileSync(join(page.pageDirectory, "own.txt"), "own");
  for (const path of [
    "/../secret.txt",
    "/assets/../../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/%252e%252e/secret.txt",
    "/assets/..%5c..%5csecret.txt",
    `//${page.pageDirectory}/../secret.txt`,
  ]) {
    const answer = await rawTarget(server.port, path);
    assert.match(answer, /^HTTP\/1\.1 4\d\d /, path);
    assert.doesNotMatch(answer, /secret/);
  }
  assert.match(await rawTarget(server.port, "/own.txt"), /^HTTP\/1\.1 200 [^]*own$/, "what is inside is given");
});

/** The request line as it is, which no client library would send. */
function rawTarget(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`),
    );
    socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    socket.on("end", () => resolve(text)).on("error", reject);
  });
}

test("a long request is cut off, told or not, and the server goes on", async (t) => {
  const { server, question, token } = await newScene(t);
  const headers = {
    authorization: `Bearer ${await token()}`,
    origin: `http://127.0.0.1:${server.port}`,
    "content-type": "application/json",
  };
  const padded = (bytes: number) => yes(question).replace("}", `${" ".repeat(bytes)}}`);
  const send = (body: string, more: Readonly<Record<string, string>>) =>
    server.raw("POST", answerPath(question), { ...headers, ...more }, body);
  assert.equal((await send(padded(64 * 1024), {})).status, 413);
  assert.equal((await send(padded(64 * 1024), { "transfer-encoding": "chunked" })).status, 413);
  assert.equal((await send(padded(60 * 1024), { "transfer-encoding": "chunked" })).status, 200, "shorter, it passes");
});
