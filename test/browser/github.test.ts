// The GitHub target in a worker of Chromium, with the browser's own fetch, against `emulate` behind the page's own origin.

import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import test, { type TestContext } from "node:test";
import { createGithubApi } from "../../src/git/target/github/github-api.ts";
import { githubTarget } from "../../src/git/target/github/github.ts";
import { parseGithubRepo } from "../../src/git/target/url.ts";
import { sendRequest } from "../../src/process/network.ts";
import { landingOf } from "../fixtures/git-landing.ts";
import { startGithubEmulator } from "../fixtures/github-emulator.ts";
import { type FrontOptions, type GithubFront, openGithubFront } from "../fixtures/github-front.ts";
import { hashes } from "../git/publish/real-git.ts";
import { newPage, noBrowser } from "../ui/fixture.ts";
import { bundleForBrowser } from "./bundle.ts";
import { type ArchiveUse, type GithubUse, useArchive, useGithub } from "./use-github.ts";

const token = "a-token-of-nobody";

function servePage({ url }: IncomingMessage, response: ServerResponse): boolean {
  if (url !== "/" && url !== "/favicon.ico") return false;
  response.setHeader("content-type", "text/html").end("<!doctype html><title>A page</title>");
  return true;
}

async function openFront(t: TestContext, options: FrontOptions = {}): Promise<GithubFront | null> {
  const emulator = await startGithubEmulator({ owner: "octo", token, repositories: ["r0"] });
  if (typeof emulator === "string") {
    t.skip(emulator);
    return null;
  }
  t.after(() => emulator.close());
  const front = await openGithubFront(emulator.url, { play: servePage, ...options });
  t.after(() => front.close());
  return front;
}

/** Runs a function with the library in a worker of a page of that server. */
async function inWorker<Used>(t: TestContext, url: string, use: (library: never, url: string) => Promise<Used>) {
  const { code } = await bundleForBrowser();
  const page = await newPage(t);
  await page.goto(`${url}/`);
  const run = `(${use.toString()})(sallyport, ${JSON.stringify(url)}).then((used) => postMessage({ used }), (error) => postMessage({ error: String(error?.stack ?? error) }));`;
  const { used, error } = await page.evaluate(
    (source) =>
      new Promise<{ used?: unknown; error?: string }>((resolve) => {
        const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
        worker.addEventListener("message", ({ data }) => resolve(data as { used?: unknown }));
        worker.addEventListener("error", ({ message }) => resolve({ error: message }));
      }),
    `${code}\n${run}`,
  );
  assert.equal(error, undefined);
  return used as Used;
}

test("a page looks at a repository of GitHub and lands a commit there", { skip: noBrowser }, async (t) => {
  const front = await openFront(t);
  if (front === null) return;
  const used: GithubUse = await inWorker(t, front.url, useGithub);
  assert.equal(used.landed, '{"ok":true}');
  assert.notEqual(used.before, used.commit);
  assert.equal(used.after, used.commit);
  assert.equal(used.content, "0,1,2,255");
});

test(
  "a worker of a page reads many files by archive, from another origin and without the token",
  { skip: noBrowser },
  async (t) => {
    const count = 60;
    const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*, authorization" };
    let isClosed = false;
    const front = await openFront(t, {
      headers: cors,
      playArchive({ method }, response) {
        if (!isClosed && method !== "OPTIONS") return false;
        if (isClosed) response.removeHeader("access-control-allow-origin");
        response.end();
        return true;
      },
    });
    if (front === null) return;
    const repo = parseGithubRepo("octo/r0");
    assert.ok(repo.ok);
    const api = createGithubApi({ baseUrl: front.url, token, send: sendRequest });
    const access = githubTarget({ repo: repo.value, branch: null, api, hash: hashes.sha1 });
    const seen = await access.readState();
    assert.ok(seen.ok);
    const files = Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, `file ${index}\n`]));
    assert.ok((await access.land(await landingOf(seen.value, files), () => undefined)).ok);
    const used: ArchiveUse = await inWorker(t, front.url, useArchive);
    assert.equal(used.files, count + 1);
    // A browser hides where the redirect leads, so it is followed in a second request.
    const [listing, ...rest] = used.requests.map((line) => line.replace(/\w{40}$/, "ID"));
    assert.equal(listing, "manual /repos/octo/r0/git/trees/ID");
    assert.deepEqual(rest, ["manual /repos/octo/r0/tarball/ID", "follow /repos/octo/r0/tarball/ID"]);
    assert.deepEqual([...new Set(front.archivesAsked.map(({ authorization }) => authorization))], [undefined]);
    const asked = front.asked.filter(({ line }) => line.includes("/tarball/"));
    assert.deepEqual([...new Set(asked.map(({ authorization }) => authorization))], [`Bearer ${token}`]);
    // An ordinary page may not read GitHub's archives.
    isClosed = true;
    const alone: ArchiveUse = await inWorker(t, front.url, useArchive);
    assert.equal(alone.files, count + 1);
    assert.equal(alone.requests.filter((line) => line.includes("/git/blobs/")).length, count + 1);
  },
);
