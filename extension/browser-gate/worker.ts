// The gate's worker: opens the stores and the draft, and answers the panel. One worker at a time has them: it holds a lock.

import sqlite3InitModule from "@sqlite.org/sqlite-wasm";
import type { Hono } from "hono";
import { openBrowserStores } from "../../src/browser/browser-stores.ts";
import {
  type JournalKind,
  openSqlitePool,
  openWasmDatabase,
  type SqliteModule,
} from "../../src/browser/wasm-database.ts";
import { openAnswerService } from "../../src/runtime/answer-service.ts";
import type { Refused } from "../../src/web/api.ts";
import { boxThrough } from "../box/client.ts";
import { panelCommand } from "./draft.ts";
import { createGateApp } from "./gate-app.ts";
import { Kept, keptTable } from "./kept.ts";
import type { WorkerMessage, WorkerReport } from "./messages.ts";
import { loadKey, openPack, openReserve, ROOT } from "./opfs.ts";
import { reportWaiting } from "./report-waiting.ts";
import { Reserve } from "./reserve.ts";
import { serviceThrough } from "./service-port.ts";
import { serveRequest } from "./serve-requests.ts";
import { SignIn } from "./sign-in.ts";
import { Work } from "./work.ts";

const LOCK = "sallyport-gate";
type App = Pick<Hono, "fetch">;
const first = Promise.withResolvers<App>();
/** Called when the browser has decided whether it keeps what is stored. */
let onPersisted: () => void = () => undefined;
let app: Promise<App> = first.promise;

addEventListener("message", ({ data, ports }: MessageEvent<WorkerMessage>) => {
  const [one, two] = ports;
  if (data.kind === "open" && one !== undefined && two !== undefined) void holdLock(one, two);
  if (data.kind === "persisted") onPersisted();
  if (data.kind === "request" && one !== undefined)
    void app.then((current) => serveRequest(current, data.request, one));
});

/** SECURITY(T92): two gates on one log would each write its next entry. The lock is held until the worker ends. */
async function holdLock(box: MessagePort, service: MessagePort): Promise<void> {
  const hold = async (): Promise<void> => {
    app = open(box, service);
    first.resolve(app);
    await new Promise(() => undefined);
  };
  await navigator.locks.request(LOCK, { ifAvailable: true }, async (lock) => {
    if (lock !== null) return await hold();
    first.resolve(refusing(503, { error: "held", message: "Another window of this browser has the gate." }));
  });
  // Until the other one has ended.
  await navigator.locks.request(LOCK, hold);
}

async function open(box: MessagePort, service: MessagePort): Promise<App> {
  try {
    return await openGate(box, service);
  } catch (error) {
    const failed: WorkerReport = { kind: "cannot-open" };
    postMessage(failed);
    const message = `The gate cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
    return refusing(500, {
      error: "internal",
      message,
      hint: "Is there room on this machine for what the browser stores? Nothing of it was taken away. It is tried again by itself.",
    });
  }
}

function refusing(status: number, refused: Refused): App {
  return { fetch: () => Response.json(refused, { status }) };
}

async function openGate(box: MessagePort, servicePort: MessagePort): Promise<Hono> {
  const sqlite = (await sqlite3InitModule()) as unknown as SqliteModule;
  const pool = await openSqlitePool(sqlite, `/${ROOT}/stores`);
  let work: Work | null = null;
  const room = new Reserve(openReserve, () => work?.storageChanged());
  const database = (name: string, schema: string, journal: JournalKind) =>
    openWasmDatabase(sqlite, pool, `/${name}.sqlite`, schema, journal, () => room.noteFull());
  const stores = openBrowserStores({ open: database, auditKey: await loadKey(), command: panelCommand });
  // The person can be called as long as the browser runs, so a call may wait for them.
  await stores.store.queue.watch("serve");
  const kept = new Kept(database("kept", keptTable, "rollback"));
  const { secrets, notes } = serviceThrough(servicePort);
  const send = (url: string, options: RequestInit) => fetch(url, options);
  const signIn = new SignIn({ kept, secrets, send, changed: () => work?.changed() });
  work = new Work({ kept, secrets, signIn, notes, stores, box: boxThrough(box), send, openPack, room });
  await work.restore();
  onPersisted = () => work?.storageChanged();
  const answerService = openAnswerService({
    store: stores.store,
    journal: () => stores.journal,
    staged: stores.staged,
  });
  void reportWaiting(answerService, (ids) => postMessage({ kind: "waiting", ids } satisfies WorkerReport));
  return createGateApp({ stores, work, kept, signIn });
}
