// Cases that go to GitHub's API: against a server of its kind, and against one that says aloud what it was told in secret.

import { strict as assert } from "node:assert";
import { createServer } from "node:http";
import { type GithubEmulator, listenOn, startGithubEmulator } from "../fixtures/github-emulator.ts";
import { openPushBench, type PushBench } from "./push-bench.ts";
import type { World } from "./world.ts";

export const githubToken = "a-token-of-the-corpus-that-nobody-may-see";

export const githubCases: Readonly<Record<string, readonly [owner: string, name: string]>> = {
  "push-ok-push-github": ["user", "reports"],
  "push-ok-push-repo-dots": ["user-name", "repo.name_1"],
};

/** What stands in the way, or a server with the repository that the case names; the token is its owner's. */
export async function startGitHub(id: string): Promise<GithubEmulator | string> {
  const [owner, repository] = githubCases[id] as readonly [string, string];
  return await startGithubEmulator({ owner, token: githubToken, repositories: [repository] });
}

/** Asked, and named in the question; after the yes the branch has exactly the staged bytes. */
export async function checkGitHubPush(id: string, bench: PushBench, url: string, args: object): Promise<void> {
  const repo = (githubCases[id] as readonly string[]).join("/");
  await bench.write("a.md", "exactly this\n");
  const commitId = await bench.stage(["a.md"]);
  bench.person.says = () => ({ decision: "deny" });
  await bench.refused("git_push", { ...args, commitId }, "approval_denied");
  bench.person.says = () => ({});
  const { commitSha, branch, filesChanged } = await bench.done("git_push", { ...args, commitId });
  const { push } = bench.person.asked.at(-1)?.action ?? {};
  assert.ok(push?.place.endsWith(repo), push?.place);
  assert.deepEqual([push?.branch, push?.commit, filesChanged], [branch, commitSha, 1]);
  const get = async (path: string) =>
    (await (await fetch(`${url}/repos/${repo}/${path}`, { headers })).json()) as never;
  const headers = { authorization: `Bearer ${githubToken}` };
  const ref: { object: { sha: string } } = await get(`git/ref/heads/${String(branch)}`);
  assert.equal(ref.object.sha, commitSha);
  const file: { content: string } = await get(`contents/a.md?ref=${String(branch)}`);
  assert.equal(Buffer.from(file.content, "base64").toString(), "exactly this\n");
}

/** Neither the agent nor the record learns it. */
export async function checkTokenInError(world: World): Promise<void> {
  let heard = 0;
  const server = createServer((request, response) => {
    const { authorization = "" } = request.headers;
    if (authorization.includes(githubToken)) heard += 1;
    response.writeHead(403, { "content-type": "application/json", "x-said": authorization });
    response.end(
      JSON.stringify({ message: `Bad credentials: Authorization: ${authorization}`, documentation_url: authorization }),
    );
  });
  const githubUrl = `http://127.0.0.1:${await listenOn(server)}`;
  const bench = openPushBench(world, { githubUrl });
  try {
    await bench.write("a.md", "a\n");
    const commitId = await bench.stage(["a.md"]);
    const reply = await bench.refused("git_push", { commitId, target: { type: "github", repo: "user/reports" } });
    assert.ok(heard > 0, "the server never got the token: the fixture is broken");
    assert.ok(!JSON.stringify(reply).includes(githubToken), reply.message);
    assert.ok(![...bench.gate.journal.exportLines()].join("\n").includes(githubToken), "it is in the record");
    assert.ok(!bench.person.asked.some((question) => JSON.stringify(question).includes(githubToken)));
  } finally {
    bench.gate.close();
    server.closeAllConnections();
    server.close();
  }
}
