// Opens what `review` needs to look into sessions: it is the only part of it that builds boxes.

import type { PathFlags } from "../../config/own-command.ts";
import type { Config } from "../../config/load.ts";
import { openBackend } from "../../runtime/backend.ts";
import { ChangesWatch } from "../../runtime/changes-watch.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { loadFromFlags } from "../open-gate.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";
import type { ReviewChanges } from "./review-unlanded.ts";

/** Questions can be answered although the configuration cannot be read. Then there is nothing to look into sessions with. */
export async function withReviewChanges<T>(
  flags: PathFlags,
  { environment }: Terminal,
  work: (changes: ReviewChanges | null) => Promise<T>,
): Promise<T> {
  const configFor = (project?: string, workspace?: "draft" | "memory"): Result<Config> => {
    try {
      const own = {
        ...flags,
        ...(project === undefined ? {} : { project }),
        ...(workspace === undefined ? {} : { workspace }),
      };
      return ok(loadFromFlags(own, environment));
    } catch (error) {
      if (error instanceof UsageError) return fail("invalid_args", error.message);
      throw error;
    }
  };
  const config = configFor();
  if (!config.ok) return await work(null);
  const backend = openBackend(config.value);
  backend.notifier.start();
  const watch = new ChangesWatch(backend);
  try {
    return await work({ backend, watch, configFor });
  } finally {
    await watch.close();
    await backend.close();
  }
}
