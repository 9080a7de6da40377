// A process that answers every waiting question as soon as it sees one: `answer-worker.ts STATE CONFIG WHO DECISION COUNT`.
// Prints, one a line, what became of each answer.

import { openAnswerService } from "../../src/runtime/answer-service.ts";
import { LocalStore } from "../../src/runtime/local-store.ts";

const [state = "", config = "", who = "", decision = "allow", count = "1"] = process.argv.slice(2);
const store = new LocalStore({ stateDirectory: state, configDirectory: config, home: "/" });
const answerService = openAnswerService({ store, journal: () => store.journal });
const tried = new Set<string>();
process.stdout.write("open\n");
while (tried.size < Number(count)) {
  for (const { question } of await answerService.queue.waiting()) {
    if (tried.has(question.id)) continue;
    tried.add(question.id);
    const { digest } = question.action;
    const said = await answerService.answer(question.id, {
      decision: decision as "allow",
      digest,
      scope: "once",
      who,
      reason: null,
    });
    process.stdout.write(`${question.id} ${"decision" in said ? "counts" : said.reason}\n`);
  }
  // Those that the other was quicker with are not seen here: the last question ends it.
  if ((await answerService.queue.find("end")) !== undefined) break;
  await new Promise((resolve) => setTimeout(resolve, 1));
}
await store.close();
