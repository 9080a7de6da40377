// The browser's storage is full: what does not fit is refused and said, and everything before it stays.

import assert from "node:assert/strict";
import test from "node:test";
import { axeProblems } from "../../ui/fixture.ts";
import { noExtension } from "../browser.ts";
import { runInPage } from "../in-page.ts";
import { call, type CallReply, openOwnGate, type OwnGate, readText } from "./open-gate.ts";

const KiB = 1024;
const FILE_CHARACTERS = 500 * KiB;
/**
 * Chromium gives a file room in pieces of up to two MiB, and counts them until the file is closed. With so much room there are some more
 * pieces, and soon none; what the record and staged commits take of it meanwhile stays taken when the draft is discarded.
 */
const ROOM = 11_264 * KiB;
const MOST = 40;

const content = (number: number): string => `${number} `.padEnd(FILE_CHARACTERS, "x");

/** Bounds what the browser gives to so much more than is used now. The returned function takes the bound away. */
async function bound({ panel, browser: { origin } }: OwnGate, room: number): Promise<() => Promise<void>> {
  const client = await panel.context().newCDPSession(panel);
  const used = await runInPage<number>(panel, "navigator.storage.estimate().then(({ usage }) => usage)");
  await client.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: used + room });
  return async () => void (await client.send("Storage.overrideQuotaForOrigin", { origin }));
}

interface Filled {
  /** The first that was refused. */
  readonly number: number;
  readonly message: string | null;
}

async function fill(gate: OwnGate, from: number): Promise<Filled> {
  for (let number = from; number <= MOST; number += 1) {
    const edit = { path: `large/${number}`, text: content(number), hash: null };
    const { body } = await gate.ask<CallReply>("PUT", "/api/work/file", edit);
    if (!body.ok) return { number, message: body.message ?? "" };
  }
  return { number: MOST + 1, message: null };
}

/** A text at most 1 MiB long is shown; its first characters say which it is. */
async function areThere(gate: OwnGate, to: number): Promise<void> {
  for (let number = 1; number <= to; number += 1)
    assert.ok((await readText(gate, `large/${number}`)) === content(number), `large/${number} is whole`);
}

test("at the browser's quota a write is refused, and everything before it stays", { skip: noExtension }, async (t) => {
  const gate = await openOwnGate(t);
  if (gate === null) return;
  await gate.signIn();
  await gate.open();
  const unbound = await bound(gate, ROOM);
  const { number, message } = await fill(gate, 1);
  assert.ok(number > 1 && message !== null, `some fit, and then no more: ${number} ${message}`);
  // Whichever of the files reaches the quota first: that of the draft, or that of the record.
  assert.match(message, /storage for workspaces is full|log .* cannot be written/);
  const last = message.startsWith("This was done") ? number : number - 1;
  await areThere(gate, last);

  await gate.kill();
  assert.equal((await gate.state()).open?.repository, "octo/r0", "it opens again, as full as it is");
  await areThere(gate, last);
  assert.equal((await gate.ask("GET", `/api/work/file?path=large/${last + 1}`)).status, 404);

  await unbound();
  assert.equal((await fill(gate, last + 1)).message, null, "the control: without the quota they fit");
  assert.equal((await gate.ask("GET", "/api/verification")).body["ok"], true);
});

test(
  "the person reads that the storage is full, keeps what they typed, pushes what they have, and makes room",
  { skip: noExtension },
  async (t) => {
    const gate = await openOwnGate(t);
    if (gate === null) return;
    const { panel } = gate;
    await gate.signIn();
    await gate.open();
    await gate.showWork("#/files");
    await panel.getByRole("link", { name: "README.md" }).waitFor();
    const unbound = await bound(gate, ROOM);
    const { number, message } = await fill(gate, 1);
    assert.ok(number > 2 && message !== null, String(message));
    await panel.getByText("The storage is full.").waitFor();
    assert.deepEqual(await axeProblems(panel), []);

    await panel.getByRole("link", { name: "README.md" }).click();
    const field = panel.getByRole("textbox", { name: "Content" });
    await field.press("Control+End");
    await panel.keyboard.insertText("typed at the end");
    await panel.keyboard.press("Control+s");
    await panel.getByText("The storage for workspaces is full.").waitFor();
    assert.match(await field.inputValue(), /typed at the end$/, "what was typed is still there");
    assert.doesNotMatch(await readText(gate, "README.md"), /typed at the end/);

    const staged = await call(gate, "git_stage", { files: ["large/1"], message: "Add what fits" });
    assert.ok(staged.ok, staged.message);
    const pushed = await call(gate, "git_push", { commitId: staged.result?.["id"] });
    assert.ok(pushed.ok, `with room kept back for it: ${pushed.message}`);
    assert.equal((await gate.ask("GET", "/api/verification")).body["ok"], true);

    assert.equal((await gate.ask("DELETE", "/api/work/open")).status, 204, "a draft is discarded without room");
    assert.equal((await gate.state()).storage.isFull, false);
    await gate.open();
    const again = await fill(gate, 2); // the first was pushed
    assert.ok(again.number > 3, `its room is free again: ${again.number} ${again.message}`);
    await unbound();
  },
);
