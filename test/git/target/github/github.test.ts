// Against `emulate` (test/fixtures/github-emulator.ts). It answers 404 to some requests where GitHub says 422, and knows no limits: those
// are played in front of it.

import assert from "node:assert/strict";
import { type IncomingMessage, request as forward, type ServerResponse } from "node:http";
import { after, describe, it } from "node:test";
import { createGithubApi, type GithubApi, type GithubContext } from "../../../../src/git/target/github/github-api.ts";
import { githubAddress, githubTarget } from "../../../../src/git/target/github/github.ts";
import type { TargetReading, TargetAccess } from "../../../../src/git/target/target.ts";
import { parseGithubRepo } from "../../../../src/git/target/url.ts";
import { sendRequest } from "../../../../src/process/network.ts";
import { landingOf, report } from "../../../fixtures/git-landing.ts";
import { startGithubEmulator } from "../../../fixtures/github-emulator.ts";
import { openGithubFront } from "../../../fixtures/github-front.ts";
import { bareRepository, git, hashes, packOf } from "../../publish/real-git.ts";

const TOKEN = "ghp_aSecretThatNobodyMaySee0123456789abcd";
const repositories = Array.from({ length: 12 }, (_, index) => `r${index}`);
const emulator = await startGithubEmulator({ owner: "octo", token: TOKEN, repositories });
const skip = typeof emulator === "string" ? emulator : false;
const url = typeof emulator === "string" ? "http://localhost" : emulator.url;
after(() => (typeof emulator === "string" ? undefined : emulator.close()));

let used = 0;
const freshRepo = (): string => `octo/r${used++}`;

function apiAt(baseUrl = url, context: Partial<GithubContext> = {}): GithubApi {
  return createGithubApi({ baseUrl, token: TOKEN, send: sendRequest, sleep: async () => undefined, ...context });
}

function target(text: string, branch: string | null = null, api = apiAt()): TargetAccess {
  const repo = parseGithubRepo(text);
  assert.ok(repo.ok);
  return githubTarget({ repo: repo.value, branch, api, hash: hashes.sha1 });
}

async function looked(access: TargetAccess): Promise<TargetReading> {
  const seen = await access.readState();
  assert.ok(seen.ok, JSON.stringify(seen));
  return seen.value;
}

/** Something between us and the server: true where it has answered itself. */
async function between(play: (request: IncomingMessage, response: ServerResponse) => boolean) {
  const front = await openGithubFront(url, { play });
  after(() => front.close());
  return front;
}

const drain = (request: IncomingMessage): void => void request.resume();

describe("GitHub", { skip }, () => {
  it("the example session lands with the ids that we computed, and git agrees with every object", async () => {
    const access = target(freshRepo());
    const seen = await looked(access);
    assert.equal(seen.state.branch, "main");
    assert.ok(seen.state.oldCommit !== null && seen.state.oldCommit === seen.state.baseCommit);
    const binary = Uint8Array.from({ length: 3_000 }, (_, index) => index % 256);
    const landing = await landingOf(
      seen,
      {
        ...report,
        "data/chart.bin": binary,
        "data/bom.txt": "\ufeffbom\r\n",
        "bin/run": "#!/bin/sh\n",
        "données/日本.md": "é\n",
      },
      { modes: { "bin/run": "100755" }, message: "Add quarterly report\n\nWith é and 日本." },
    );
    const steps: string[] = [];
    assert.deepEqual(await access.land(landing, (done, total, what) => steps.push(`${done}/${total} ${what}`)), {
      ok: true,
      value: undefined,
    });
    assert.match(steps.at(-1) ?? "", /^(\d+)\/\1 requests to GitHub$/);
    const now = await looked(access);
    assert.equal(now.state.oldCommit, landing.commit);
    const bare = bareRepository("sha1");
    git(bare, ["unpack-objects", "-q"], await packOf(landing.objects, "sha1"));
    const tree = await now.readTree(now.state.baseTree as string);
    for (const entry of tree.filter(({ mode }) => mode !== "40000")) {
      const blobs = await now.readBlobs([entry.id]);
      assert.equal(blobs.size, 1);
      if (Buffer.from(entry.name).toString() === "report.md")
        assert.equal(
          Buffer.from(blobs.get(entry.id) ?? []).toString(),
          git(bare, ["show", `${landing.commit}:report.md`]) + "\n",
        );
    }
    // Again: the answer is found, and nothing is asked for twice.
    assert.deepEqual(await access.land(landing, () => undefined), { ok: true, value: undefined });
  });

  it("files go, and change, and what was not named stays", async () => {
    const access = target(freshRepo());
    assert.equal(
      (
        await access.land(
          await landingOf(await looked(access), { ...report, "charts/other.svg": "<svg/>\n" }),
          () => undefined,
        )
      ).ok,
      true,
    );
    const seen = await looked(access);
    const landing = await landingOf(seen, { "charts/revenue.svg": null, "report.md": "# Final\n" });
    assert.deepEqual(await access.land(landing, () => undefined), { ok: true, value: undefined });
    const { state, ...seenNow } = await looked(access);
    const names = (await seenNow.readTree(state.baseTree as string)).map(({ name }) => Buffer.from(name).toString());
    assert.ok(names.includes("charts") && names.includes("analysis.json"));
  });

  it("a new branch begins at the default branch", async () => {
    const repo = freshRepo();
    const access = target(repo, "agent/report");
    const seen = await looked(access);
    assert.equal(seen.state.oldCommit, null);
    const landing = await landingOf(seen, report);
    assert.deepEqual(await access.land(landing, () => undefined), { ok: true, value: undefined });
    assert.equal((await looked(target(repo, "agent/report"))).state.oldCommit, landing.commit);
    assert.equal((await looked(target(repo))).state.oldCommit, seen.state.baseCommit);
  });

  it("a clock east or west of UTC gives the same id, or nothing moves", async () => {
    for (const offsetMinutes of [330, -210]) {
      const access = target(freshRepo());
      const seen = await looked(access);
      const landing = await landingOf(seen, report, { offsetMinutes });
      const result = await access.land(landing, () => undefined);
      const now = (await looked(access)).state.oldCommit;
      assert.equal(now, result.ok ? landing.commit : seen.state.oldCommit, JSON.stringify(result));
    }
  });

  it("a branch that has moved is a conflict, before and after the objects were made", async () => {
    const repo = freshRepo();
    const access = target(repo);
    const seen = await looked(access);
    const landing = await landingOf(seen, report);
    const other = await landingOf(seen, { "other.txt": "first\n" });
    let isLate = false;
    const middle = await between((request) => {
      // Somebody else is faster, right when our commit is made.
      if (request.method === "POST" && request.url?.endsWith("/git/commits") === true && !isLate) isLate = true;
      return false;
    });
    const slow = target(repo, null, {
      ...apiAt(middle.url),
      async request(method, path, body) {
        const answer = await apiAt(middle.url).request(method, path, body);
        if (isLate && method === "POST" && path.endsWith("/git/commits"))
          assert.equal((await access.land(other, () => undefined)).ok, true);
        return answer;
      },
    });
    for (const way of [slow, access]) {
      const result = await way.land(landing, () => undefined);
      assert.ok(!result.ok);
      assert.equal(result.failure.error, "conflict");
      assert.match(result.failure.message, /^main of .* has moved: .* Nothing was pushed\.$/);
    }
    assert.equal((await looked(access)).state.oldCommit, other.commit);
    assert.ok(!middle.asked.some(({ line }) => line.startsWith("PATCH")), "the branch was not touched");
  });

  it("5xx and limits are waited out; the branch is never forced", async () => {
    const answers: [number, Record<string, string>][] = [
      [502, {}],
      [503, { "retry-after": "2" }],
      [429, { "retry-after": "3" }],
      [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Math.floor(Date.now() / 1_000) + 5) }],
    ];
    let next = 0;
    const bodies: string[] = [];
    const middle = await between((request, response) => {
      if (request.method === "PATCH") request.on("data", (chunk: Buffer) => bodies.push(chunk.toString()));
      const answer = request.method !== "GET" && next < answers.length ? answers[next++] : undefined;
      if (answer === undefined) return false;
      drain(request);
      response.writeHead(answer[0], answer[1]).end('{"message":"later"}');
      return true;
    });
    const waits: number[] = [];
    const api = apiAt(middle.url, { sleep: async (ms) => void waits.push(ms) });
    const access = target(freshRepo(), null, api);
    assert.deepEqual(await access.land(await landingOf(await looked(access), report), () => undefined), {
      ok: true,
      value: undefined,
    });
    assert.equal(waits.length, 4);
    assert.ok(
      (waits[1] as number) >= 2_000 && (waits[2] as number) >= 3_000 && (waits[3] as number) >= 3_000,
      waits.join(),
    );
    assert.ok(bodies.length === 1 && bodies[0]?.includes('"force":false') === true, bodies.join());
  });

  it("a lost answer is found again", async () => {
    let isLost = false;
    const middle = await between((request, response) => {
      if (request.method !== "PATCH" || isLost) return false;
      isLost = true;
      const { hostname, port } = new URL(url);
      const on = forward({ hostname, port, path: request.url, method: "PATCH", headers: request.headers }, (answer) => {
        answer.resume().on("end", () => response.destroy());
      });
      request.pipe(on);
      return true;
    });
    const access = target(freshRepo(), null, apiAt(middle.url));
    const landing = await landingOf(await looked(access), report);
    assert.deepEqual(await access.land(landing, () => undefined), { ok: true, value: undefined });
    assert.equal((await looked(access)).state.oldCommit, landing.commit);
    assert.equal(isLost, true);
  });

  it("another id than ours stops everything before the branch", async () => {
    for (const kind of ["blobs", "trees", "commits"]) {
      const middle = await between((request, response) => {
        if (request.method !== "POST" || request.url?.endsWith(`/git/${kind}`) !== true) return false;
        drain(request);
        response.writeHead(201, { "content-type": "application/json" }).end(`{"sha":"${"ab".repeat(20)}"}`);
        return true;
      });
      const access = target("octo/r0", null, apiAt(middle.url));
      const seen = await looked(access);
      const result = await access.land(
        await landingOf(seen, { ...report, "data.bin": Uint8Array.of(0, 1, 2) }),
        () => undefined,
      );
      assert.ok(!result.ok, kind);
      assert.match(result.failure.message, new RegExp(`something else of one of the ${kind}`));
      assert.ok(!middle.asked.some(({ line }) => line.startsWith("PATCH") || line.endsWith("/git/refs")));
      assert.equal((await looked(access)).state.oldCommit, seen.state.oldCommit);
    }
  });

  it("a repository that is not there is not found", async () => {
    const result = await target("octo/nowhere").readState();
    assert.equal(result.ok ? "" : result.failure.error, "not_found");
  });
});

describe("a request to GitHub", () => {
  it("gives up in bounded time, says when to come back, and never says the token", async () => {
    const reset = Math.floor(Date.now() / 1_000) + 3_600;
    const middle = await between((request, response) => {
      drain(request);
      const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) };
      response
        .writeHead(403, headers)
        .end(JSON.stringify({ message: `limit for ${TOKEN} and Authorization: Bearer ${TOKEN}` }));
      return true;
    });
    const result = await apiAt(middle.url).request("GET", "/repos/a/b");
    assert.ok(!result.ok);
    assert.equal(result.failure.error, "tool_failed");
    assert.match(result.failure.hint ?? "", /Its limit ends in 36\d\d s/);
    assert.doesNotMatch(JSON.stringify(result), /ghp_/);
    assert.equal(middle.asked.length, 1);
    const down = await between((request, response) => {
      drain(request);
      response.writeHead(500).end();
      return true;
    });
    assert.equal((await apiAt(down.url).request("GET", "/x")).ok, false);
    assert.equal(down.asked.length, 6);
  });

  it("ends at once when the caller is gone, also in a wait", async () => {
    const middle = await between((request, response) => {
      drain(request);
      response.writeHead(503, { "retry-after": "30" }).end();
      return true;
    });
    const stop = new AbortController();
    const api = createGithubApi({ baseUrl: middle.url, token: null, signal: stop.signal, send: sendRequest });
    const waiting = api.request("GET", "/x");
    setTimeout(() => stop.abort(new Error("gone")), 100);
    const answer = await waiting;
    assert.ok(!answer.ok);
    assert.match(answer.failure.message, /was cancelled by the caller/);
  });

  it("does not follow a redirect with the token", async () => {
    const asked: string[] = [];
    const other = await between((request, response) => {
      asked.push(request.headers.authorization ?? "");
      response.end("{}");
      return true;
    });
    const middle = await between((request, response) => {
      drain(request);
      response.writeHead(301, { location: `${other.url}/stolen` }).end();
      return true;
    });
    const result = await apiAt(middle.url).request("GET", "/repos/octo/old");
    assert.match(result.ok ? "" : result.failure.message, /octo\/old has another name now/);
    assert.deepEqual(asked, []);
    await fetch(`${middle.url}/repos/octo/old`);
    assert.equal(asked.length, 1, "the control: fetch itself follows");
  });

  it("says what to do about a token that is not taken", async () => {
    for (const [status, hint] of [
      [401, /gh auth login/],
      [403, /read and write/],
    ] as const) {
      const middle = await between((request, response) => {
        drain(request);
        response.writeHead(status).end('{"message":"Bad credentials"}');
        return true;
      });
      const result = await apiAt(middle.url).request("GET", "/repos/a/b");
      assert.ok(!result.ok);
      assert.match(result.failure.hint ?? "", hint);
      assert.doesNotMatch(JSON.stringify(result), /ghp_/);
    }
  });

  it("is never made where the token would be readable", () => {
    assert.throws(
      () => createGithubApi({ baseUrl: "http://api.example.com", token: TOKEN, send: sendRequest }),
      /must be https/,
    );
    assert.throws(
      () => createGithubApi({ baseUrl: "https://u:p@api.example.com", token: TOKEN, send: sendRequest }),
      /without a user/,
    );
    assert.throws(() => createGithubApi({ token: "a\nb", send: sendRequest }), /no token holds/);
  });

  it("names the place as people know it", () => {
    const repo = { owner: "o", name: "n", text: "o/n" };
    assert.equal(githubAddress(repo, "https://api.github.com"), "https://github.com/o/n");
    assert.equal(githubAddress(repo, "https://git.example.com/api/v3"), "https://git.example.com/o/n");
  });
});
