// What waits on the page: a staged commit, and an answer that comes from elsewhere.

import { dirname } from "node:path";
import type { Answer } from "../../src/approval/approver.ts";
import { contentHash } from "../../src/git/staged.ts";
import { openDesk } from "../../src/runtime/desk.ts";
import { openApprovals } from "../../src/store/approvals.ts";
import { openJournal } from "../../src/store/sqlite.ts";
import { openStagedStore } from "../../src/store/staged.ts";
import type { Asker } from "../fixtures/asking.ts";

export function stageCommit(state: string, id: string, message: string, path: string, text: string): void {
  const store = openStagedStore(state);
  const content = Buffer.from(text);
  const after = { contentHash: contentHash(content), size: content.length, mode: "100644" as const };
  const file = { path, operation: "create" as const, before: null, after };
  const commit = { session: "default-00000001", agent: "default", files: [file], createdAt: Date.now() };
  store.stage({ ...commit, id, message }, [{ hash: after.contentHash, bytes: content }]);
  store.close();
}

/** As another surface would: by the one desk. */
export function answerElsewhere(asker: Asker, id: string, answer: Pick<Answer, "decision" | "reason">): void {
  const journal = openJournal({ stateDirectory: asker.state, keyDirectory: dirname(asker.configFile) });
  const approvals = openApprovals(asker.state);
  try {
    const places = { configDirectory: dirname(asker.configFile), project: asker.project, home: asker.home };
    const desk = openDesk({ approvals, journal, places });
    const digest = desk.queue.find(id)?.question.action.digest ?? "";
    const settled = desk.answer(id, { ...answer, scope: "once", digest, who: "another person" });
    if ("ok" in settled) throw new Error(settled.reason);
  } finally {
    approvals.close();
    journal.close();
  }
}
