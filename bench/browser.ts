// What the library does in a browser, and against GitHub's API: a pull by archive, and a workspace stored in one file.

import { objectHash } from "../src/git/object-hash.ts";
import { createGithubApi } from "../src/git/target/github/github-api.ts";
import { githubTarget } from "../src/git/target/github/github.ts";
import { parseGithubRepo } from "../src/git/target/url.ts";
import { sendRequest } from "../src/process/network.ts";
import { nodeHashes } from "../src/process/node-hashes.ts";
import { landingOf } from "../test/fixtures/git-landing.ts";
import { startGithubEmulator } from "../test/fixtures/github-emulator.ts";
import { type FrontOptions, openGithubFront } from "../test/fixtures/github-front.ts";
import { ratioOf, sample } from "./measure.ts";
import { openStorage } from "./opfs.ts";
import type { TopicReport } from "./topic.ts";

const FILES = 1_000;
const FEW = 16;
const ROUNDS = 5;
let tokens = 0;
/** The server takes 5,000 requests of each. */
const freshToken = (): string => `a-token-of-nobody-${(tokens += 1)}`;

export const browserTopic = { name: "browser", measure };

async function measure(): Promise<TopicReport> {
  const reports = [await measurePull(), await measureStorage()];
  return {
    tables: reports.flatMap(({ tables }) => tables),
    goals: reports.flatMap(({ goals }) => goals),
    remarks: reports.flatMap(({ remarks }) => remarks),
  };
}

async function measurePull(): Promise<TopicReport> {
  const emulator = await startGithubEmulator({ owner: "octo", token: freshToken(), repositories: ["many", "few"] });
  if (typeof emulator === "string") return { tables: [], goals: [], remarks: [`no pull was measured: ${emulator}`] };
  const targetOf = (url: string, text: string) => {
    const repo = parseGithubRepo(text);
    if (!repo.ok) throw new Error(repo.failure.message);
    const api = createGithubApi({ baseUrl: url, token: freshToken(), send: sendRequest });
    return githubTarget({ repo: repo.value, branch: null, api, hash: objectHash("sha1", nodeHashes) });
  };
  const look = async (url: string, text: string) => {
    const seen = await targetOf(url, text).readState();
    if (!seen.ok) throw new Error(seen.failure.message);
    return seen.value;
  };
  const land = async (text: string, count: number): Promise<string[]> => {
    const entries = Array.from({ length: count }, (_, index) => [
      `d${index % 20}/f${index}.ts`,
      `${index} `.repeat(500),
    ]);
    const landing = await landingOf(
      await look(emulator.url, text),
      Object.fromEntries(entries) as Record<string, string>,
    );
    const landed = await targetOf(emulator.url, text).land(landing, () => undefined);
    if (!landed.ok) throw new Error(landed.failure.message);
    return landing.changes.flatMap(({ after }) => after?.id ?? []);
  };
  const many = await land("octo/many", FILES);
  const few = await land("octo/few", FEW);
  const open = (options?: FrontOptions) => openGithubFront(emulator.url, options);
  const none: FrontOptions = {
    playArchive(_, response) {
      response.writeHead(404).end();
      return true;
    },
  };
  const [front, without] = [await open(), await open(none)];
  let requests = 0;
  const pull = (name: string, from: typeof front, text: string, ids: readonly string[]) => ({
    name,
    async run() {
      const before = from.asked.length + from.archivesAsked.length;
      const found = await (await look(from.url, text)).readBlobs(ids);
      if (found.size !== ids.length) throw new Error("not every file came");
      requests = from.asked.length + from.archivesAsked.length - before;
    },
  });
  const counted = async (candidate: ReturnType<typeof pull>): Promise<number> => {
    await candidate.run(); // the server makes the archive once, as GitHub does
    return requests;
  };
  const byArchive = pull("by archive", front, "octo/many", many);
  const single = pull("one by one", without, "octo/many", many);
  const fewByArchive = pull(`${FEW} files, by archive`, front, "octo/few", few);
  const fewSingle = pull(`${FEW - 1} files, one by one`, front, "octo/few", few.slice(1));
  const counts = [
    await counted(byArchive),
    await counted(single),
    await counted(fewByArchive),
    await counted(fewSingle),
  ];
  const rows = await sample([byArchive, single], { rounds: ROUNDS, warmUpRounds: 0 });
  const fewRows = await sample([fewByArchive, fewSingle], { rounds: 20, warmUpRounds: 2 });
  front.close();
  without.close();
  await emulator.close();
  return {
    tables: [
      { title: `${FILES} files read from GitHub's API`, base: byArchive.name, rows },
      { title: "as few as come by archive", base: fewByArchive.name, rows: fewRows },
    ],
    goals: [
      {
        what: `${FILES} files one by one, of by archive`,
        measured: ratioOf(rows, single.name, byArchive.name),
        bound: 5,
        direction: "at least",
        unit: "×",
      },
    ],
    remarks: [
      `requests: ${FILES} files ${counts[0]} by archive and ${counts[1]} one by one; ${FEW} files ${counts[2]}, and ${FEW - 1} files ${counts[3]}`,
      "against a server on this machine: over a network, one by one is slower still",
    ],
  };
}

async function measureStorage(): Promise<TopicReport> {
  const storage = await openStorage(FILES);
  if (typeof storage === "string") return { tables: [], goals: [], remarks: [`no storage was measured: ${storage}`] };
  const pack = { name: "one pack", run: () => storage.write("pack") };
  const each = { name: "a change a file, in a pack", run: () => storage.write("changes") };
  const tree = { name: "a file per file", run: () => storage.write("tree") };
  const rows = await sample([pack, each, tree], { rounds: ROUNDS, warmUpRounds: 1 });
  await storage.close();
  return {
    tables: [
      { title: `${FILES} files of 2 KB written into the private file system of Chromium`, base: pack.name, rows },
    ],
    goals: [
      {
        what: `${FILES} files written a file per file, of in a pack`,
        measured: ratioOf(rows, tree.name, pack.name),
        bound: 20,
        direction: "at least",
        unit: "×",
      },
    ],
    remarks: ["the pack is flushed once for each change, the files of the tree are never"],
  };
}
