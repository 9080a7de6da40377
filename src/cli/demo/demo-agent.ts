// `sallyport demo` while a page is open: a scripted agent fixes a program and asks to push it, and a person decides on the
// page. Every call is real. The demo makes its own repository and removes it at the end.

import { queueApprover } from "../../approval/queue.ts";
import { describeConfigErrors } from "../../config/config-error.ts";
import { type Config, loadConfig } from "../../config/load.ts";
import type { ConfigPathsContext } from "../../config/config-paths.ts";
import { createGate } from "../../runtime/gate.ts";
import type { Gate } from "../../runtime/session-gate.ts";
import { replyText } from "../../runtime/reply-text.ts";
import type { Reply } from "../../runtime/reply.ts";
import { displayText } from "../../shared/display.ts";
import type { TempDirectory } from "../../store/temp-directory.ts";
import { makeDemoRepository } from "./demo-repository.ts";
import { type DemoContext, showNext, showTitle } from "./demo-title.ts";
import { exitCode } from "../exit-code.ts";
import { commandRegistry } from "../command-registry.ts";

const WAIT_S = 900;

interface AgentStep {
  readonly title: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export async function playAgent(
  directory: TempDirectory,
  page: string,
  context: DemoContext,
  store: ConfigPathsContext,
): Promise<number> {
  const { screen, pause } = context;
  const repository = await makeDemoRepository(directory, Date.now());
  const config = loadDemo(directory, store);
  const gate = createGate({
    registry: commandRegistry(),
    config,
    session: `demo-${process.pid}`,
    approvers: [({ queue }) => queueApprover(queue)],
  });
  try {
    await screen.line(screen.paint("An agent at work, and you at the gate", "bold"));
    await screen.line(`Its repository is ${directory.path}/shop.git, made for this and removed at the end.`);
    await pause();
    for (const [index, step] of steps(repository).entries()) {
      await showTitle(`${index + 1}`, step.title, screen);
      const reply = await show(step, gate, context);
      if (!reply.ok) return exitCode.refused;
      await pause();
    }
    return await pushIt(repository, page, gate, context);
  } finally {
    gate.close();
    await gate.closed;
  }
}

function steps(repository: string): AgentStep[] {
  const source = { type: "local-bare", path: repository };
  const mended = "awk '{ sum += $1 }";
  return [
    {
      title: "It pulls three files into its workspace, which is in memory.",
      tool: "git_pull",
      args: { source, paths: ["*"] },
    },
    { title: "It runs the test, in the box.", tool: "Bash", args: { script: "sh test.sh" } },
    {
      title: "It mends the program.",
      tool: "edit_file",
      args: { path: "total.sh", old_text: "awk '{ sum = $1 }", new_text: mended },
    },
    { title: "It runs the test again.", tool: "Bash", args: { script: "sh test.sh" } },
    {
      title: "It stages what it changed. From here on these bytes do not change.",
      tool: "git_stage",
      args: { files: ["total.sh"], message: "Add the prices up\n\nThe last one was shown instead of the sum." },
    },
  ];
}

async function show({ tool, args }: AgentStep, gate: Gate, { screen, signal }: DemoContext): Promise<Reply> {
  const said = displayText(`${tool} ${JSON.stringify(args)}`, { maxLength: Math.max(30, screen.width - 12) });
  await screen.line(`   ${screen.paint("agent", "dim")}  ${screen.paint(said, "cyan")}`);
  const reply = await gate.call({ tool, args }, { signal });
  signal.throwIfAborted();
  const lines = displayText(replyText(reply), { multiline: true, maxLength: 2_000 }).split("\n");
  const style = reply.ok ? "green" : "red";
  for (const line of lines.slice(0, 4))
    await screen.line(`   ${screen.paint("gate", "dim")}   ${screen.paint(line.slice(0, screen.width - 11), style)}`);
  return reply;
}

async function pushIt(repository: string, page: string, gate: Gate, context: DemoContext): Promise<number> {
  const { screen, own } = context;
  await showTitle("6", "It asks to push. Nothing leaves until you say so.", screen);
  const staged = await gate.call({ tool: "git_status", args: {} });
  const commitId = stagedId(staged);
  await screen.line(`   ${screen.paint("Look at the page: a push waits there, with its diff.", "bold")}`);
  await screen.line(`   ${page}`);
  const reply = await show(
    {
      title: "",
      tool: "git_push",
      args: { commitId, target: { type: "local-bare", path: repository, branch: "main" } },
    },
    gate,
    context,
  );
  await screen.line();
  if (!reply.ok) {
    const wasNo = reply.error === "approval_denied";
    await screen.line(
      wasNo
        ? "That is what the agent was told, with your reason. Nothing left the box."
        : "Nobody decided, so nothing left the box. The question waits for 24 hours.",
    );
    return exitCode.ok;
  }
  await screen.line(screen.paint("It landed: the commit that you read, byte for byte.", "bold"));
  const log = await gate.call({
    tool: "Git",
    args: { op: "log", repo: repository, args: ["--stat", "-n", "1"] },
  });
  const text = log.ok ? String(log.result["stdout"]) : log.message;
  for (const line of displayText(text, { multiline: true, maxLength: 4_000 }).trimEnd().split("\n"))
    await screen.line(`   ${line}`);
  await screen.line();
  await screen.line("What next:");
  await showNext(
    [
      [own("init"), "put Sallyport between your own agent and this machine"],
      [own("audit", "list"), "all of this is in the record"],
    ],
    screen,
  );
  return exitCode.ok;
}

function stagedId(reply: Reply): string {
  const staged = reply.ok ? (reply.result["staged"] as readonly { readonly id: string }[] | undefined) : undefined;
  return staged?.at(-1)?.id ?? "";
}

/** The demo uses the page's store, so that the page shows its calls. The grants cover only the demo's directory. */
function loadDemo(directory: TempDirectory, store: ConfigPathsContext): Config {
  const project = directory.makeDirectory("project");
  const configText = JSON.stringify({
    version: 1,
    agents: {
      default: {
        tool_grants: ["Bash", "Git", "git_*", "*_file", "*_files"],
        fs_grants: [
          { path: "/usr", mode: "r" },
          { path: directory.path, mode: "r" },
        ],
      },
    },
    workspace: { kind: "memory" },
    approvals: { timeout_s: WAIT_S },
  });
  const loaded = loadConfig({ configText, project, ...store });
  if (!loaded.ok) throw new Error(describeConfigErrors(loaded.errors));
  return loaded.config;
}
