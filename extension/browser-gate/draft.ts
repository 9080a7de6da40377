// The draft that is open in this browser: its files in the pack, and two gates over them, one for the person and one for an agent.
// Invariant: a draft counts as open once all its files were pulled. What was pulled only in part is begun anew.

import { queueApprover } from "../../src/approval/queue.ts";
import { openBrowserGate } from "../../src/browser/browser-gate.ts";
import type { BrowserStores } from "../../src/browser/browser-stores.ts";
import type { SendContext } from "../../src/git/target/github/github-send.ts";
import type { GitTarget } from "../../src/git/target/target.ts";
import { compileRule, type Rule, type RuleText } from "../../src/policy/rule.ts";
import type { WasmBox } from "../../src/process/wasm-box.ts";
import type { Gate } from "../../src/runtime/session-gate.ts";
import type { OwnCommand } from "../../src/shared/own-command.ts";
import { registerBashTool } from "../../src/tools/bash.ts";
import { registerBuiltinTools } from "../../src/tools/builtin.ts";
import { registerPythonTool } from "../../src/tools/python.ts";
import { createRegistry, type Registry } from "../../src/tools/registry.ts";
import { saveFileTool } from "../../src/tools/write-file.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { DraftView } from "./draft-view.ts";
import { apiOf } from "./github-lists.ts";
import type { KeptDraft } from "./kept.ts";
import type { SignIn } from "./sign-in.ts";

const AGENT = "default";

/** What a person does in place of a command that a hint names. */
export const panelCommand: OwnCommand = () => "the side panel";

export const noNetwork: RuleText = {
  decide: "deny",
  effect: "network",
  because: "programs in a browser's box have no network",
};

export interface DraftContext {
  readonly stores: BrowserStores;
  readonly box: WasmBox;
  readonly signIn: SignIn;
  readonly send: SendContext["send"];
}

export interface Draft {
  readonly kept: KeptDraft;
  readonly view: DraftView;
  /** For calls that the person makes in the session. */
  readonly person: Gate;
  readonly agent: Gate;
}

/** As rules and questions name the repository. */
export function projectOf({ githubUrl, repository }: Pick<KeptDraft, "githubUrl" | "repository">): string {
  return `/${new URL(githubUrl).hostname}/${repository}`;
}

export function openDraft(kept: KeptDraft, files: Workspace, context: DraftContext): Draft {
  const { stores, box, signIn, send } = context;
  const ofAgent = createRegistry();
  registerBuiltinTools(ofAgent);
  registerBashTool(ofAgent);
  registerPythonTool(ofAgent);
  const who = `${signIn.account?.login ?? "the person"} in the side panel`;
  const target: GitTarget = { type: "github", repo: kept.repository, branch: kept.branch };
  const open = (registry: Registry, calledBy: string | undefined): Gate =>
    openBrowserGate({
      stores,
      files,
      box,
      registry,
      session: kept.session,
      project: projectOf(kept),
      target,
      github: {
        url: apiOf(kept.githubUrl),
        send,
        signedIn: {
          token: async () => signIn.tokenFor(kept.githubUrl),
          author: () => signIn.authorFor(kept.githubUrl),
        },
      },
      approvers: [queueApprover(stores.store.queue)],
      command: panelCommand,
      agent: AGENT,
      rules: [ruleOf(noNetwork)],
      calledBy,
    }).gate;
  const session = { agent: AGENT, name: kept.session };
  return {
    kept,
    view: new DraftView({ files, staged: stores.staged, session }),
    person: open(withSaving(ofAgent), who),
    agent: open(ofAgent, undefined),
  };
}

/** The editor says what it replaces. */
function withSaving(tools: Registry): Registry {
  const registry = createRegistry();
  for (const name of tools.names) {
    const tool = tools.find(name);
    if (name === saveFileTool.name) registry.register(saveFileTool);
    else if (tool !== undefined) registry.register(tool);
  }
  return registry;
}

function ruleOf(text: RuleText): Rule {
  const rule = compileRule(text, "browser-network", "the extension");
  if (!rule.ok) throw new Error(rule.failure.message);
  return rule.value;
}
