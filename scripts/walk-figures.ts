// Counts the source files and functions that run between a call and its reply, for three usual calls: a program, a script that
// a person is asked about, and a commit that is staged and pushed. V8's precise coverage does the counting.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createGate,
  createRegistry,
  type Gate,
  registerBashTool,
  registerBuiltinTools,
  registerExecTool,
} from "../src/index.ts";

interface WalkFigure {
  readonly walk: string;
  /** Files of src/ of which at least one function ran during the call. */
  readonly files: number;
  readonly functions: number;
}

const source = pathToFileURL(join(import.meta.dirname, "../src")).href;

/** What ran in src/ while the work was done. */
async function ranDuring(walk: string, work: () => Promise<void>): Promise<WalkFigure> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  session.disconnect();
  const ran = result
    .filter(({ url }) => url.startsWith(source))
    .map(({ url, functions }) => ({
      url: relative(source, url),
      count: functions.filter(({ functionName, ranges }) => functionName !== "" && (ranges[0]?.count ?? 0) > 0).length,
    }))
    .filter(({ count }) => count > 0);
  return { walk, files: ran.length, functions: ran.reduce((sum, { count }) => sum + count, 0) };
}

async function succeeds(gate: Gate, tool: string, args: object): Promise<Record<string, unknown>> {
  const reply = await gate.call({ tool, args });
  if (!reply.ok) throw new Error(`${tool}: ${reply.message}`);
  return reply.result;
}

export async function walkFigures(): Promise<WalkFigure[]> {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-figures-"));
  const project = join(directory, "project");
  const repository = join(directory, "repository");
  mkdirSync(project);
  mkdirSync(repository);
  const git = (...words: string[]) => execFileSync("git", ["-C", repository, ...words], { stdio: "ignore" });
  git("init", "-q", "-b", "work");
  git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "Begin");
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerExecTool(registry);
  registerBashTool(registry);
  const configFile = join(directory, "config.yaml");
  writeFileSync(
    configFile,
    JSON.stringify({
      version: 1,
      agents: {
        default: {
          tool_grants: ["Exec", "Bash", "git_*", "*_file"],
          fs_grants: [
            { path: "/usr", mode: "r" },
            { path: repository, mode: "r" },
          ],
        },
      },
      workspace: { kind: "memory" },
      policy: { rules: [{ decide: "ask", effect: "run", program: "/usr/bin/date" }] },
    }),
  );
  const gate = createGate({
    registry,
    configPath: configFile,
    statePath: join(directory, "state"),
    project,
    session: "figures",
    approvers: [
      {
        name: "yes",
        ask: ({ action: { digest } }) =>
          Promise.resolve({ decision: "allow", digest, scope: "once", who: "figures", reason: null }),
      },
    ],
  });
  try {
    await succeeds(gate, "Exec", { argv: ["/usr/bin/true"] }); // what is made once is not counted
    const exec = await ranDuring("Exec /usr/bin/true", async () => {
      await succeeds(gate, "Exec", { argv: ["/usr/bin/true"] });
    });
    const bash = await ranDuring("Bash with a question", async () => {
      await succeeds(gate, "Bash", { script: "date" });
    });
    await succeeds(gate, "write_file", { path: "a.txt", content: "a\n" });
    const push = await ranDuring("git_stage and git_push", async () => {
      const { id } = await succeeds(gate, "git_stage", { files: ["a.txt"], message: "Add a" });
      await succeeds(gate, "git_push", { commitId: id, target: { type: "local", path: repository, branch: "work" } });
    });
    return [exec, bash, push];
  } finally {
    gate.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
