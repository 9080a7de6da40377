// A repository that git's own program serves over HTTP, with the tree of one at the emulator of GitHub.
// Each answer is made once and then ready, as GitHub's archives are.

import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { git } from "../test/fixtures/git.ts";
import { serveHttp } from "../test/fixtures/git-servers.ts";
import { readGithub } from "../test/fixtures/github-files.ts";

export interface ReadyRepository {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

export interface ReadyOptions {
  readonly emulatorUrl: string;
  /** Such as `octo/many`. */
  readonly repository: string;
  /** What is there besides the first commit's README. */
  readonly files: Readonly<Record<string, string>>;
}

export async function serveReady(root: string, options: ReadyOptions): Promise<ReadyRepository> {
  await layRepository(root, options);
  const server = await serveHttp(root, null);
  const made = new Map<string, { readonly type: string; readonly body: Buffer }>();
  return {
    async answer(request, response) {
      const { method = "GET", url = "", headers } = request;
      const sent = await buffer(request);
      const key = `${method} ${url} ${sent.toString("latin1")}`;
      let ready = made.get(key);
      if (ready === undefined) {
        const body = method === "POST" ? { body: new Uint8Array(sent) } : {};
        const type = { "content-type": headers["content-type"] ?? "" };
        const answer = await fetch(`${server.url}${url}`, { method, headers: type, ...body });
        if (!answer.ok) throw new Error(`git answers ${answer.status} to ${method} ${url}`);
        const whole = Buffer.from(await answer.arrayBuffer());
        made.set(key, (ready = { type: answer.headers.get("content-type") ?? "", body: whole }));
      }
      response.setHeader("content-type", ready.type).setHeader("cache-control", "no-store").end(ready.body);
    },
    close: () => server.close(),
  };
}

async function layRepository(root: string, { emulatorUrl, repository, files }: ReadyOptions): Promise<void> {
  const reading = await readGithub(emulatorUrl, repository);
  const tree = reading.state.baseTree ?? "";
  const readme = (await reading.readTree(tree)).find(({ name }) => Buffer.from(name).toString() === "README.md");
  const first = readme === undefined ? undefined : (await reading.readBlobs([readme.id])).get(readme.id);
  const all = { "README.md": new TextDecoder().decode(first), ...files };
  const lines = Object.entries(all).map(
    ([path, content]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`,
  );
  const head = "commit refs/heads/main\ncommitter Ana <ana@example.com> 1767225600 +0000\ndata 0\n";
  const directory = `${root}/${repository}.git`;
  git(root, ["init", "-q", "--bare", "-b", "main", directory]);
  git(directory, ["fast-import", "--quiet"], { input: `${head}${lines.join("")}\n` });
  if (git(directory, ["rev-parse", "main^{tree}"]).trim() !== tree) throw new Error("git has another tree");
}
