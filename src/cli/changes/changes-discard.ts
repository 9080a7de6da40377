// `sallyport changes discard` and `restore`.

import { renderDiffStat } from "../../git/publish/diff-text.ts";
import { ownCommand } from "../../config/own-command.ts";
import { discardSession, findDiscarded, restoreSession } from "../../runtime/discard-session.ts";
import { boxesOfSession, endBoxes } from "../../runtime/end-session.ts";
import { openSessionLook } from "../../runtime/session-look.ts";
import { sessionDiff } from "../../runtime/session-diff.ts";
import { displayText } from "../../shared/display.ts";
import { exitCode } from "../exit-code.ts";
import { loadFromFlags } from "../open-gate.ts";
import { localTime } from "../terminal/local-time.ts";
import { userName } from "../terminal/own-terminal.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type ChangesFlags, type FoundSession, printRefusal, withBackend, withSession } from "./changes-backend.ts";
import { needPerson, personSays, type YesFlag } from "./person-says.ts";

const SHOWN_FILES = 50;

export async function changesDiscardCommand(
  session: string | undefined,
  flags: ChangesFlags & YesFlag & EndFlag,
  terminal: Terminal,
): Promise<number> {
  needPerson("discard", flags, terminal);
  const { out, environment } = terminal;
  return await withSession(session, flags, terminal, async (found) => {
    const { listed, backend } = found;
    const files = await showLoss(found, terminal);
    const who = await personSays({ yes: "discard it", no: "keep it" }, flags, terminal);
    if (who === null || !(await endWhatRuns(found, flags, terminal))) return exitCode.refused;
    const discarded = discardSession(backend, listed, { who, files });
    if (!discarded.ok) return await printRefusal(discarded.failure, terminal);
    const until = localTime(new Date(discarded.value.keptUntil).toISOString(), new Date());
    const restore = ownCommand(environment, flags)("changes", "restore", listed.name);
    await out.line(`Discarded. It is kept until ${until}: \`${restore}\` takes it back.`);
    return exitCode.ok;
  });
}

interface EndFlag {
  readonly end?: boolean;
}

/** False if the person wants it to go on. --yes alone does not end what runs: then it is in the way, and the refusal says so. */
async function endWhatRuns(
  { backend, listed }: FoundSession,
  { yes, end }: YesFlag & EndFlag,
  terminal: Terminal,
): Promise<boolean> {
  const { stateDirectory } = backend.config;
  const boxes = boxesOfSession(stateDirectory, listed);
  if (boxes.length === 0 || (yes === true && end !== true)) return true;
  if (end !== true) {
    await terminal.out.line(`${boxes.length === 1 ? "A program" : `${boxes.length} programs`} of the session run now.`);
    const answer = await personSays({ yes: "end what runs, and discard", no: "keep both" }, {}, terminal);
    if (answer === null) return false;
  }
  await endBoxes(stateDirectory, listed, boxes);
  return true;
}

/** Resolves to the number of files; null if it cannot be told. A draft that cannot be read can be discarded all the same. */
async function showLoss({ backend, listed }: FoundSession, { out }: Terminal): Promise<number | null> {
  const { session, agent, project, begun } = listed;
  const when = `${project === null ? "saved" : "begun"} ${localTime(begun, new Date())}`;
  const where = project === null ? "memory" : displayText(project);
  await out.line(
    `Session ${displayText(session)} of ${displayText(agent)}, ${when}, in ${where}. What has not landed:`,
  );
  const opened = await openSessionLook(backend, listed);
  if (!opened.ok) {
    await out.line(`  It cannot be read: ${displayText(opened.failure.message)}`);
    return null;
  }
  try {
    const made = await sessionDiff(opened.value, []);
    const lines = made.ok
      ? renderDiffStat(made.value.diff, SHOWN_FILES).split("\n").slice(0, -1)
      : [`It cannot be read: ${made.failure.message}`];
    for (const line of lines.length === 0 ? ["Nothing."] : lines) await out.line(`  ${displayText(line)}`);
    return made.ok ? made.value.diff.length : null;
  } finally {
    opened.value.close();
  }
}

export async function changesRestoreCommand(
  session: string | undefined,
  flags: ChangesFlags,
  terminal: Terminal,
): Promise<number> {
  const config = loadFromFlags(flags, terminal.environment);
  const { stateDirectory, project } = config;
  const found = findDiscarded(stateDirectory, { session, project });
  if (!found.ok) return await printRefusal(found.failure, terminal);
  return await withBackend(config, async (backend) => {
    const restored = await restoreSession(backend, found.value, userName());
    if (!restored.ok) return await printRefusal(restored.failure, terminal);
    await terminal.out.line(
      `Session ${displayText(found.value.session)} is back. Files that had landed from it, if any, count as changes again.`,
    );
    return exitCode.ok;
  });
}
