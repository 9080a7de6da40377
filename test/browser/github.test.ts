// The GitHub target in a worker of Chromium, with the browser's own fetch, against `emulate` behind the page's own origin.

import assert from "node:assert/strict";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import test from "node:test";
import { newPage, noBrowser } from "../ui/fixture.ts";
import { bundleForBrowser } from "./bundle.ts";
import { type GithubUse, useGithub } from "./use-github.ts";

type Emulate = { createEmulator(options: object): Promise<{ readonly url: string; close(): Promise<void> }> };

// Not written out: where it is not installed, the types are not there either.
const name: string = "emulate";
const emulate = (await import(name).catch(() => null)) as Emulate | null;

async function listenOn(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

test(
  "a page looks at a repository of GitHub and lands a commit there",
  { skip: emulate === null ? "emulate is not installed" : noBrowser },
  async (t) => {
    const probe = createServer();
    const free = await listenOn(probe);
    await new Promise((resolve) => probe.close(resolve));
    const emulator = await (emulate as Emulate).createEmulator({
      service: "github",
      port: free,
      seed: {
        tokens: { "a-token-of-nobody": { login: "octo", scopes: ["repo"] } },
        github: {
          users: [{ login: "octo", name: "Octo", email: "o@example.com" }],
          repos: [{ owner: "octo", name: "r0", auto_init: true }],
        },
      },
    });
    t.after(() => emulator.close());
    const { hostname, port } = new URL(emulator.url);
    const server = createServer((request, response) => {
      if (request.url === "/" || request.url === "/favicon.ico")
        return response.setHeader("content-type", "text/html").end("<!doctype html><title>A page</title>");
      const { method, url: path, headers } = request;
      return request.pipe(
        forward({ hostname, port, path, method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        }),
      );
    });
    const url = `http://127.0.0.1:${await listenOn(server)}`;
    t.after(() => server.close().closeAllConnections());

    const { code } = await bundleForBrowser();
    const page = await newPage(t);
    await page.goto(`${url}/`);
    const run = `useGithub(sallyport, ${JSON.stringify(url)}).then((used) => postMessage({ used }), (error) => postMessage({ error: String(error?.stack ?? error) }));`;
    const { used, error } = await page.evaluate(
      (source) =>
        new Promise<{ used?: GithubUse; error?: string }>((resolve) => {
          const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
          worker.addEventListener("message", ({ data }) => resolve(data as { used?: GithubUse }));
          worker.addEventListener("error", ({ message }) => resolve({ error: message }));
        }),
      `${code}\nconst useGithub = ${useGithub.toString()};\n${run}`,
    );
    assert.equal(error, undefined);
    assert.ok(used !== undefined);
    assert.equal(used.landed, '{"ok":true}');
    assert.notEqual(used.before, used.commit);
    assert.equal(used.after, used.commit);
    assert.equal(used.content, "0,1,2,255");
  },
);
