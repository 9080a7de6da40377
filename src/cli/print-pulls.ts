// What a worker wants in its workspace, told as it comes. What cannot be pulled is said; the rest goes on with what is there.

import type { PullListener } from "../runtime/auto-pull.ts";
import { displayText } from "../shared/display.ts";
import type { Terminal } from "./terminal/terminal.ts";

export function printPulls({ err }: Terminal): PullListener {
  return (done, total, { paths, reply }) => {
    const what = reply.ok ? "pulled" : "could not pull";
    const why = reply.ok ? "" : `: ${displayText(reply.message)}`;
    // Whoever closed standard error does not want to know.
    void err.line(`${what} ${displayText(paths.join(", "))} (${done} of ${total})${why}`).catch(() => undefined);
  };
}
