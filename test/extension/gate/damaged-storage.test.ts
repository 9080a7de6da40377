// What is stored was cut short, taken away or evicted while the gate was closed: nothing is taken for the person's own work, and the
// panel says what is missing. And the browser is asked to keep it.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { FileList } from "../../../src/web/api-work.ts";
import { axeProblems } from "../../ui/fixture.ts";
import { until } from "../../fixtures/run.ts";
import { noExtension } from "../browser.ts";
import { runInPage } from "../in-page.ts";
import { openOwnGate, type OwnGate, readText } from "./open-gate.ts";

const lines = (number: number): string => `line ${number}\n`.repeat(1_000);

/** A draft with two changes, and the gate's worker ended. */
async function openDamaged(t: TestContext): Promise<OwnGate | null> {
  const gate = await openOwnGate(t);
  if (gate === null) return null;
  await gate.signIn();
  await gate.open();
  for (const number of [1, 2]) {
    const edit = { path: `${number}.txt`, text: lines(number), hash: null };
    assert.equal((await gate.ask("PUT", "/api/work/file", edit)).status, 200);
  }
  assert.equal((await gate.state()).storage.damage, null);
  await gate.kill();
  return gate;
}

/** Sets the size of the larger file of the pack. The browser lets go of it a moment after the worker has ended. */
async function cutPack({ panel }: OwnGate, size: string): Promise<void> {
  const cut = `(async () => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("sallyport");
    const files = await Promise.all(["draft-a.pack", "draft-b.pack"].map((name) => root.getFileHandle(name)));
    const sizes = await Promise.all(files.map(async (file) => (await file.getFile()).size));
    const at = sizes[0] > sizes[1] ? 0 : 1;
    const writable = await files[at].createWritable({ keepExistingData: true }).catch(() => null);
    if (writable === null) return false;
    const size = sizes[at];
    await writable.truncate(${size});
    await writable.close();
    return true;
  })()`;
  await until("the file is cut", () => runInPage<boolean>(panel, cut));
}

/** A browser evicts nothing that is in use, and a worker that was ended lets go of its files a moment later. */
async function letGo({ panel }: OwnGate): Promise<void> {
  const areFree = `(async () => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("sallyport");
    const files = [root, await root.getDirectoryHandle("stores").then((stores) => stores.getDirectoryHandle(".opaque"))];
    for (const directory of files)
      for await (const file of directory.values()) {
        if (file.kind !== "file") continue;
        const writable = await file.createWritable({ keepExistingData: true }).catch(() => null);
        if (writable === null) return false;
        await writable.abort();
      }
    return true;
  })()`;
  await until("the browser lets go of the files", () => runInPage<boolean>(panel, areFree));
}

async function seesNotice({ panel }: OwnGate, title: string, text: RegExp): Promise<void> {
  const notice = panel.locator(".storage-damage");
  await notice.getByText(title).waitFor();
  assert.match((await notice.innerText()).replaceAll(/\s+/g, " "), text);
  assert.deepEqual(await axeProblems(panel), []);
}

async function confirmRead(gate: OwnGate): Promise<void> {
  await gate.panel.getByRole("button", { name: "I have read it" }).click();
  await gate.panel.locator(".storage-damage").waitFor({ state: "detached" });
  await gate.kill();
  assert.equal((await gate.state()).storage.damage, null, "it is said once");
}

test(
  "a pack file that was cut short: the change before is there, and the panel says so",
  { skip: noExtension },
  async (t) => {
    const gate = await openDamaged(t);
    if (gate === null) return;
    await cutPack(gate, "size - 100");
    await gate.showWork("#/files");
    await seesNotice(
      gate,
      "The stored files end in the middle of a change.",
      /octo\/r0 \(main\) .*; \d+ bytes were left out/,
    );
    assert.equal(await readText(gate, "1.txt"), lines(1));
    assert.equal((await gate.ask("GET", "/api/work/file?path=2.txt")).status, 404);
    const { files, removed } = (await gate.ask<FileList>("GET", "/api/work/files")).body;
    assert.deepEqual(
      [files.map(({ path, change }) => `${path} ${change}`), removed],
      [["1.txt added", "README.md null"], []],
    );
    await confirmRead(gate);
    assert.equal((await gate.ask("GET", "/api/verification")).body["ok"], true);
  },
);

test(
  "the control: a worker that was ended between changes lost none, and says nothing",
  { skip: noExtension },
  async (t) => {
    const gate = await openDamaged(t);
    if (gate === null) return;
    assert.equal((await gate.state()).storage.damage, null);
    for (const number of [1, 2]) assert.equal(await readText(gate, `${number}.txt`), lines(number));
  },
);

test("a pack without a file in it is not a draft in which everything was deleted", { skip: noExtension }, async (t) => {
  const gate = await openDamaged(t);
  if (gate === null) return;
  await cutPack(gate, "0");
  await gate.showWork("#/files");
  await seesNotice(gate, "The files of the draft are gone.", /octo\/r0 \(main\) cannot go on/);
  assert.equal((await gate.state()).open, null);
  await confirmRead(gate);
  await gate.open();
  assert.equal((await gate.state()).open?.changed, 0);
  assert.equal((await gate.ask("GET", "/api/verification")).body["ok"], true, "the record is whole");
});

test("what the browser has evicted is said, with the draft that was in it", { skip: noExtension }, async (t) => {
  const gate = await openDamaged(t);
  if (gate === null) return;
  const client = await gate.panel.context().newCDPSession(gate.panel);
  // As an eviction does: everything of this origin that counts for its quota.
  const storageTypes = "file_systems,indexeddb,cache_storage,storage_buckets";
  const { origin } = gate.browser;
  await letGo(gate);
  await client.send("Storage.clearDataForOrigin", { origin, storageTypes });
  await gate.showWork("#/files");
  await seesNotice(
    gate,
    "What was stored here is gone.",
    /the record and the draft of octo\/r0 \(main\)\. What was pushed/,
  );
  const { open, settings } = await gate.state();
  assert.deepEqual([open, settings.clientId], [null, null]);
  await confirmRead(gate);
});

test("a gate that cannot be opened says so, and is tried again by itself", { skip: noExtension }, async (t) => {
  const gate = await openDamaged(t);
  if (gate === null) return;
  await letGo(gate);
  const holder = await gate.browser.openPanel(380);
  await runInPage(
    holder,
    `(async () => {
      const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("sallyport");
      globalThis.held = await (await root.getFileHandle("audit.key")).createWritable({ keepExistingData: true });
    })()`,
  );
  await gate.showWork("#/files");
  await gate.panel.getByText("The gate cannot be opened:").waitFor();
  await holder.close(); // which lets go of the file
  await gate.panel.getByRole("link", { name: "2.txt" }).waitFor();
  assert.equal(await readText(gate, "2.txt"), lines(2));
});

test(
  "the browser is asked to keep what is stored, and the panel says whether it does",
  { skip: noExtension },
  async (t) => {
    for (const setting of ["granted", "denied"] as const) {
      await t.test(setting, async (t) => {
        const gate = await openOwnGate(t, {}, async ({ context, origin }) => {
          const client = await context.newCDPSession(context.pages()[0] ?? (await context.newPage()));
          await client.send("Browser.setPermission", { permission: { name: "persistent-storage" }, setting, origin });
        });
        if (gate === null) return;
        await gate.signIn();
        await gate.open();
        const isKept = setting === "granted";
        await until("the browser has decided", async () => (await gate.state()).storage.isPersisted === isKept);
        assert.equal(
          await runInPage(gate.panel, "navigator.storage.persisted()"),
          isKept,
          "so the browser says itself",
        );
        await gate.showWork("#/files");
        const words = isKept
          ? "The browser keeps it until you discard it."
          : "The browser may remove it when space is short.";
        await gate.panel.getByText(words).waitFor();
      });
    }
  },
);
