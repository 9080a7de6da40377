// A process that answers every waiting question as soon as it sees one: `answer-worker.ts STATE CONFIG WHO DECISION COUNT`.
// Prints, one a line, what became of each answer.

import { openAnswerService } from "../../src/runtime/answer-service.ts";
import { openApprovals } from "../../src/store/approvals.ts";
import { openJournal } from "../../src/store/sqlite.ts";

const [state = "", config = "", who = "", decision = "allow", count = "1"] = process.argv.slice(2);
const approvals = openApprovals(state);
const journal = openJournal({ stateDirectory: state, keyDirectory: config });
const answerService = openAnswerService({
  approvals,
  journal,
  paths: { configDirectory: config, project: "/", home: "/" },
});
const tried = new Set<string>();
process.stdout.write("open\n");
while (tried.size < Number(count)) {
  for (const { question } of answerService.queue.waiting()) {
    if (tried.has(question.id)) continue;
    tried.add(question.id);
    const { digest } = question.action;
    const said = answerService.answer(question.id, {
      decision: decision as "allow",
      digest,
      scope: "once",
      who,
      reason: null,
    });
    process.stdout.write(`${question.id} ${"decision" in said ? "counts" : said.reason}\n`);
  }
  // Those that the other was quicker with are not seen here: the last question ends it.
  if (answerService.queue.find("end") !== undefined) break;
  await new Promise((resolve) => setTimeout(resolve, 1));
}
journal.close();
approvals.close();
