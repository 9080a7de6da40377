// Runs the program it is given and prints, as JSON, what this process's memory grew by meanwhile. Started by the bench
// and by a test, in a process of its own.
//
//   node bench/output-memory.ts gate|collect PROGRAM [ARGUMENT]...
//
// gate: through Exec with its default cap. collect: the way that keeps everything, to see that the measure measures.

import { spawnHere } from "./spawn-here.ts";
import { callExec, enterRoom } from "./box-room.ts";
import { peakGrowthMb } from "./peak-memory.ts";

const [how, ...argv] = process.argv.slice(2);
const room = enterRoom();
try {
  const gate = room.openGate(room.makeDirectory("project"), []);
  const run = (words: readonly string[]) =>
    how === "gate" ? callExec(gate, words) : spawnHere(words[0] as string, words.slice(1));
  for (let round = 0; round < 3; round++) await run(["/bin/true"]);
  let kept = 0;
  const growthMb = await peakGrowthMb(async () => {
    kept = (await run(argv)).length;
  });
  console.log(JSON.stringify({ growthMb, kept }));
} finally {
  room.leave();
}
