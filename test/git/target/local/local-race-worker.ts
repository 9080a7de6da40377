// Gets in the way of a landing from a thread of its own. It waits (0), ends (1) or is at work (2), as it is told.

import { renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";

export type Race =
  | { readonly kind: "swap"; readonly signal: Int32Array; readonly repo: string; readonly outside: string }
  | {
      readonly kind: "save";
      readonly signal: Int32Array;
      readonly repo: string;
      readonly paths: readonly string[];
      readonly spin: number;
    };

const race = workerData as Race;
let count = 0;

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

parentPort?.postMessage("ready");

if (race.kind === "swap") {
  const docs = join(race.repo, "docs");
  const away = join(race.repo, "docs.away");
  for (;;) {
    // Said before looking: who tells us to wait, and then sees that we are not at work, can rely on it.
    Atomics.store(race.signal, 1, 1);
    const told = Atomics.load(race.signal, 0);
    if (told !== 2) Atomics.store(race.signal, 1, 0);
    if (told === 1) break;
    if (told === 0) {
      Atomics.wait(race.signal, 0, 0, 1_000);
      continue;
    }
    // Another name each time: the landing may still hold the directory that was taken away, and write to it.
    const spare = `${away}-${(count += 1)}`;
    const isAway = attempt(() => renameSync(docs, spare));
    // Where it fails, the landing was faster and has made the directory anew: what it has there stays.
    if (!isAway || !attempt(() => symlinkSync(race.outside, docs))) continue;
    Atomics.wait(race.signal, 2, 0, Math.random() * 2);
    attempt(() => unlinkSync(docs));
    attempt(() => renameSync(spare, docs));
    Atomics.wait(race.signal, 2, 0, Math.random() * 2);
  }
} else {
  while (Atomics.load(race.signal, 0) !== 2);
  for (let spin = 0; spin < race.spin; spin += 1) Atomics.load(race.signal, 0);
  // As editors save: aside first, then by one rename.
  for (const path of race.paths) {
    writeFileSync(join(race.repo, `${path}.save`), `saved ${path}\n`);
    renameSync(join(race.repo, `${path}.save`), join(race.repo, path));
  }
}
