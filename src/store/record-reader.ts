// Reads the record for the shared port: in slices, and other work runs in between.

import type { RecordReader } from "../approval/shared-store.ts";
import type { Journal } from "../audit/journal.ts";

export function createRecordReader(journal: Journal): RecordReader {
  return {
    async *list(filter = {}, signal) {
      if (filter.order !== "oldest") return yield* journal.search(filter, signal);
      for (const entry of journal.list(filter)) {
        if (signal?.aborted === true) return;
        yield entry;
      }
    },
    entry: async (seq) => journal.entry(seq),
    story: async (callId) => journal.story(callId),
    async stats() {
      await journal.count();
      return journal.stats();
    },
    async hours(since) {
      await journal.count();
      return journal.hours(since);
    },
    async sessions() {
      await journal.count();
      return journal.sessions();
    },
    lastSeq: async () => journal.lastSeq(),
    verify: async () => journal.verify(),
  };
}
