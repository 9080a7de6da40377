// The bounds that the documents name, with the numbers of src/shared/limits.ts. A document takes one group of them.

import { limits } from "../src/shared/limits.ts";

type LimitName = keyof typeof limits;
type LimitGroup = readonly (readonly [LimitName, string])[];

export const limitGroups = {
  callLimits: [
    ["timeoutDefaultS", "time of a program of `Exec`, where the call names none"],
    ["timeoutMaxS", "longest time that a call of `Exec` can name"],
    ["scriptTimeoutDefaultS", "time of a script of `Bash` or `Python`, where the call names none"],
    ["scriptTimeoutMaxS", "longest time that such a call can name"],
    ["shellTimeoutS", "time of each command of `Shell`, where the call names none"],
    ["shellTimeoutMaxS", "longest time for a command of `Shell`"],
    ["outputDefaultBytes", "kept of stdout, and of stderr, where the call names no size"],
    ["outputMaxBytes", "largest size that a call can name for them"],
    ["stdinMaxBytes", "standard input of a program"],
    ["commandBytes", "a script of `Bash`, and each command of `Shell`"],
    ["shellCommands", "commands in one call of `Shell`"],
    ["argumentCount", "arguments of a program"],
    ["argumentBytes", "one argument"],
    ["argumentsTotalBytes", "arguments and environment together"],
    ["environmentCount", "variables in `env`"],
    ["pathBytes", "one path"],
    ["artifactEntries", "changed files in `artifacts`"],
  ],
  noticeLimits: [
    ["noticeMs", "how long a command or a server may take"],
    ["noticeTries", "how often one notice is tried"],
    ["noticeRetryS", "before the second try"],
    ["noticeQuestions", "questions that a notice lists"],
    ["noticeTitleCharacters", "characters of the line about one of them"],
  ],
  boxLimits: [
    ["workMemoryMb", "memory (`memory_mb`): half of the machine's, and at most"],
    ["memoryMb", "the same of Exec and Git"],
    ["workFsizeMb", "one file that a program writes (`fsize_mb`)"],
    ["fsizeMb", "the same of Exec and Git"],
    ["diskMb", "all that a call writes to disks (`disk_mb`)"],
    ["draftMb", "all that a draft has on the disk (`draft_mb`)"],
    ["diskReserveBytes", "free space below which a call that writes is ended"],
    ["workNofile", "open files of a process (`nofile`)"],
    ["nofile", "the same of Exec and Git"],
    ["workNproc", "processes and threads (`nproc`)"],
    ["nproc", "the same of Exec and Git"],
    ["tmpMb", "`/tmp`, and what a call changes in a workspace in memory, each"],
    ["shmMb", "`/dev/shm`"],
    ["killGraceMs", "between SIGTERM and SIGKILL"],
    ["treeReadMs", "for reading what a call changed in a workspace in memory"],
    ["hiddenPathCount", "files that `hide` covers in one box; of more, nothing starts"],
  ],
  workspaceLimits: [
    ["workspaceFileBytes", "one file"],
    ["workspaceTotalBytes", "all files of a workspace"],
    ["workspaceFileCount", "files of a workspace"],
    ["workspaceStoreBytes", "all kept sessions together"],
    ["workspacePathBytes", "one path below `/workspace`"],
    ["workspaceNameBytes", "one name in a path"],
    ["workspaceDepth", "names in a path"],
    ["readFileBytes", "what `read_file` returns"],
    ["listDefault", "files that `list_files` returns, where the call names no number"],
    ["listMost", "the most that it can name"],
    ["searchDefault", "matches that `search_files` returns, where the call names no number"],
    ["searchMatches", "the most that it returns"],
    ["searchPatternCharacters", "a pattern"],
    ["searchMs", "time of a search"],
    ["stagedFiles", "files of one staged commit"],
    ["statusEntries", "files that `git_status`, `git_stage` and `git_pull` list, and `git_diff` with `stat`"],
    ["diffCharacters", "a diff of `git_diff`"],
    ["namedDiffCharacters", "a diff of files that the call names one by one"],
    ["ignoreFileBytes", "one `.gitignore`; a larger one is not read"],
    ["ignoreTotalBytes", "all `.gitignore` files that a call reads"],
    ["ignoreFiles", "how many of them"],
  ],
  questionLimits: [
    ["questionBytes", "the text of a question; a longer one is a no"],
    ["questionOpenS", "how long a question stays open"],
    ["yesUnusedS", "how long a yes waits for the call to be repeated"],
    ["questionsWaiting", "waiting questions of a session"],
    ["questionsWaitingAgent", "of an agent, in all its sessions"],
    ["questionsWaitingTotal", "in all"],
    ["questionsAlways", "a session or an agent with fewer questions may also use the last quarter of the room"],
    ["questionsListed", "questions in a list; of more, agents and sessions take turns"],
    ["answeredTogether", "questions that are answered with one action"],
    ["clientWaitS", "how long a call of an MCP client that wants no progress messages waits for an answer"],
    ["formCharacters", "longest question that an MCP client is shown as a form"],
  ],
} satisfies Record<string, LimitGroup>;

/** Rows of a table: what is bounded, and by how much. */
export function limitRows(group: LimitGroup): string[][] {
  return group.map(([name, what]) => [what, limitText(name, limits[name])]);
}

function limitText(name: string, value: number): string {
  if (name.endsWith("Bytes")) return sizeText(value);
  if (name.endsWith("Mb")) return sizeText(value * 1024 * 1024);
  if (name.endsWith("Ms")) return timeText(value / 1000);
  if (name.endsWith("S")) return timeText(value);
  return `${value.toLocaleString("en-US")}${name.endsWith("Characters") ? " characters" : ""}`;
}

function sizeText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && value % 1024 === 0; unit += 1) value /= 1024;
  return `${value.toLocaleString("en-US")} ${units[unit]}`;
}

function timeText(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds > 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
