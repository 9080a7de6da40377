// A pull from GitHub by archive: the same files as one by one, in a few requests, whatever the archive says.

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { archiveProgress } from "../../../../src/git/target/github/github-objects.ts";
import { isArchiveAddress } from "../../../../src/git/target/github/github-archive.ts";
import { createGithubApi } from "../../../../src/git/target/github/github-api.ts";
import { githubTarget } from "../../../../src/git/target/github/github.ts";
import { entryKind } from "../../../../src/git/publish/tree-entry.ts";
import type { Progress, TargetAccess, TargetReading } from "../../../../src/git/target/target.ts";
import { parseGithubRepo } from "../../../../src/git/target/url.ts";
import { sendRequest } from "../../../../src/process/network.ts";
import fc from "../../../fixtures/fast-check.ts";
import { type Files, landingOf } from "../../../fixtures/git-landing.ts";
import { startGithubEmulator } from "../../../fixtures/github-emulator.ts";
import { type FrontOptions, type GithubFront, openGithubFront } from "../../../fixtures/github-front.ts";
import { runs } from "../../../fixtures/runs.ts";
import { tarEntry, tarOf } from "../../../fixtures/tar.ts";
import { hashes } from "../../publish/real-git.ts";

const TOKEN = "ghp_aSecretThatNobodyMaySee0123456789abcd";
const repositories = Array.from({ length: 40 + runs(200, 15) }, (_, index) => `r${index}`);
const emulator = await startGithubEmulator({ owner: "octo", token: TOKEN, repositories });
const skip = typeof emulator === "string" ? emulator : false;
const url = typeof emulator === "string" ? "http://localhost" : emulator.url;
after(() => (typeof emulator === "string" ? undefined : emulator.close()));

let used = 0;
const freshRepo = (): string => `octo/r${used++}`;

let tokens = 0;
/** The server takes any token, and 5,000 requests of each. */
const tokenStart = `${TOKEN}-`;

function target(text: string, baseUrl = url): TargetAccess {
  const repo = parseGithubRepo(text);
  assert.ok(repo.ok);
  const token = `${tokenStart}${(tokens += 1)}`;
  const api = createGithubApi({ baseUrl, token, send: sendRequest, sleep: async () => undefined });
  return githubTarget({ repo: repo.value, branch: null, api, hash: hashes.sha1 });
}

async function looked(access: TargetAccess): Promise<TargetReading> {
  const seen = await access.readState();
  assert.ok(seen.ok, JSON.stringify(seen));
  return seen.value;
}

interface Landed {
  readonly repo: string;
  readonly commit: string;
  readonly ids: ReadonlyMap<string, string>;
}

async function land(files: Files, modes: Readonly<Record<string, "100755" | "120000">> = {}): Promise<Landed> {
  const repo = freshRepo();
  const access = target(repo);
  const landing = await landingOf(await looked(access), files, { modes });
  assert.deepEqual(await access.land(landing, () => undefined), { ok: true, value: undefined });
  const ids = landing.changes.flatMap(({ path, after: file }) => (file === null ? [] : [[path, file.id] as const]));
  return { repo, commit: landing.commit, ids: new Map(ids) };
}

async function front(options: FrontOptions = {}): Promise<GithubFront> {
  const opened = await openGithubFront(url, options);
  after(() => opened.close());
  return opened;
}

interface Pulled {
  /** Mode and content in base64, by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly front: GithubFront;
}

/** As a pull does: the tree from above, all directories of a depth at once, then all files at once. */
async function pull(repo: string, through: GithubFront, progress?: Progress): Promise<Pulled> {
  const reading = await looked(target(repo, through.url));
  const walk = async (id: string, prefix: string): Promise<[path: string, mode: string, id: string][]> => {
    const parts = (await reading.readTree(id)).map(async ({ name, mode, id: own }) => {
      const path = `${prefix}${Buffer.from(name).toString()}`;
      return entryKind(mode) === "directory" ? await walk(own, `${path}/`) : [[path, mode, own] as const];
    });
    return (await Promise.all(parts)).flat() as [string, string, string][];
  };
  const listed = await walk(String(reading.state.baseTree), "");
  const contents = await reading.readBlobs(
    listed.map(([, , id]) => id),
    progress,
  );
  const entries = listed.map(([path, mode, id]) => {
    const bytes = contents.get(id);
    assert.ok(bytes !== undefined, path);
    return [path, `${mode} ${Buffer.from(bytes).toString("base64")}`] as const;
  });
  return { files: new Map(entries), front: through };
}

/** The same, where the server of archives has none. */
const oneByOne = async (repo: string): Promise<Pulled> =>
  pull(repo, await front({ playArchive: (_, response) => answer(response, 404) }));

function answer(response: ServerResponse, status: number, body: Buffer | string = ""): true {
  response.writeHead(status).end(body);
  return true;
}

const blobRequests = ({ asked }: GithubFront): number =>
  asked.filter(({ line }) => line.includes("/git/blobs/")).length;
const manyFiles = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`d${index % 20}/e${index % 7}/f${index}.txt`, `file ${index}\n`]),
  );

describe("a pull by archive", { skip }, () => {
  it("1,000 files in seven requests", async () => {
    const files = manyFiles(1_000);
    const { repo } = await land(files);
    const pulled = await pull(repo, await front());
    const { asked, archivesAsked } = pulled.front;
    // The repository, its branch, its commit, the root, the listing, the redirect; and the archive.
    assert.deepEqual([asked.length, archivesAsked.length], [6, 1], asked.map(({ line }) => line).join("\n"));
    assert.equal(pulled.files.size, 1_001); // and the README of the first commit
    for (const [path, content] of Object.entries(files))
      assert.equal(pulled.files.get(path), `100644 ${Buffer.from(content).toString("base64")}`);
  });

  it("sizes are known from the trees, before any file is read", async () => {
    const { repo, ids } = await land({ ...manyFiles(30), large: "x".repeat(70_000) });
    const through = await front();
    const reading = await looked(target(repo, through.url));
    const large = ids.get("large") ?? "";
    assert.deepEqual(await reading.measureBlobs?.([large]), new Map());
    await reading.readTree(String(reading.state.baseTree));
    assert.deepEqual(await reading.measureBlobs?.([large, "0".repeat(40)]), new Map([[large, 70_000]]));
    assert.equal(blobRequests(through), 0);
  });

  it("the pull hears how many bytes have come", async () => {
    const files = manyFiles(600); // each is a kilobyte in an archive, with its header
    const { repo } = await land(files);
    const heard: Parameters<Progress>[] = [];
    await pull(repo, await front(), (...said) => void heard.push(said));
    assert.ok(heard.length > 0);
    for (const [index, [bytes, total, what]] of heard.entries()) {
      assert.deepEqual([total, what], [null, archiveProgress]);
      assert.ok(bytes > (heard[index - 1]?.[0] ?? 0));
    }
  });

  it("without an archive, each file is a request", async () => {
    const { repo } = await land(manyFiles(100));
    const single = await oneByOne(repo);
    assert.equal(blobRequests(single.front), 101);
    assert.deepEqual((await pull(repo, await front())).files, single.files);
  });

  it("the token goes to the API alone", async () => {
    const { repo } = await land(manyFiles(30));
    const { front: seen } = await pull(repo, await front());
    assert.ok(seen.asked.every(({ authorization }) => authorization?.startsWith(`Bearer ${tokenStart}`) === true));
    assert.deepEqual(
      seen.archivesAsked.map(({ authorization }) => authorization),
      [undefined],
    );
    const { Authorization: control } = { Authorization: `Bearer ${TOKEN}` };
    await fetch(`${seen.archivesUrl}/x`, { headers: { Authorization: control } });
    assert.equal(seen.archivesAsked.at(-1)?.authorization, control, "the control: the server would see it");
  });

  it("a redirect to another host is not followed", async () => {
    const { repo } = await land(manyFiles(30));
    const stranger = await front();
    const foreign = stranger.url.replace("127.0.0.1", "localhost");
    for (const location of [
      `${foreign}/archive`,
      "file:///etc/passwd",
      "/repos",
      `http://u:p@127.0.0.1/x`,
      "no address",
    ]) {
      const through = await front({
        play({ url: path = "" }, response) {
          if (!path.includes("/tarball/")) return false;
          response.writeHead(302, { location }).end();
          return true;
        },
      });
      assert.equal((await pull(repo, through)).files.size, 31, location);
      assert.equal(blobRequests(through), 31, location);
    }
    assert.deepEqual(stranger.asked, []);
    assert.equal((await fetch(`${foreign}/archive`)).status, 404);
    assert.equal(stranger.asked.length, 1, "the control: it could be reached");
  });

  it("few files, and few of a large repository, are asked for one by one", async () => {
    const few = await land(manyFiles(10));
    const { front: seen } = await pull(few.repo, await front());
    assert.deepEqual([blobRequests(seen), seen.archivesAsked.length], [11, 0]);
    const large = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`l${index}`, "x".repeat(1 << 20) + index]),
    );
    const { repo, ids } = await land({ ...manyFiles(40), ...large });
    const through = await front();
    const reading = await looked(target(repo, through.url));
    const small = [...ids].flatMap(([path, id]) => (path.startsWith("d") ? [id] : [])).slice(0, 20);
    assert.equal((await reading.readBlobs(small)).size, 20);
    assert.deepEqual([blobRequests(through), through.archivesAsked.length], [20, 0]);
  });

  it("what attributes leave out or change, links, rights and odd names are as in the tree", async () => {
    const files: Files = {
      ...manyFiles(30),
      ".gitattributes": "secret.txt export-ignore\nversion.txt export-subst\n*.bat text eol=crlf\n",
      "secret.txt": "not in archives\n",
      "version.txt": "$Format:%H$\n",
      "run.bat": "echo\n",
      "bin/run": "#!/bin/sh\n",
      "bin/link": "../d0/e0/f0.txt",
      "bin/long-link": `../${"long/".repeat(40)}end`,
      "empty.txt": "",
      'données/日本 "a" b.md': "é\n",
      [`${"n".repeat(150)}/${"m".repeat(200)}.txt`]: "long\n",
    };
    const modes = { "bin/run": "100755", "bin/link": "120000", "bin/long-link": "120000" } as const;
    const { repo } = await land(files, modes);
    const through = await front();
    const { files: pulled } = await pull(repo, through);
    assert.deepEqual(pulled, (await oneByOne(repo)).files);
    for (const [path, content] of Object.entries(files))
      assert.equal(
        pulled.get(path),
        `${modes[path as keyof typeof modes] ?? "100644"} ${Buffer.from(content ?? "").toString("base64")}`,
        path,
      );
    assert.equal(blobRequests(through), 3, "only what the archive does not have as it is");
  });

  it("an archive with other bytes, names, links, and sizes changes nothing", async () => {
    const files = manyFiles(30);
    const { repo } = await land(files);
    const whole = Object.entries(files).map(([path, content]) => tarEntry({ name: `p/${path}`, content }));
    const huge = (size: number) => tarEntry({ name: "p/huge", content: "x", size });
    const archives: Record<string, Buffer> = {
      nothing: Buffer.alloc(0),
      "no gzip": Buffer.from("<html>later</html>"),
      "no tar": gzipSync("<html>later</html>".repeat(100)),
      cut: gzipSync(tarOf(whole)).subarray(0, 400),
      "other bytes": gzipSync(
        tarOf(Object.keys(files).map((path) => tarEntry({ name: `p/${path}`, content: "evil\n" }))),
      ),
      "names that lead out": gzipSync(
        tarOf(
          Object.values(files).map((content, index) =>
            tarEntry({ name: index % 2 === 0 ? `../../../tmp/evil${index}` : `/tmp/evil${index}`, content }),
          ),
        ),
      ),
      twice: gzipSync(
        tarOf([...whole.map(() => tarEntry({ name: "p/d0/e0/f0.txt", content: "evil 1\n" })), ...whole, ...whole]),
      ),
      "links for files": gzipSync(
        tarOf(Object.keys(files).map((path) => tarEntry({ name: `p/${path}`, kind: "2", link: "/etc/passwd" }))),
      ),
      "hard links": gzipSync(
        tarOf(Object.keys(files).map((path) => tarEntry({ name: `p/${path}`, kind: "1", link: "/etc/passwd" }))),
      ),
      "a huge size": gzipSync(tarOf([huge(0o77777777777), ...whole])),
      "a size below zero": gzipSync(
        tarOf([
          tarEntry({ name: "p/a", content: "", sizeField: Buffer.from("ffffffffffffffffffffffff", "hex") }),
          ...whole,
        ]),
      ),
      "a size that is none": gzipSync(
        tarOf([tarEntry({ name: "p/a", content: "", sizeField: Buffer.from("12x4567890a\0") }), ...whole]),
      ),
      "a huge pax header": gzipSync(
        tarOf([tarEntry({ name: "x", kind: "x", content: "a".repeat(1 << 20) }), ...whole]),
      ),
      "a pax header that is none": gzipSync(
        tarOf([tarEntry({ name: "x", kind: "x", content: "99999 size=1\n" }), ...whole]),
      ),
      "a pax size": gzipSync(
        tarOf([tarEntry({ name: "x", kind: "x", content: "26 size=9007199254740993\n\n" }), ...whole]),
      ),
      "a bomb": gzipSync(
        Buffer.concat([tarEntry({ name: "p/zeros", content: "", size: 1 << 28 }), Buffer.alloc(1 << 28)]),
      ),
    };
    const right = (await oneByOne(repo)).files;
    for (const [what, bytes] of Object.entries(archives)) {
      const through = await front({ playArchive: (_, response) => answer(response, 200, bytes) });
      assert.deepEqual((await pull(repo, through)).files, right, what);
      assert.equal(through.archivesAsked.length, 1, what);
      const isRightContent = what === "twice" || what === "names that lead out";
      const isPart = what === "cut";
      // The README is in none.
      if (isPart) assert.ok(blobRequests(through) > 1 && blobRequests(through) <= 31, String(blobRequests(through)));
      else assert.equal(blobRequests(through), isRightContent ? 1 : 31, what);
    }
    const good = await front({ playArchive: (_, response) => answer(response, 200, gzipSync(tarOf(whole))) });
    await pull(repo, good);
    assert.equal(blobRequests(good), 1, "the control: an archive made in the same way is used");
  });

  it("GNU's long names and links are read, too", async () => {
    const link = `../${"long/".repeat(40)}end`;
    const files = { ...manyFiles(30), "a-link": link };
    const { repo } = await land(files, { "a-link": "120000" });
    const gnu = [
      tarEntry({ name: "././@LongLink", kind: "L", content: `p/${"n".repeat(150)}\0` }),
      tarEntry({ name: "././@LongLink", kind: "K", content: `${link}\0` }),
      tarEntry({ name: "p/a-link", kind: "2", link: link.slice(0, 100) }),
      ...Object.entries(manyFiles(30)).map(([path, content]) => tarEntry({ name: `p/${path}`, content })),
    ];
    const through = await front({ playArchive: (_, response) => answer(response, 200, gzipSync(tarOf(gnu))) });
    assert.deepEqual((await pull(repo, through)).files, (await oneByOne(repo)).files);
    assert.equal(blobRequests(through), 1);
  });

  it("a bomb is left as soon as it has more than its tree says", async () => {
    const { repo } = await land(manyFiles(30));
    let sent = 0;
    const block = gzipSync(Buffer.alloc(1 << 24), { level: 9 });
    const through = await front({
      playArchive(_, response) {
        // A header, then zeros without end: members of gzip one after another.
        response.writeHead(200).write(gzipSync(tarEntry({ name: "p/zeros", content: "", size: 0o77777777777 })));
        const more = (): void => {
          if (response.destroyed) return;
          sent += 1;
          if (sent < 2_000) response.write(block, () => setImmediate(more));
          else response.end();
        };
        more();
        return true;
      },
    });
    assert.equal((await pull(repo, through)).files.size, 31);
    assert.equal(blobRequests(through), 31);
    assert.ok(sent < 2_000, `${sent} times 16 MiB were sent`);
  });

  it("a listing that is cut short, or lies, changes nothing", async () => {
    const { repo } = await land(manyFiles(60));
    const right = (await oneByOne(repo)).files;
    type Entry = Record<string, unknown>;
    const lies: Record<string, (body: { tree: Entry[]; truncated: boolean }) => unknown> = {
      "cut short": ({ tree }) => ({ tree: tree.slice(0, 40), truncated: true }),
      "cut short without saying so": ({ tree }) => ({ tree: tree.slice(0, 40), truncated: false }),
      "other ids": ({ tree }) => ({ tree: tree.map((entry) => ({ ...entry, sha: "ab".repeat(20) })) }),
      "other sizes": ({ tree }) => ({ tree: tree.map((entry) => ({ ...entry, size: 3 })) }),
      "no sizes": ({ tree }) => ({ tree: tree.map((entry) => ({ ...entry, size: null })) }),
      nothing: () => ({}),
    };
    for (const [what, lie] of Object.entries(lies)) {
      const plain = await front();
      const through = await front({
        play({ url: path = "" }, response) {
          if (!path.includes("?recursive=1")) return false;
          void fetch(`${plain.url}${path}`).then(async (all) => {
            answer(response, 200, JSON.stringify(lie((await all.json()) as never)));
          });
          return true;
        },
      });
      assert.deepEqual((await pull(repo, through)).files, right, what);
    }
  });

  it("a limit is waited out, and a refusal is the one of the single requests", async () => {
    const { repo } = await land(manyFiles(30));
    let left = 2;
    const limited = await front({
      play({ url: path = "" }, response) {
        if (!path.includes("/tarball/") || left-- <= 0) return false;
        response.writeHead(429, { "retry-after": "1" }).end("{}");
        return true;
      },
    });
    await pull(repo, limited);
    assert.deepEqual([blobRequests(limited), limited.archivesAsked.length], [0, 1]);
    const reset = String(Math.floor(Date.now() / 1_000) + 3_600);
    const closed = await front({
      play({ url: path = "" }, response) {
        if (!/\/tarball\/|\/git\/blobs\//.test(path)) return false;
        response.writeHead(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset }).end("{}");
        return true;
      },
    });
    await assert.rejects(pull(repo, closed), /cannot be reached: it answered 403/);
  });

  it("random trees are the same by archive and one by one", async () => {
    const name = fc.constantFrom("a", "b", "c.txt", "é", "x y", "n".repeat(120), ".gitattributes", "日本");
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 2_000 }),
      fc
        .constantFrom("", "* export-ignore\n", "*.txt export-subst\n", "* text eol=crlf\n", "$Format:%an$\n", "line\n")
        .map((text) => new TextEncoder().encode(text)),
    );
    const file = fc.record({ path, content, mode: fc.constantFrom("100644", "100755", "120000") });
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 16, maxLength: 40 }), async (list) => {
        const files: Record<string, Uint8Array> = {};
        const modes: Record<string, "100755" | "120000"> = {};
        const isFree = (one: string) =>
          !Object.keys(files).some(
            (other) => other === one || other.startsWith(`${one}/`) || one.startsWith(`${other}/`),
          );
        for (const [index, { path: one, content: bytes, mode }] of list.entries()) {
          const own = isFree(one) ? one : `more/${index}`;
          // A link to nothing is no link.
          files[own] = mode === "120000" && (bytes.length === 0 || bytes.includes(0)) ? Uint8Array.of(0x61) : bytes;
          if (mode !== "100644" && !own.endsWith(".gitattributes")) modes[own] = mode as "100755" | "120000";
        }
        const { repo } = await land(files, modes);
        assert.deepEqual((await pull(repo, await front())).files, (await oneByOne(repo)).files);
      }),
      { numRuns: runs(200, 15) },
    );
  });
});

describe("where an archive may come from", () => {
  const github = "https://api.github.com";
  const cases: [address: string, base: string, may: boolean][] = [
    ["https://codeload.github.com/o/r/legacy.tar.gz/abc?token=x", github, true],
    ["https://api.github.com/o/r", github, true],
    ["http://codeload.github.com/o/r", github, false],
    ["https://codeload.github.com:444/o/r", github, false],
    ["https://codeload.github.com.example.com/o/r", github, false],
    ["https://u@codeload.github.com/o/r", github, false],
    ["https://github.com/o/r", github, false],
    ["https://codeload.ghe.example.com/o/r", "https://ghe.example.com/api/v3", true],
    ["https://ghe.example.com/_codeload/o/r", "https://ghe.example.com/api/v3", true],
    ["https://codeload.acme.ghe.com/o/r", "https://api.acme.ghe.com", true],
    ["https://codeload.github.com/o/r", "https://api.acme.ghe.com", false],
    ["", github, false],
  ];
  for (const [address, base, may] of cases)
    it(`${may ? "from" : "not from"} ${address === "" ? "nowhere" : address} for ${base}`, () => {
      assert.equal(isArchiveAddress(address, base), may);
    });
});
