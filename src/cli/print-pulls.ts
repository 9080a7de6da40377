// Prints the progress of a worker's pulls into its workspace. A failed pull is printed, and the others continue.

import type { PullListener } from "../runtime/auto-pull.ts";
import { displayText } from "../shared/display.ts";
import type { Terminal } from "./terminal/terminal.ts";

export function printPulls({ err }: Terminal): PullListener {
  return (done, total, { paths, reply }) => {
    const what = reply.ok ? "pulled" : "could not pull";
    const why = reply.ok ? "" : `: ${displayText(reply.message)}`;
    // If standard error is closed, nobody reads the progress.
    void err.line(`${what} ${displayText(paths.join(", "))} (${done} of ${total})${why}`).catch(() => undefined);
  };
}
