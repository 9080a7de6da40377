// A pull in a browser, from one server on this machine: the extension's whole gate, against isomorphic-git with LightningFS.
// The server gives each what it asks for at once: an archive, and a pack of git's own program, that were made before.

import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { startGithubEmulator } from "../test/fixtures/github-emulator.ts";
import { freshToken, landFiles } from "../test/fixtures/github-files.ts";
import { openGithubFront } from "../test/fixtures/github-front.ts";
import { enterRoom } from "./box-room.ts";
import { askWorker, bundleWorker, openBenchPage } from "./browser-page.ts";
import { install, installedVersion } from "./installed.ts";
import { type Candidate, ratioOf, sample } from "./measure.ts";
import type { PullDone, PullTask } from "./pull-worker.ts";
import { serveReady } from "./ready-repository.ts";
import { smallFiles } from "./small-files.ts";
import type { TopicReport } from "./topic.ts";

const FILES = 1_000;
const ROUNDS = 7;
const repository = "octo/many";
const wasm = join(import.meta.dirname, "../node_modules/@sqlite.org/sqlite-wasm/dist/sqlite3.wasm");

const leftOut = (why: string): TopicReport => ({
  tables: [],
  goals: [],
  remarks: [`no pull in a browser was measured: ${why}`],
});

export async function measureBrowserPull(): Promise<TopicReport> {
  const problem = install("@isomorphic-git/lightning-fs");
  if (problem !== null) return leftOut(`isomorphic-git could not be installed: ${problem}`);
  const emulator = await startGithubEmulator({ owner: "octo", token: freshToken(), repositories: ["many"] });
  if (typeof emulator === "string") return leftOut(emulator);
  const room = enterRoom();
  await landFiles(emulator.url, repository, smallFiles(FILES));
  const gits = await serveReady(room.makeDirectory("served"), {
    emulatorUrl: emulator.url,
    repository,
    files: smallFiles(FILES),
  });
  const scripts = new Map<string, () => Promise<string | Buffer>>([
    ["/", async () => "<!doctype html><title>A page</title>"],
    ["/gate.js", () => bundleWorker("pull-worker.ts")],
    ["/isomorphic-git.js", () => bundleWorker("isomorphic-worker.js")],
    ["/sqlite3.wasm", () => readFile(wasm)],
  ]);
  const front = await openGithubFront(emulator.url, {
    headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "*, authorization" },
    play(request, response) {
      const { url = "" } = request;
      if (url.startsWith(`/${repository}.git/`)) void gits.answer(request, response);
      else if (scripts.has(url)) void sendScript(url, scripts, response);
      else return false;
      return true;
    },
  });
  const opened = await openBenchPage(front.url);
  const close = async (): Promise<void> => {
    if (typeof opened !== "string") await opened.close();
    front.close();
    await gits.close();
    await emulator.close();
    room.leave();
  };
  if (typeof opened === "string") {
    await close();
    return leftOut(opened);
  }
  const asked = () => front.asked.length + front.archivesAsked.length;
  const requests = new Map<string, number>();
  let round = 0;
  const candidate = (name: string, script: string, task: () => object): Candidate => ({
    name,
    async run() {
      round += 1;
      const before = asked();
      const { ms, files } = await askWorker<PullDone>(opened.page, script, task());
      if (files !== FILES + 1) throw new Error(`${name}: ${files} files`);
      requests.set(name, asked() - before);
      return ms;
    },
  });
  const task = (session: string | null): PullTask => ({ url: front.url, repository, token: freshToken(), session });
  const ours = candidate("a pull by the gate in a browser", "/gate.js", () => task(`s-${round}`));
  const alone = candidate("the same pull without plan, question and record", "/gate.js", () => task(null));
  const theirs = candidate("isomorphic-git, LightningFS", "/isomorphic-git.js", () => {
    return { url: `${front.url}/${repository}.git`, name: `fs-${round}` };
  });
  const rows = await sample([ours, alone, theirs], { rounds: ROUNDS, warmUpRounds: 2 });
  await close();
  const [few, many] = [ours, theirs].map(({ name }) => requests.get(name));
  return {
    tables: [{ title: `a pull of ${FILES} files in Chromium`, base: ours.name, rows }],
    goals: [ours, alone].map(({ name }) => ({
      what: `${FILES} files by isomorphic-git, of ${name}`,
      measured: ratioOf(rows, theirs.name, name),
      bound: 5,
      direction: "at least",
      unit: "×",
    })),
    remarks: [
      `isomorphic-git ${installedVersion("isomorphic-git")}, LightningFS ${installedVersion("@isomorphic-git/lightning-fs")}: a clone of one commit of one branch, with files; it keeps git's objects and an index too, in IndexedDB`,
      "the gate plans, judges, asks, and has its record and what was pulled in SQLite too; its pull alone reads, checks each file's id, and stores",
      `requests: ${few} of the gate, ${many} of isomorphic-git; over a network each may wait for one way there and back`,
    ],
  };
}

async function sendScript(
  url: string,
  scripts: ReadonlyMap<string, () => Promise<string | Buffer>>,
  response: ServerResponse,
): Promise<void> {
  const type = url.endsWith(".js") ? "text/javascript" : url.endsWith(".wasm") ? "application/wasm" : "text/html";
  response.setHeader("content-type", type).end(await scripts.get(url)?.());
}
