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

const claude: AgentProfile = {
  title: "Claude Code",
  programs: ["claude"],
  package: "@anthropic-ai/claude-code",
  environment: {
    IS_SANDBOX: "1", // as root it refuses to leave out its questions without
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
  },
  options: [
    {
      words: ["--dangerously-skip-permissions"],
      unless: ["--dangerously-skip-permissions", "--permission-mode"],
    },
  ],
  settings: ({ project, placeholder }) => [
    {
      path: ".claude.json",
      content: json({
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: [placeholder.slice(-20)], rejected: [] },
        projects: { [project]: { hasTrustDialogAccepted: true } },
      }),
    },
    { path: ".claude/settings.json", content: json({ skipDangerousModePermissionPrompt: true }) },
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
    { words: ["-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false"], unless: [] },
  ],
  settings: ({ project }) => [
    { path: ".codex/config.toml", content: `[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n` },
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
  settings: () => [
    {
      path: ".gemini/settings.json",
      content: json({
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: "gemini-api-key" } },
      }),
    },
  ],
  models: [google],
};

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
  settings: () => [],
  models: [anthropic, openai, google].map((model) => ({ ...model, addressVariable: null })),
};

export const agentProfiles: readonly AgentProfile[] = [claude, codex, gemini, opencode];
