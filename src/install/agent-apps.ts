// The table of agent programs that `sallyport init` knows: how each is detected, which file lists its MCP servers, the form of an entry,
// and how its own tools are switched off. One row per agent.

import type { Environment } from "../config/environment.ts";
import type { ServerStart } from "../config/server-command.ts";

export type InstallScope = "user" | "project";

export interface AppPaths {
  readonly home: string;
  readonly project: string;
  readonly environment: Environment;
}

export interface CallAllowance {
  readonly userFile: (appPaths: AppPaths) => string;
  /** Null: there is none in a project. */
  readonly projectFile: string | null;
  /** An item of a list in a JSON file, or a whole file. */
  readonly adds: { readonly path: readonly string[]; readonly item: string } | { readonly content: string };
}

export interface AgentApp {
  readonly id: string;
  readonly name: string;
  readonly programs: readonly string[];
  readonly format: "json" | "toml";
  /** If none exists, init creates the first. */
  readonly userFiles: (appPaths: AppPaths) => readonly string[];
  /** Files in the project; empty if the program has only a user file. */
  readonly projectFiles: readonly string[];
  /** A directory that the program creates, as another sign that it is installed. */
  readonly trace: (appPaths: AppPaths) => string;
  readonly scope: InstallScope;
  /** Key paths of the map of servers. init uses the first one that exists in the file, else the last. */
  readonly paths: readonly (readonly string[])[];
  /** The word by which an entry names the project; null if the program starts servers in the project. */
  readonly projectWord: Readonly<Record<InstallScope, string | null>>;
  readonly entry: (start: ServerStart) => Readonly<Record<string, unknown>>;
  /** What lets the program call the server's tools without a question of its own, where the entry alone does not. */
  readonly allowance?: CallAllowance;
  /** How the app's own shell, editing, reading and web tools are switched off, and which of them stay all the same. */
  readonly ownTools: { readonly say: string; readonly paste?: string; readonly stays?: string };
}

export const serverName = "sallyport";

/** Replaced by the absolute path of the project. */
export const projectDirectory = "PROJECT";

const stdio = ({ command, args }: ServerStart) => ({ type: "stdio", command, args });
const plain = ({ command, args }: ServerStart) => ({ command, args });
const configHome = ({ home, environment }: AppPaths) =>
  environment["XDG_CONFIG_HOME"]?.startsWith("/") === true ? environment["XDG_CONFIG_HOME"] : `${home}/.config`;
const named = (variable: string, fallback: string) => (appPaths: AppPaths) =>
  appPaths.environment[variable]?.startsWith("/") === true
    ? appPaths.environment[variable]
    : `${appPaths.home}/${fallback}`;

const codexHome = named("CODEX_HOME", ".codex");
const copilotHome = named("COPILOT_HOME", ".copilot");

/** What most of them have. */
const usual = {
  format: "json",
  projectFiles: [],
  scope: "user",
  paths: [["mcpServers"]],
  projectWord: { user: null, project: null },
} as const;

/** A rule about arguments refuses a call and leaves the tool in the list; the one below it keeps it there. */
function geminiRefusals(names: readonly string[], more: readonly string[], priority: number): readonly string[] {
  const rule = (...lines: readonly string[]) => ["[[rule]]", `toolName = ${JSON.stringify(names)}`, ...lines, ...more];
  return [
    ...rule('argsPattern = "."', 'decision = "deny"', `priority = ${priority}`),
    "",
    ...rule('decision = "allow"', `priority = ${priority - 1}`),
  ];
}

export const agentApps: readonly AgentApp[] = [
  {
    ...usual,
    id: "claude-code",
    name: "Claude Code",
    programs: ["claude"],
    userFiles: (appPaths) => [`${named("CLAUDE_CONFIG_DIR", "")(appPaths).replace(/\/$/, "")}/.claude.json`],
    projectFiles: [".mcp.json"],
    trace: named("CLAUDE_CONFIG_DIR", ".claude"),
    entry: stdio,
    allowance: {
      userFile: (appPaths) => `${named("CLAUDE_CONFIG_DIR", ".claude")(appPaths)}/settings.json`,
      projectFile: ".claude/settings.json",
      adds: { path: ["permissions", "allow"], item: `mcp__${serverName}` },
    },
    ownTools: {
      say: "In ~/.claude/settings.json (or .claude/settings.json of a project), deny them:",
      paste:
        '{ "permissions": { "deny": ["Bash", "Edit", "Write", "NotebookEdit", "Read", "Grep", "Glob", "WebFetch", "WebSearch"] } }',
    },
  },
  {
    ...usual,
    id: "codex",
    name: "Codex",
    programs: ["codex"],
    format: "toml",
    userFiles: (appPaths) => [`${codexHome(appPaths)}/config.toml`],
    projectFiles: [".codex/config.toml"],
    trace: codexHome,
    paths: [["mcp_servers"]],
    // It refuses tools that change something where nobody can be asked, and waits 10 seconds for a server; npx may have to fetch the package first.
    entry: ({ command, args }) => ({
      command,
      args,
      ...(command === "npx" ? { startup_timeout_sec: 60 } : {}),
      default_tools_approval_mode: "approve",
    }),
    ownTools: {
      say: "In ~/.codex/config.toml, above the first table, make its sandbox read-only and take the web away; then take its shell away:",
      paste: 'sandbox_mode = "read-only"\nweb_search = "disabled"\n\n[features]\nshell_tool = false',
      stays:
        "view_image still reads pictures past the gate; apply_patch is still offered and stopped by the read-only sandbox.",
    },
  },
  {
    ...usual,
    id: "gemini-cli",
    name: "Gemini CLI",
    programs: ["gemini"],
    userFiles: ({ home }) => [`${home}/.gemini/settings.json`],
    projectFiles: [".gemini/settings.json"],
    trace: ({ home }) => `${home}/.gemini`,
    // Without it the tools are not there where nobody can be asked.
    entry: (start) => ({ ...plain(start), trust: true }),
    allowance: {
      userFile: ({ home }) => `${home}/.gemini/policies/sallyport.toml`,
      projectFile: null,
      adds: {
        content: [
          "# Where nobody can be asked, Gemini CLI leaves out its own write_file, and with it the gate's tool of the same name.",
          "# With these rules its own is refused when it is called, and both stay.",
          ...geminiRefusals(["write_file"], ['modes = ["default"]', "interactive = false"], 800),
          "",
        ].join("\n"),
      },
    },
    ownTools: {
      say: "In another file of ~/.gemini/policies, such as own-tools.toml, deny them. Those that have a namesake among the gate's tools are refused when they are called; denied outright, both would go:",
      paste: [
        "[[rule]]",
        'toolName = ["run_shell_command", "replace", "list_directory", "read_many_files", "grep_search", "glob", "web_fetch", "google_web_search"]',
        'decision = "deny"',
        "priority = 900",
        "",
        ...geminiRefusals(["write_file", "read_file"], [], 900),
      ].join("\n"),
    },
  },
  {
    ...usual,
    id: "cursor",
    name: "Cursor",
    programs: ["cursor", "cursor-agent"],
    userFiles: ({ home }) => [`${home}/.cursor/mcp.json`],
    projectFiles: [".cursor/mcp.json"],
    trace: ({ home }) => `${home}/.cursor`,
    // Its project variable means the directory of .cursor/mcp.json, which for the user's file is the home directory.
    scope: "project",
    projectWord: { user: projectDirectory, project: "${workspaceFolder}" },
    entry: stdio,
    ownTools: {
      say: "For its command line, in ~/.cursor/cli-config.json, deny them. The editor has no switch that we know of: leave auto-run off there.",
      paste: '{ "permissions": { "deny": ["Shell(**)", "Write(**)"] } }',
    },
  },
  {
    ...usual,
    id: "vscode",
    name: "VS Code",
    programs: ["code"],
    userFiles: (appPaths) => [`${configHome(appPaths)}/Code/User/mcp.json`],
    projectFiles: [".vscode/mcp.json"],
    trace: (appPaths) => `${configHome(appPaths)}/Code/User`,
    paths: [["servers"]],
    projectWord: { user: "${workspaceFolder}", project: "${workspaceFolder}" },
    entry: stdio,
    ownTools: {
      say: "Choose a custom agent that has no other tools: .github/agents/sallyport.agent.md in the project:",
      paste: '---\ndescription: Works through Sallyport alone\ntools: ["sallyport/*"]\n---',
    },
  },
  {
    ...usual,
    id: "copilot-cli",
    name: "Copilot CLI",
    programs: ["copilot"],
    userFiles: (appPaths) => [`${copilotHome(appPaths)}/mcp-config.json`],
    trace: copilotHome,
    entry: ({ command, args }) => ({ type: "local", command, args, tools: ["*"] }),
    ownTools: { say: "Start it without them:", paste: "copilot --deny-tool=shell --deny-tool=write" },
  },
  {
    ...usual,
    id: "opencode",
    name: "opencode",
    programs: ["opencode"],
    userFiles: (appPaths) =>
      ["opencode.json", "opencode.jsonc"].map((name) => `${configHome(appPaths)}/opencode/${name}`),
    projectFiles: ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
    trace: (appPaths) => `${configHome(appPaths)}/opencode`,
    // Version 2 has its own map and also reads the older one; version 1 reads only the older one.
    paths: [["mcp", "servers"], ["mcp"]],
    entry: ({ command, args }) => ({ type: "local", command: [command, ...args] }),
    ownTools: {
      say: "In the same file, deny them:",
      paste:
        '{ "permission": { "bash": "deny", "edit": "deny", "read": "deny", "grep": "deny", "glob": "deny", "list": "deny", "webfetch": "deny", "websearch": "deny" } }',
    },
  },
  {
    ...usual,
    id: "zed",
    name: "Zed",
    programs: ["zed", "zeditor"],
    userFiles: (appPaths) => [`${configHome(appPaths)}/zed/settings.json`],
    projectFiles: [".zed/settings.json"],
    trace: (appPaths) => `${configHome(appPaths)}/zed`,
    paths: [["context_servers"]],
    entry: ({ command, args }) => ({ source: "custom", command, args }),
    ownTools: {
      say: "In the same file, make a profile without them, and choose it in the agent panel:",
      paste:
        '{ "agent": { "profiles": { "sallyport": { "name": "Sallyport", "tools": {}, "enable_all_context_servers": true } } } }',
    },
  },
  {
    ...usual,
    id: "windsurf",
    name: "Windsurf",
    programs: ["windsurf"],
    userFiles: ({ home }) => [`${home}/.codeium/windsurf/mcp_config.json`],
    trace: ({ home }) => `${home}/.codeium/windsurf`,
    // It has one file for all projects and no variable for the project.
    projectWord: { user: projectDirectory, project: projectDirectory },
    entry: plain,
    ownTools: { say: "We know of no setting that takes them away: leave automatic execution off." },
  },
];
