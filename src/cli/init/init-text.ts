// The text of `sallyport init`: plans, the lines that would change, and what it does not do.

import { agentApps } from "../../install/agent-apps.ts";
import type { AgentPlan } from "../../install/agent-plan.ts";
import { displayText } from "../../shared/display.ts";
import type { OwnCommand } from "../../shared/own-command.ts";
import { profileFor } from "../run/agent-profile.ts";
import { agentProfiles } from "../run/profiles.ts";
import { wrapText } from "../terminal/table.ts";
import type { Screen } from "../terminal/terminal.ts";

const contextLines = 2;

export function fileText(path: string, home: string): string {
  return displayText(path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path, { maxLength: 300 });
}

/** The lines that differ, with some context. Common lines at the start and end of both texts are left out. */
export function changeLines(before: string, after: string, screen: Screen): string[] {
  const [old, fresh] = [before, after].map((text) => text.replace(/\r?\n$/, "").split(/\r?\n/)) as [string[], string[]];
  let head = 0;
  while (head < Math.min(old.length, fresh.length) && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(old.length, fresh.length) - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  // A file can be one long line. The common parts are shortened, and new text is always shown completely.
  const [removedOne = "", addedOne = ""] = [old[head], fresh[head]];
  const begin = Math.max(0, sameStart(removedOne, addedOne) - 40);
  const shown = (line: string) =>
    line.length <= 160
      ? displayText(line)
      : `${begin === 0 ? "" : "... "}${displayText(line.slice(begin), { maxLength: 1_000 })}`;
  const from = Math.max(0, head - contextLines);
  const same = (lines: readonly string[]) => lines.map((line) => screen.paint(`    ${shown(line)}`.trimEnd(), "dim"));
  const isBlank = (lines: readonly string[]) => lines.every((line) => line === "" || line === "\uFEFF");
  const removed = old.slice(head, old.length - tail);
  return [
    ...same(fresh.slice(from, head)),
    ...(isBlank(removed) ? [] : removed.map((line) => screen.paint(`  - ${shown(line)}`, "red"))),
    ...fresh.slice(head, fresh.length - tail).map((line) => screen.paint(`  + ${shown(line)}`.trimEnd(), "green")),
    ...same(fresh.slice(fresh.length - tail, fresh.length - tail + contextLines).filter((line) => line !== "")),
  ];
}

function sameStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}

/** The plan for one agent: which file, and what would change in it. */
export function planLines(
  plan: AgentPlan,
  trace: string | null,
  home: string,
  screen: Screen,
  isUndo: boolean,
): string[] {
  const { app, file, opened, change, scope } = plan;
  const where = `${fileText(file, home)}${scope === "project" ? ", of this project" : ""}`;
  const why =
    trace === null
      ? ""
      : ` ${screen.paint(`(${displayText(trace.replaceAll(`${home}/`, "~/"), { maxLength: 200 })})`, "dim")}`;
  const title =
    plan.adds === "entry"
      ? `${screen.paint(app.name, "bold")}${why}`
      : `${screen.paint(app.name, "bold")}: calls these tools without a question of its own, since the gate asks`;
  const link = opened !== null && opened.real !== file ? [`  a link: it is really ${fileText(opened.real, home)}`] : [];
  switch (change.state) {
    case "present":
      return [
        title,
        change.isAsInitAdds
          ? isUndo
            ? `  There, but not added by init; it stays as it is: ${where}`
            : `  Already there, in ${where}.`
          : `  An entry sallyport is there already, written differently; it stays as it is: ${where}`,
      ];
    case "absent":
      return [title, `  Not there: ${where}`];
    case "impossible":
      return [
        title,
        `  ${screen.paint("Cannot be changed", "yellow")}: ${file === "" ? "" : `${where}: `}${displayText(change.reason)}`,
        ...(file === "" || isUndo
          ? []
          : [
              "  To paste by hand:",
              ...plan.snippet
                .trimEnd()
                .split("\n")
                .map((line) => `    ${displayText(line)}`),
            ]),
      ];
    case "add":
    case "remove": {
      const isNew = opened?.text === null;
      const verb =
        change.state === "add" ? (isNew ? "A new file" : "In") : change.text === null ? "Removes the file" : "From";
      return [title, `  ${verb} ${where}:`, ...link, ...changeLines(opened?.text ?? "", change.text ?? "", screen)];
    }
  }
}

/** The way that needs no entry in any file comes first. Nothing for agents that `sallyport run` does not know. */
export function runLines(plans: readonly AgentPlan[], own: OwnCommand, screen: Screen): string[] {
  const known = plans.flatMap(({ app }) => {
    const program = app.programs.find((name) => profileFor(name, agentProfiles) !== null);
    return program === undefined ? [] : [`  ${own("run", program)}    ${screen.paint(app.name, "dim")}`];
  });
  const intro =
    "In a project, this runs the whole agent in a box, with its own shell and editor. It needs no entry anywhere:";
  const other = "Or give the agent Sallyport's tools beside its own. This adds an entry to its configuration:";
  const wrapped = (text: string) => wrapText(text, Math.min(screen.width, 100), "");
  return known.length === 0 ? [] : [...wrapped(intro), ...known, "", ...wrapped(other), ""];
}

/** Warns about the agents' own tools. Sallyport protects the machine only if an agent has no way around it. */
export function ownToolsLines(plans: readonly AgentPlan[], screen: Screen): string[] {
  const width = Math.min(screen.width, 100);
  const intro =
    "The agents' own tools are still there: an agent that has a shell, an editor, file reading or web access of its own goes round the gate with them.";
  return [
    screen.paint("Note", "yellow", "bold"),
    ...wrapText(intro, width, "  "),
    ...plans.flatMap(({ app: { name, ownTools } }) => [
      ...wrapText(`${name}: ${ownTools.say}`, width, "  "),
      ...(ownTools.paste?.split("\n").map((line) => `      ${line}`.trimEnd()) ?? []),
      ...(ownTools.stays === undefined ? [] : wrapText(ownTools.stays, width, "  ")),
    ]),
  ];
}

export const appNames = agentApps.map(({ id }) => id);
