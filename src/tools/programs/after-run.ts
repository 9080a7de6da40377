// Adds advice to the result of a program: that the network was open, and, after a failure, what the box kept from the program and what
// would help. No decision depends on it.

import { directoryOfWorkspace, isInDraft } from "../../action/draft-view.ts";
import type { Effect } from "../../action/effect.ts";
import { type Capability, fsGrantFor } from "../../policy/capability.ts";
import { isBoxPath } from "../../policy/box-paths.ts";
import { parseOneHost } from "../../policy/host-pattern.ts";
import { limits } from "../../shared/limits.ts";
import type { MissingProgram, PlanContext } from "../tool.ts";
import type { WorkspaceLocation } from "../../workspace/location.ts";
import type { ExecutionResult } from "./execution-result.ts";

export interface AfterRun {
  readonly agent: string;
  /** How the tool's arguments ask for more: Shell has no `needs`. */
  readonly argument: { readonly needs: string; readonly timeout: string };
  /** What the box had of the network. */
  readonly network: PlanContext["network"];
  /** The effects that the gate read from the script before the run. */
  readonly effects: readonly Effect[];
  readonly capability: Capability;
  readonly workspace: WorkspaceLocation;
  /** Where the person's own PATH has a program that no grant covers. */
  readonly elsewhere: (name: string) => MissingProgram | null;
}

const ONLINE = "The whole network of this machine was open to this call, not one host of it.";

/** For a script, which can do more with a network than a plain command. */
export function withAdvice(result: ExecutionResult, run: AfterRun): ExecutionResult {
  return { ...withHint(result, run), ...(run.network === "host" ? { notes: [ONLINE] } : {}) };
}

export function withHint(result: ExecutionResult, run: AfterRun): ExecutionResult {
  const hint = result.hint ?? hintAfter(result, run);
  return hint === null ? result : { ...result, hint };
}

/** Characters from the end of each stream, because programs print errors last. */
const SEARCHED_CHARACTERS = 16_384;
/** Of one line. A message is short, and the time of some patterns grows faster than the line, which an agent's program prints. */
const LINE_CHARACTERS = 500;

/** What a failed run printed last. */
interface Failed extends AfterRun {
  readonly result: ExecutionResult;
  readonly said: string;
}

type Hint = (failed: Failed) => string | null;

/** The first that says something counts. */
function hintAfter(result: ExecutionResult, run: AfterRun): string | null {
  if (result.timed_out) return isSilent(result) ? silentTimeOut(run) : null;
  if (result.exit_code === 0) return null;
  const said = `${lastLines(result.stderr)}\n${lastLines(result.stdout)}`;
  for (const hint of hints) {
    const text = hint({ ...run, result, said });
    if (text !== null) return text;
  }
  return null;
}

function lastLines(text: string): string {
  const lines = text.slice(-SEARCHED_CHARACTERS).split("\n");
  return lines.map((line) => line.slice(0, LINE_CHARACTERS)).join("\n");
}

const isSilent = ({ stdout, stderr }: ExecutionResult) => stdout.trim() === "" && stderr.trim() === "";

function silentTimeOut({ network, argument }: AfterRun): string {
  const missing = network === "none" ? ", or for the network, which the box does not have" : "";
  return `It printed nothing until its time was up. It may wait for input, which is empty${missing}. If it only needs longer: ${argument.timeout}.`;
}

/** For a program that a person started: what the box keeps from any program, beside what the gate knows of this end. */
export function withBoxHint(result: ExecutionResult): ExecutionResult {
  if (result.exit_code === 0) return result;
  const said = `${lastLines(result.stderr)}\n${lastLines(result.stdout)}`;
  const found = ofTheBox.find(([pattern]) => pattern.test(said))?.[1];
  return found === undefined ? result : { ...result, hint: [result.hint, found].filter(Boolean).join(" ") };
}

const hints: readonly Hint[] = [
  ({ result, ...run }) => limitReached(result.limit_hit, run),
  ({ said, ...run }) => (tooManyFiles.test(said) ? raise("nofile", run, "a process may have open") : null),
  ({ said, ...run }) => (cannotFork.test(said) ? raise("nproc", run, "a run may have") : null),
  ({ said, ...run }) => (outOfMemory.test(said) ? raise("memory_mb", run, "a run may use") : null),
  ({ said, ...run }) => (fileTooLarge.test(said) ? raise("fsize_mb", run, "a file may have") : null),
  ({ said, workspace }) => (noSpace.test(said) ? noSpaceHint(workspace) : null),
  ({ said }) => (nestedSandbox.test(said) ? NESTED : null),
  ({ said }) => (tracing.test(said) ? TRACING : null),
  readOnlyHint,
  otherStore,
  ({ said }) => (crossDevice.test(said) ? CROSS_DEVICE : null),
  ({ said }) => (otherOwner.test(said) ? OTHER_OWNER : null),
  noNetworkHint,
  missingPath,
  missingCommand,
  // A program that may not be executed ends with 126, whoever owns it.
  ({ said, result }) => (noPermission.test(said) && result.exit_code !== 126 ? PERHAPS_OTHER_OWNER : null),
];

const tooManyFiles = /\bEMFILE\b|too many open files/i;
const cannotFork = /\bfork\b.*resource temporarily unavailable|\bEAGAIN\b.*\b(spawn|fork)|can't start new thread/i;
const outOfMemory =
  /\bENOMEM\b|cannot allocate memory|\bMemoryError\b|heap out of memory|std::bad_alloc|out of memory/i;
const fileTooLarge = /\bEFBIG\b|file too large|file size limit exceeded/i;
const noSpace = /\bENOSPC\b|no space left on device/i;
const nestedSandbox =
  /bwrap: (?:no permissions|creating new namespace|setting up uid map)|unshare(?: failed)?: operation not permitted|no usable sandbox|sandbox.*\bnamespaces?\b.*(?:failed|not permitted)/i;
const tracing = /\bptrace\b.*(?:not permitted|denied)|could not trace the inferior/i;
const readOnly = /read-only file system|\bEROFS\b/i;
const crossDevice = /\bEXDEV\b|invalid cross-device link/i;
const otherOwner = /\bEOVERFLOW\b|value too large for defined data type/i;
const noPermission = /permission denied|operation not permitted|\bEACCES\b|\bEPERM\b/i;
const unreachable =
  /could not resolve|name resolution|no such host|\(from versions: none\)|name or service not known|network is unreachable|failed to connect|couldn't connect|connection refused|\bENETUNREACH\b|\bEAI_AGAIN\b|\bENOTFOUND\b/i;

const NO_SPACE_IN_MEMORY = `What a call writes to /tmp, and to a workspace in memory, may have ${limits.tmpMb} MiB each. Write less, or clean up in between.`;
const NO_SPACE_ON_DISK = `What a call writes to /tmp may have ${limits.tmpMb} MiB. Everything else is on the machine's disk, which is full if it was not /tmp: delete what is not needed, or a person has to make room.`;
const NESTED =
  "This program is in a box already, and a box cannot make another one. Switch the program's own sandbox off, such as with --no-sandbox.";
const TRACING =
  "No program in a box can trace another one: strace and debuggers that attach do not work there. Log inside the program, or trace outside of the box.";
const ONLY_READ = "The worker file lets this session read the project, and change nothing. Write to /tmp or to HOME.";
const CROSS_DEVICE =
  "A directory cannot be renamed from one mount of the box to another, nor, in a draft, if the project has it too. Copy it and delete the first, as mv does.";
const OTHER_OWNER = "This file belongs to another user or group, and cannot be changed in the box. Copy it first.";
const PERHAPS_OTHER_OWNER =
  "If `ls -ln` shows 65534 as its owner or group, the file belongs to another user or group. If it can be read, copy it and work with the copy.";

const ofTheBox: readonly (readonly [RegExp, string])[] = [
  [nestedSandbox, NESTED],
  [tracing, TRACING],
  [crossDevice, CROSS_DEVICE],
  [otherOwner, OTHER_OWNER],
];

const limitKeys = {
  memory: "memory_mb",
  nproc: "nproc",
  nofile: "nofile",
  fsize: "fsize_mb",
  cpu: "cpu_s",
  disk: "disk_mb",
};

function limitReached(hit: ExecutionResult["limit_hit"], run: AfterRun): string | null {
  if (hit === null || hit === "output" || hit === "network") return null; // the gate says itself which limit of the network it was
  return raise(limitKeys[hit], run, hit === "cpu" ? "a run may compute" : "a run may use");
}

/** Which key of the configuration a person would have to raise. The agent cannot. */
function raise(key: string, { agent, capability: { workLimits } }: AfterRun, what: string): string {
  const now: Readonly<Record<string, number | null | undefined>> = {
    memory_mb: workLimits.memoryMb,
    fsize_mb: workLimits.fsizeMb,
    nofile: workLimits.nofile,
    nproc: workLimits.nproc,
    cpu_s: workLimits.cpuS,
    disk_mb: workLimits.diskMb ?? limits.diskMb,
  };
  const value = now[key] ?? null;
  const ran = `It reached a limit: ${key}${value === null ? "" : ` is ${value}`}, the most that ${what}.`;
  return `${ran} If it cannot do with less, a person can raise agents.${agent}.limits.${key} in the configuration.`;
}

/** Hosts that a hint names, so that it stays short. */
const HOSTS_NAMED = 3;

function noNetworkHint({ said, network, effects, argument, agent }: Failed): string | null {
  const reached = effects.flatMap((effect) => (effect.kind === "network" ? [effect.host] : []));
  if (network !== "none" || !(reached.length > 0 || unreachable.test(said))) return null;
  const known = [...new Set(reached)].filter((host) => parseOneHost(host)?.port != null).slice(0, HOSTS_NAMED);
  const hosts = JSON.stringify(known.length > 0 ? known : ["host:port"]);
  return `There is no network in the box. If it cannot do without: ${argument.needs}: {"network": ${hosts}}, and a person is asked. A person can also add hosts to agents.${agent}.net_grants in the configuration.`;
}

function noSpaceHint({ view, path }: WorkspaceLocation): string {
  return isInDraft(view, path) || directoryOfWorkspace(view) !== null ? NO_SPACE_ON_DISK : NO_SPACE_IN_MEMORY;
}

function readOnlyHint({ said, argument, workspace, capability }: Failed): string | null {
  const wrong = said.split("\n").find((line) => readOnly.test(line));
  if (wrong === undefined) return null;
  const { view, path } = workspace;
  if (isInDraft(view, path) && fsGrantFor(capability, path, "rw") === undefined) return ONLY_READ;
  return /\.git\b/.test(wrong)
    ? "What lies in a .git outside of the workspace is read-only: stage files with git_stage and send them with git_push."
    : `Only /workspace, /tmp and what is granted rw can be changed. Write there; or name the path in ${argument.needs}: {"write": [...]}, and a person is asked.`;
}

/** pnpm does not mix packages of two stores. Its own is in HOME of the session, that of `node_modules` is the person's. */
function otherStore({ said, capability }: Failed): string | null {
  const store = /linked from the store at "(\/[^"\n]+\/v\d+)"/.exec(said)?.[1];
  if (store === undefined || !said.includes("ERR_PNPM_UNEXPECTED_STORE")) return null;
  const use = `npm_config_store_dir=${store.replace(/\/v\d+$/, "")} makes pnpm use it, offline too`;
  return fsGrantFor(capability, store, "r") === undefined
    ? `node_modules consists of packages in ${store}, which is not granted. A person can grant it with mode r, as \`sallyport init\` proposes; then ${use}. With a network, CI=1 pnpm install makes node_modules anew.`
    : `node_modules consists of packages in ${store}: ${use}.`;
}

/** An absolute path that the program did not find and that no grant covers. */
function missingPath({ said, capability, argument }: Failed): string | null {
  const found = said.matchAll(
    /(?<![\w.@%+=,/-])(\/[\w.@%+=,/-]+)['"’]?: (?:No such file or directory|not found)|No such file or directory: '(\/[^'\n]+)'/g,
  );
  for (const [, before, after] of found) {
    const path = before ?? after ?? "";
    if (!path.startsWith("/dev/") && !isBoxPath(path, capability) && fsGrantFor(capability, path, "r") === undefined)
      return `${path} is not in the box: only granted paths are. If it is on this machine, name it in ${argument.needs}: {"read": [...]}, and a person is asked.`;
  }
  return null;
}

/** A shell ends with 127 if it does not find a command. */
function missingCommand({ said, result, agent, elsewhere }: Failed): string | null {
  const name = /(?:^|[\s:])([\w.@+-]+): (?:command )?not found\s*$/m.exec(said)?.[1];
  if (name === undefined || (result.exit_code !== 127 && !/command not found/.test(said))) return null;
  const missing = elsewhere(name);
  if (missing !== null) return grantHint(name, agent, missing);
  return `${name} is not in the box: it is not installed, or a rule or grant hides it. \`sallyport doctor\` lists the person's own programs outside of the grants, and it is not among them.`;
}

/** How a person can bring a program of theirs into the box. The agent cannot. */
export function grantHint(name: string, agent: string, { path, grants }: MissingProgram): string {
  const lines = grants.map((grant) => `{ path: ${JSON.stringify(grant)}, mode: r }`).join(" and ");
  return `${name} is not in the box: it lies at ${path}, which no grant covers. A person can add ${lines} to agents.${agent}.fs_grants in the configuration; \`sallyport init\` proposes it.`;
}
