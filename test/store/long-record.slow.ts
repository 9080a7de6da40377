// A record of 1,000,000 entries: the first page, a filter and a search for what is there take about as long as with 10,000.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import type { EntryFilter, Journal } from "../../src/audit/journal.ts";
import { openLongRecord, rare } from "../fixtures/long-record.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";

const directories = makeTestDirectories();
after(() => directories.remove());
const at = (name: string) => ({
  stateDirectory: join(directories.base, name),
  keyDirectory: join(directories.base, `${name}-key`),
});

/** Milliseconds of this thread for twenty times the same look. */
async function timeOf(journal: Journal, filter: EntryFilter, most: number): Promise<number> {
  const before = process.threadCpuUsage();
  for (let round = 0; round < 20; round += 1) {
    let found = 0;
    for await (const _ of journal.search({ ...filter, limit: 50 })) found += 1;
    assert.ok(found <= most && (most === 0 || found > 0), `${JSON.stringify(filter)}: ${found}`);
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

test("1,000,000 entries are looked at as quickly as 10,000", { timeout: 600_000 }, async (t) => {
  const [short, long] = [openLongRecord(at("short"), 10_000), openLongRecord(at("long"), 1_000_000)];
  after(() => [short, long].forEach((journal) => journal.close()));
  const looks: readonly (readonly [EntryFilter, number])[] = [
    [{}, 50],
    ...Object.entries(rare).map(([field, value]) => [{ [field]: value }, 1] as const),
    [{ event: "tool.call.finished", agent: rare.agent }, 0],
    [{ text: "part=3" }, 50],
  ];
  for (const [filter, most] of looks) {
    const [few, many] = [await timeOf(short, filter, most), await timeOf(long, filter, most)];
    t.diagnostic(`${JSON.stringify(filter)}: ${few.toFixed(1)} ms and ${many.toFixed(1)} ms`);
    assert.ok(many < 5 * few + 50, `${JSON.stringify(filter)}: ${few} ms with few entries, ${many} ms with many`);
  }
  const nowhere = { text: "stands nowhere at all" };
  const control = async (journal: Journal) => {
    const before = process.threadCpuUsage();
    for await (const { seq } of journal.search(nowhere)) assert.fail(`found in ${seq}`);
    return process.threadCpuUsage(before).user / 1_000;
  };
  const [few, many] = [await control(short), await control(long)];
  assert.ok(many > 20 * few, `the control: what looks at every entry takes ${few} ms and ${many} ms`);
});
