// The agents that `sallyport run` knows. test/cli/run/clients.slow.ts runs them, as npm brings them, with a scripted model.

import type { AgentProfile, ModelHost, ModelKey } from "./agent-profile.ts";

const bearer = (variable: string): ModelKey => ({ variable, header: "Authorization", scheme: "Bearer" });
const plain = (variable: string, header: string): ModelKey => ({ variable, header, scheme: "" });

const anthropic: ModelHost = {
  host: "api.anthropic.com",
  paths: ["/v1/messages", "/v1/messages/**", "/v1/models", "/v1/models/**", "/api/hello"],
  addressVariable: "ANTHROPIC_BASE_URL",
  keys: [plain("ANTHROPIC_API_KEY", "x-api-key")],
};

const openai: ModelHost = {
  host: "api.openai.com",
  paths: ["/v1/responses", "/v1/responses/**", "/v1/chat/completions", "/v1/models", "/v1/models/**"],
  addressVariable: "OPENAI_BASE_URL",
  keys: [bearer("OPENAI_API_KEY")],
};

const google: ModelHost = {
  host: "generativelanguage.googleapis.com",
  paths: ["/v1/models", "/v1/models/**", "/v1beta/models", "/v1beta/models/**"],
  addressVariable: "GOOGLE_GEMINI_BASE_URL",
  keys: [plain("GEMINI_API_KEY", "x-goog-api-key")],
};

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The gate as a server of MCP, in a client's own spelling. */
const servers = (key: string, mcp: string | null, server: object): object =>
  mcp === null ? {} : { [key]: { sallyport: server } };

/** What a client calls before each of its tools, so that the record has what the agent says. It goes on whatever comes of it. */
const hooks = (event: string, matcher: string, client: string, mcp: string | null): object => {
  const hook = { type: "command", command: `sallyport hook ${client} || true` };
  return mcp === null ? {} : { hooks: { [event]: [{ matcher, hooks: [hook] }] } };
};

const claude: AgentProfile = {
  title: "Claude Code",
  programs: ["claude"],
  package: "@anthropic-ai/claude-code",
  environment: {
    IS_SANDBOX: "1", // as root it refuses to leave out its questions without
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: "1", // from github.com
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
  },
  options: [
    {
      words: ["--dangerously-skip-permissions"],
      unless: ["--dangerously-skip-permissions", "--permission-mode"],
    },
    // Words count more than the settings of a project, which may demand its own sandbox.
    { words: ["--settings", JSON.stringify({ sandbox: { enabled: false } })], unless: ["--settings"] },
  ],
  settings: ({ project, placeholder, mcp }) => [
    {
      path: ".claude.json",
      content: json({
        ...servers("mcpServers", mcp, { type: "http", url: mcp }),
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: [placeholder.slice(-20)], rejected: [] },
        projects: { [project]: { hasTrustDialogAccepted: true } },
      }),
    },
    {
      path: ".claude/settings.json",
      content: json({ ...hooks("PreToolUse", "*", "claude", mcp), skipDangerousModePermissionPrompt: true }),
    },
  ],
  models: [
    {
      ...anthropic,
      keys: [...anthropic.keys, bearer("ANTHROPIC_AUTH_TOKEN"), bearer("CLAUDE_CODE_OAUTH_TOKEN")],
    },
  ],
};

const codex: AgentProfile = {
  title: "Codex",
  programs: ["codex"],
  package: "@openai/codex",
  environment: {},
  options: [
    {
      words: ["--dangerously-bypass-approvals-and-sandbox"],
      unless: "--dangerously-bypass-approvals-and-sandbox --yolo --full-auto --sandbox -s -a --ask-for-approval".split(
        " ",
      ),
    },
    // The hooks of its profile are new to it, and it would leave them out.
    { words: ["--dangerously-bypass-hook-trust"], unless: ["--dangerously-bypass-hook-trust"] },
    { words: ["-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false"], unless: [] },
    // At each start it would look for plugins at hosts that nothing else needs.
    {
      words: ["-c", "features.plugins=false", "-c", "features.apps=false"],
      unless: [],
    },
  ],
  ownSandbox: /(?:^| )(?:--full-auto|(?:-s|--sandbox)[ =](?:read-only|workspace-write))(?: |$)/,
  settings: ({ project, mcp }) => [
    {
      path: ".codex/config.toml",
      content: [
        `[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n`,
        ...(mcp === null ? [] : [`[mcp_servers.sallyport]\nurl = "${mcp}"\n`]),
      ].join("\n"),
    },
    { path: ".codex/hooks.json", content: json(hooks("PreToolUse", ".*", "codex", mcp)) },
  ],
  models: [
    {
      ...openai,
      keys: [...openai.keys, bearer("CODEX_API_KEY")],
      // A provider of its own: the built-in one wants a login on a terminal, and tries web sockets first.
      options: (address, variable) => [
        "-c",
        'model_provider="sallyport"',
        "-c",
        `model_providers.sallyport={name="OpenAI",base_url=${JSON.stringify(address)},env_key="${variable}",wire_api="responses"}`,
      ],
    },
  ],
};

const gemini: AgentProfile = {
  title: "Gemini CLI",
  programs: ["gemini"],
  package: "@google/gemini-cli",
  environment: { GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_SANDBOX: "false", GEMINI_TELEMETRY_ENABLED: "false" },
  options: [{ words: ["--approval-mode", "yolo"], unless: ["--approval-mode", "--yolo", "-y"] }],
  ownSandbox: /(?:^| )(?:-s|--sandbox)(?![\w-]|=false)/,
  settings: ({ mcp }) => [
    {
      path: ".gemini/settings.json",
      content: json({
        ...servers("mcpServers", mcp, { httpUrl: mcp, trust: true }),
        ...hooks("BeforeTool", ".*", "gemini", mcp),
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: "gemini-api-key" } },
      }),
    },
  ],
  models: [google],
};

/** As the hooks of the others. It does not wait, and a failure means to go on. */
const opencodePlugin = `export const Sallyport = async () => ({
  "tool.execute.before": async ({ tool, sessionID }, { args }) => {
    const said = JSON.stringify({ tool_name: tool, tool_input: args, session_id: sessionID });
    try {
      Bun.spawn(["sallyport", "hook", "opencode"], { stdin: new Blob([said]), stdout: "ignore", stderr: "ignore" });
    } catch {}
  },
});
`;

const opencode: AgentProfile = {
  title: "opencode",
  programs: ["opencode"],
  package: "opencode-ai",
  environment: {
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_PERMISSION: JSON.stringify({ edit: "allow", bash: "allow", external_directory: "allow" }),
  },
  options: [],
  settings: ({ mcp }) => [
    { path: ".config/opencode/opencode.json", content: json(servers("mcp", mcp, { type: "remote", url: mcp })) },
    ...(mcp === null ? [] : [{ path: ".config/opencode/plugin/sallyport.js", content: opencodePlugin }]),
    // Else it installs types for plugins from npm when it starts.
    { path: ".config/opencode/node_modules/.keep", content: "" },
    {
      path: ".config/opencode/package-lock.json",
      content: json({ packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } } }),
    },
  ],
  models: [anthropic, openai, google].map((model) => ({ ...model, addressVariable: null })),
};

export const agentProfiles: readonly AgentProfile[] = [claude, codex, gemini, opencode];
