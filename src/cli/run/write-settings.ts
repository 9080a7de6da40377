// Writes the settings of a known agent into the home of its session, in a box of its own: an earlier program of the session may have
// left links there, which lead nowhere but into the box.

import type { Gate } from "../../runtime/session-gate.ts";
import { RUN } from "../../tools/run.ts";
import type { SettingsFile } from "./agent-profile.ts";

/** SECURITY(T71): in a box. Pairs of a path and a content; what is there stays. */
const script = `set -e
cd
while [ $# -gt 0 ]; do
  if [ ! -e "$1" ]; then mkdir -p "$(dirname "$1")"; printf %s "$2" > "$1"; fi
  shift 2
done`;

/** Null: they are written, or there are none. Otherwise why not. */
export async function writeSettings(gate: Gate, files: readonly SettingsFile[]): Promise<string | null> {
  if (files.length === 0) return null;
  const argv = ["/bin/sh", "-c", script, "sh", ...files.flatMap(({ path, content }) => [path, content])];
  const reply = await gate.call({ tool: RUN, args: { argv } });
  if (!reply.ok) return reply.message;
  const { exit_code: code, stderr } = reply.result as { readonly exit_code: number | null; readonly stderr: string };
  return code === 0 ? null : stderr;
}
