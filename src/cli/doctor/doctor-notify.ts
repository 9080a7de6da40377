// `sallyport doctor --notify`: sends a trial by each channel of the configuration, and says what came of it.

import { describeConfigErrors } from "../../config/config-error.ts";
import { loadConfig } from "../../config/load.ts";
import type { PathFlags } from "../../config/own-command.ts";
import { trialNotice } from "../../notify/notice.ts";
import { sendNotice } from "../../notify/send-notice.ts";
import { displayText } from "../../shared/display.ts";
import { exitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";

export async function tryChannels(flags: PathFlags, { out, environment }: Terminal): Promise<number> {
  const { config: configPath, state: statePath, project } = flags;
  const loaded = loadConfig({ configPath, statePath, project, environment });
  if (!loaded.ok) throw new UsageError(describeConfigErrors(loaded.errors));
  const { notify, notes } = loaded.config;
  // Channels that this process cannot use are notes.
  const unusable = notes.filter((note) => note.startsWith("notify["));
  for (const note of unusable) await out.line(displayText(note));
  if (notify.length + unusable.length === 0) await out.line("The configuration has no `notify`: nobody is told.");
  let isGood = unusable.length === 0;
  for (const channel of notify) {
    const now = Date.now();
    const context = { environment, now: () => now, signal: new AbortController().signal };
    const end = await sendNotice(channel, trialNotice(channel, now), context);
    isGood &&= end.kind === "sent";
    const said = end.kind === "sent" ? "a trial was sent" : displayText(end.problem);
    await out.line(`${channel.field} (${displayText(channel.name)}): ${said}`);
  }
  return isGood ? exitCode.ok : exitCode.refused;
}
