// A search takes as long as the record is; everyone else is answered meanwhile, and who is gone is not searched for.

import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import test, { type TestContext } from "node:test";
import type { SharedStore } from "../../src/approval/shared-store.ts";
import { LocalStore } from "../../src/runtime/local-store.ts";
import { createRecordReader } from "../../src/store/record-reader.ts";
import type { Journal } from "../../src/audit/journal.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { type OnPort, onPort, openPage, type TestPage } from "../fixtures/page.ts";
import { until } from "../fixtures/run.ts";

interface Served {
  readonly server: OnPort;
  readonly headers: Readonly<Record<string, string>>;
  /** Resolved when the server has begun to search. */
  readonly begun: Promise<void>;
}

type Search = Journal["search"];

/** The page's server on a real port, where `searchWith` says how the record is searched. */
async function serve(t: TestContext, searchWith: (journal: Journal) => Search): Promise<Served> {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const gate = openGate(directories);
  t.after(() => gate.close());
  for (let index = 0; index < 300; index += 1) gate.journal.append({ event: "policy.changed" });
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const search = searchWith(gate.journal);
  const journal: Journal = {
    ...gate.journal,
    search(filter, signal) {
      resolve();
      return search(filter, signal);
    },
  };
  const local = new LocalStore(gate.config);
  t.after(() => local.close());
  const { queue, rules } = local;
  const store: SharedStore = { queue, rules, record: createRecordReader(journal), close: () => local.close() };
  let page: TestPage | undefined;
  const server = await onPort(t, (port) => (page = openPage(t, gate, { port, store })));
  const entered = await server.raw(
    "POST",
    "/api/enter",
    { origin: `http://127.0.0.1:${server.port}`, "content-type": "application/json" },
    JSON.stringify({ token: page?.newLink() }),
  );
  const { page: token } = JSON.parse(entered.body) as { page: string };
  return { server, headers: { authorization: `Bearer ${token}` }, begun };
}

const nothing = "/api/log?text=nowhere";
const ROUNDS = 300;

/** Searches the record again and again, until somebody else was answered: as long as the longest record. */
async function whoIsFirst(t: TestContext, searchOnce: (journal: Journal) => Search): Promise<string[]> {
  const answered: string[] = [];
  const { server, headers, begun } = await serve(t, (journal) => {
    const once = searchOnce(journal);
    return async function* again(filter, signal) {
      for (let round = 0; round < ROUNDS && answered.length === 0; round += 1) yield* once(filter, signal);
    };
  });
  const ask = async (path: string) => {
    const { status } = await server.raw("GET", path, headers);
    assert.equal(status, 200);
    answered.push(path);
  };
  const searched = ask(nothing);
  await begun;
  await Promise.all([searched, ask("/api/machine")]);
  return answered;
}

const inSlices =
  (journal: Journal): Search =>
  (filter, signal) =>
    journal.search(filter, signal);
const atOneGo = (journal: Journal): Search =>
  async function* list(filter) {
    yield* journal.list(filter);
  };

test("another request is answered while the record is searched", async (t) => {
  assert.deepEqual(await whoIsFirst(t, inSlices), ["/api/machine", nothing]);
});

test("control: listed at one go, it would wait for the end", async (t) => {
  assert.deepEqual(await whoIsFirst(t, atOneGo), [nothing, "/api/machine"]);
});

test("a page that is gone is not searched for; one that waits is", async (t) => {
  let ended = "";
  const { server, headers, begun } = await serve(
    t,
    (journal) =>
      async function* forever(filter, signal) {
        while (signal?.aborted === false) yield* journal.search(filter, signal);
        ended = "told";
      },
  );
  const all = { host: `127.0.0.1:${server.port}`, ...headers };
  const request = httpRequest({ host: "127.0.0.1", port: server.port, path: nothing, headers: all, agent: false });
  request.on("error", () => undefined).end();
  await begun;
  for (let asked = 0; asked < 5; asked += 1) await server.raw("GET", "/api/machine", headers);
  assert.equal(ended, "", "control: while it waits, the search goes on");
  request.destroy();
  await until("the search has ended", () => ended === "told");
});
