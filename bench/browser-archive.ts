// A pull of GitHub's API by archive, and one by one.

import { startGithubEmulator } from "../test/fixtures/github-emulator.ts";
import { freshToken, landFiles, readGithub } from "../test/fixtures/github-files.ts";
import { type FrontOptions, openGithubFront } from "../test/fixtures/github-front.ts";
import { ratioOf, sample } from "./measure.ts";
import { smallFiles } from "./small-files.ts";
import type { TopicReport } from "./topic.ts";

const FILES = 1_000;
const FEW = 16;
const ROUNDS = 5;

export async function measureArchive(): Promise<TopicReport> {
  const emulator = await startGithubEmulator({ owner: "octo", token: freshToken(), repositories: ["many", "few"] });
  if (typeof emulator === "string") return { tables: [], goals: [], remarks: [`no pull was measured: ${emulator}`] };
  const land = async (repository: string, count: number) =>
    await landFiles(emulator.url, repository, smallFiles(count));
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
      const found = await (await readGithub(from.url, text)).readBlobs(ids);
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
