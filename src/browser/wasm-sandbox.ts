// The sandbox of a gate in a browser: each granted step becomes one run of the box in the page of an opaque origin.
// Invariant: a run gets the files of the granted workspace and nothing else, and nothing starts without a grant.

import type { Step, View } from "../action/action.ts";
import type { Grant } from "../approval/grant.ts";
import { type Confinement, Launch, type OverlayMount } from "../process/launch.ts";
import type { Enforced, Outcome, RunTreeChange } from "../process/outcome.ts";
import { OutputCapture } from "../process/output.ts";
import type { RunListener, Starter } from "../process/starter.ts";
import type { BoxChange, BoxEnd, BoxFile, WasmBox, WasmProgram } from "../process/wasm-box.ts";
import type { BoxWorkspace } from "../sandbox/box-workspace.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Failure } from "../shared/failure.ts";
import { limits } from "../shared/limits.ts";
import { baseName, isWithin } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { isSameView } from "../workspace/location.ts";
import { spellWorkspacePath, workspaceRoot } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** The box has no kernel below it that would hold memory or processor time. */
const browserEnforced: Enforced = Object.freeze({
  filesystem: "runtime",
  network: "runtime",
  processes: "runtime",
  memory: "no",
  cpu: "no",
  wall_clock: "runtime",
  environment: "runtime",
  syscalls: "runtime",
});

const MiB = 1024 * 1024;
const programs: Readonly<Record<string, WasmProgram>> = { bash: "bash", python3: "python" };
const directories = [workspaceRoot, "/tmp"];

/** What the box shows at /workspace: all files of the session. Its lower side is no directory, but the workspace itself. */
export function filesInBox(view: BoxWorkspace["view"]): BoxWorkspace {
  const overlay: OverlayMount = {
    kind: "overlay",
    target: workspaceRoot,
    lower: "",
    sizeBytes: limits.tmpMb * MiB,
    fileCount: 2 * limits.workspaceFileCount,
  };
  return { view, overlay, draft: null, mounts: () => [overlay] };
}

/** `files`: of the session whose calls are started here. */
export function createWasmSandbox(box: WasmBox, files: Workspace): Sandbox {
  return {
    probe: {
      architecture: "wasm32",
      bubblewrap: null,
      problem: null,
      overlay: true,
      mkfifo: null,
      cgroupHome: null,
      findings: [],
    },
    starter: createWasmStarter(box, files),
    // The first that a call asks for, before anything of its network is opened.
    openLayers: (view) => networkProblem(view) ?? ok(null),
    confine(grant, step, { workspace = null } = {}) {
      const launch = confineWasm(grant, step, workspace);
      return launch.ok ? ok({ launch: launch.value, release: () => undefined }) : launch;
    },
    executedTargets: () => [],
    openTree: () => null,
    drafts: null,
    makePrivateDirectory() {
      throw new Error("a browser has no directories of the machine");
    },
    guardian: null,
    close: () => undefined,
  };
}

function confineWasm(grant: Grant, step: Step, workspace: BoxWorkspace | null): Result<Launch> {
  const { action } = grant;
  // SECURITY(T02): the box shows only the workspace that was granted.
  if (workspace !== null && !isSameView(workspace.view, action.view.workspace))
    throw new TypeError("this workspace is not the one that was granted");
  if (programs[baseName(step.program)] === undefined)
    return fail("sandbox_unavailable", `${step.program} does not run in a browser; Bash and Python do.`);
  const problem = networkProblem(action.view);
  if (problem !== null) return problem;
  if (!directories.some((directory) => isWithin(step.cwd, directory)))
    return fail("sandbox_unavailable", `${step.cwd} is not in a browser's box: it has ${directories.join(" and ")}.`);
  const overlay = workspace?.overlay ?? null;
  const { memoryMb, fsizeMb, nofile, nproc, cpuS } = action.limits;
  const confinement: Confinement = {
    mounts: overlay === null ? [] : [overlay],
    overlay,
    layers: [],
    draft: null,
    network: "none",
    unixSockets: false,
    limits: {
      memoryBytes: memoryMb * MiB,
      fsizeBytes: fsizeMb * MiB,
      nofile,
      nproc,
      cpuS: cpuS ?? Math.ceil(step.timeoutMs / 1000),
    },
  };
  return ok(new Launch(grant, step, confinement));
}

/** SECURITY(T89): no answer opens a network that the page of the box does not have. */
function networkProblem({ network }: View): { ok: false; failure: Failure } | null {
  if (network === "none") return null;
  return fail("sandbox_unavailable", "Programs in a browser's box have no network.", {
    hint: "Call without `needs.network`.",
  });
}

function createWasmStarter(box: WasmBox, files: Workspace): Starter {
  return {
    name: "wasm",
    async start(launch, listener, dispatched) {
      launch.use();
      await dispatched();
      const { step, confinement } = launch;
      const shown = confinement.overlay === null ? [] : await boxFiles(files);
      return await runInBox(box, step, shown, listener);
    },
  };
}

async function runInBox(
  box: WasmBox,
  step: Step,
  files: readonly BoxFile[],
  listener: RunListener,
): Promise<Result<Outcome>> {
  const output = { stdout: new OutputCapture(step.stdoutBytes), stderr: new OutputCapture(step.stderrBytes) };
  const [script] = step.files;
  const began = performance.now();
  const end = await box.run(
    {
      program: programs[baseName(step.program)] as WasmProgram,
      text: script !== undefined && "content" in script ? script.content : "",
      cwd: step.cwd,
      environment: Object.fromEntries(step.environment),
      stdin: step.stdin,
      timeoutMs: step.timeoutMs,
      files,
      changedBytes: limits.workspaceTotalBytes,
    },
    {
      onOutput(stream, chunk) {
        output[stream].push(chunk);
        void listener.onOutput?.(stream, chunk);
      },
      signal: listener.signal,
    },
  );
  if (end.problem !== null && end.exitCode === null && !end.timedOut && !end.cancelled)
    return fail(
      "sandbox_unavailable",
      `The box broke: ${end.problem.replace(/\.$/, "")}. Nothing that the program wrote is kept.`,
      {
        hint: "Call again. If it breaks again, the program may need more memory than a browser gives it.",
      },
    );
  return ok(outcomeOf(end, output, performance.now() - began));
}

function outcomeOf(
  { exitCode, timedOut, cancelled, changes, notKept }: BoxEnd,
  { stdout, stderr }: { readonly stdout: OutputCapture; readonly stderr: OutputCapture },
  durationMs: number,
): Outcome {
  const special = notKept.map(({ path, reason }): RunTreeChange => ({
    kind: "special",
    path: inTree(path),
    what: /file nor|neither/.test(reason) ? "not_a_file" : "size",
  }));
  return {
    exitCode,
    signal: null,
    stdout: stdout.result(),
    stderr: stderr.result(),
    durationMs,
    timedOut,
    cancelled,
    limitHit: null,
    enforced: browserEnforced,
    changes: { isComplete: true, changes: [...changes.map(changeOfBox), ...special] },
  };
}

function changeOfBox(change: BoxChange): RunTreeChange {
  const path = inTree(change.path);
  switch (change.kind) {
    case "file":
      return change.target === null
        ? { kind: "file", path, bytes: change.bytes, executable: change.executable }
        : { kind: "link", path, target: change.target };
    case "directory":
      return { kind: "directory", path };
    case "removed":
      return { kind: "gone", path };
  }
}

/** The path is checked when the change enters the workspace, as every program's is. */
function inTree(path: string): string {
  return path.startsWith(`${workspaceRoot}/`) ? path.slice(workspaceRoot.length + 1) : path;
}

async function boxFiles(files: Workspace): Promise<readonly BoxFile[]> {
  const { entries } = await files.list();
  const shown: BoxFile[] = [];
  for (const { path, executable, target } of entries) {
    const read = target === null ? await files.read(path) : null;
    if (read?.ok === false) continue; // it was deleted meanwhile
    const bytes = read === null ? new Uint8Array() : read.value.bytes;
    shown.push({ path: spellWorkspacePath(path), executable, target, bytes });
  }
  return shown;
}
