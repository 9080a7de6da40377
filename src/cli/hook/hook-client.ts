// The clients whose hooks call `sallyport hook`: what they send before each of their tools, and the form of the answer. Data, and nothing
// that decides.

interface HookForms {
  /** The only event that is answered: before a tool of the client runs. */
  readonly event: string;
  readonly refusal: (reason: string) => object;
  /** Another input of the tool, which then runs without a question of the client. */
  readonly rewritten: (input: object) => object;
}

export interface HookClient extends HookForms {
  readonly name: string;
  /** The tool with which it gives text to a shell. */
  readonly shell: {
    readonly tool: string;
    readonly field: string;
    /** Where the command starts, if it names a directory; relative to that of the client. */
    readonly directoryField: string | null;
  };
  /** An edit of its own that it recognises in the text for its shell. */
  readonly ownEdit: RegExp | null;
  /** The variable in which it says what its project is. */
  readonly projectVariable: string | null;
}

const preToolUse: HookForms = {
  event: "PreToolUse",
  refusal: (reason) => preToolUseAnswer({ permissionDecision: "deny", permissionDecisionReason: reason }),
  rewritten: (input) => preToolUseAnswer({ permissionDecision: "allow", updatedInput: input }),
};

function preToolUseAnswer(answer: object): object {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", ...answer } };
}

/** SECURITY(T76): one heredoc in quotes, which no shell expands, and nothing after it. The text cannot hold its own end. */
const applyPatch = /^\s*apply_patch <<\s*(['"])(\w+)\1\n(?:(?!\2\n)[^\n]*\n)*\2\s*$/;

export const hookClients: readonly HookClient[] = [
  {
    ...preToolUse,
    name: "claude",
    shell: { tool: "Bash", field: "command", directoryField: null },
    ownEdit: null,
    projectVariable: "CLAUDE_PROJECT_DIR",
  },
  {
    ...preToolUse,
    name: "codex",
    shell: { tool: "Bash", field: "command", directoryField: null },
    ownEdit: applyPatch,
    projectVariable: null,
  },
  {
    name: "gemini",
    event: "BeforeTool",
    shell: { tool: "run_shell_command", field: "command", directoryField: "dir_path" },
    ownEdit: null,
    projectVariable: "GEMINI_PROJECT_DIR",
    refusal: (reason) => ({ decision: "deny", reason }),
    rewritten: (input) => ({
      decision: "allow",
      hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: input },
    }),
  },
  {
    // Its plugin, which docs/agents.md has, sends what the others send and understands this.
    name: "opencode",
    event: "tool.execute.before",
    shell: { tool: "bash", field: "command", directoryField: "workdir" },
    ownEdit: null,
    projectVariable: null,
    refusal: (reason) => ({ deny: reason }),
    rewritten: (input) => ({ args: input }),
  },
];
