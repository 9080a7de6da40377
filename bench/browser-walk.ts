// What the walk costs a call in a browser that only writes a file: parsed, judged, granted and recorded, besides the write itself.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { listenOn } from "../test/fixtures/github-emulator.ts";
import { askWorker, bundleWorker, openBenchPage } from "./browser-page.ts";
import { sample } from "./measure.ts";
import type { TopicReport } from "./topic.ts";
import type { WalkTask } from "./walk-worker.ts";

const CALLS = 50;
const ROUNDS = 10;
const wasm = join(import.meta.dirname, "../node_modules/@sqlite.org/sqlite-wasm/dist/sqlite3.wasm");

export async function measureWalk(): Promise<TopicReport> {
  const script = await bundleWorker("walk-worker.ts");
  const server = createServer(({ url }, response) => {
    if (url === "/walk.js") response.setHeader("content-type", "text/javascript").end(script);
    else if (url === "/sqlite3.wasm")
      void readFile(wasm).then((bytes) => response.setHeader("content-type", "application/wasm").end(bytes));
    else response.setHeader("content-type", "text/html").end("<!doctype html><title>A page</title>");
  });
  const opened = await openBenchPage(`http://127.0.0.1:${await listenOn(server)}`);
  try {
    if (typeof opened === "string") return { tables: [], goals: [], remarks: [`no walk was measured: ${opened}`] };
    const { page } = opened;
    const write = (name: string, kind: WalkTask["kind"]) => ({
      name,
      run: () => askWorker<number>(page, "/walk.js", { kind, calls: CALLS } satisfies WalkTask),
    });
    const pack = write("a write in the pack", "pack");
    const gate = write("write_file by the gate", "gate");
    const rows = await sample([pack, gate], { rounds: ROUNDS, warmUpRounds: 2 });
    const medianOf = (name: string) => rows.find((row) => row.name === name)?.medianMs ?? Number.NaN;
    return {
      tables: [{ title: "a call in a browser that writes a file of 2 KB", base: pack.name, rows }],
      goals: [
        {
          what: "the walk's own part of write_file in a browser",
          measured: (medianOf(gate.name) - medianOf(pack.name)) / 1_000,
          bound: 0.01,
          direction: "at most",
          unit: "s",
        },
      ],
      remarks: [`each run makes ${CALLS} calls, one after another; a time is that of one`],
    };
  } finally {
    if (typeof opened !== "string") await opened.close();
    server.close().closeAllConnections();
  }
}
