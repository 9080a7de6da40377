// What waits on the page: a staged commit, and an answer that comes from elsewhere.

import { dirname } from "node:path";
import type { Answer } from "../../src/approval/approver.ts";
import { type ContentBytes, contentHash, type FileState, type StagedFile } from "../../src/git/staged.ts";
import { nodeHashes } from "../../src/process/node-hashes.ts";
import { openAnswerService } from "../../src/runtime/answer-service.ts";
import { LocalStore } from "../../src/runtime/local-store.ts";
import { openStagedStore } from "../../src/store/staged.ts";
import type { Asker } from "../fixtures/asking.ts";

export function stageCommit(state: string, id: string, message: string, path: string, text: string): void {
  stageChange(state, id, message, [[path, null, text]]);
}

/** Files before and after; null where there is none. */
export function stageChange(
  state: string,
  id: string,
  message: string,
  changes: readonly (readonly [path: string, before: string | null, after: string | null])[],
): void {
  const store = openStagedStore(state);
  const contents: ContentBytes[] = [];
  const keep = (text: string | null): FileState | null => {
    if (text === null) return null;
    const bytes = Buffer.from(text);
    contents.push({ hash: contentHash(nodeHashes, bytes), bytes });
    return { contentHash: contentHash(nodeHashes, bytes), size: bytes.length, mode: "100644" };
  };
  const files = changes.map(([path, before, after]): StagedFile => {
    const operation = before === null ? "create" : after === null ? "delete" : "update";
    return { path, operation, before: keep(before), after: keep(after) };
  });
  const commit = { session: "default-00000001", agent: "default", files, createdAt: Date.now() };
  store.stage({ ...commit, id, message }, contents);
  store.close();
}

/** As another surface would: by the one desk. */
export async function answerElsewhere(
  asker: Asker,
  id: string,
  answer: Pick<Answer, "decision" | "reason">,
): Promise<void> {
  const configDirectory = dirname(asker.configFile);
  const store = new LocalStore({ stateDirectory: asker.state, configDirectory, home: asker.home });
  try {
    const answerService = openAnswerService({ store, journal: () => store.journal });
    const digest = (await answerService.queue.find(id))?.question.action.digest ?? "";
    const settled = await answerService.answer(id, { ...answer, scope: "once", digest, who: "another person" });
    if ("ok" in settled) throw new Error(settled.reason);
  } finally {
    await store.close();
  }
}
