// The configuration that applies without a file. The same parser reads it. It names no workspace: then it is a draft, if there can be one.

export const defaultConfigText = `version: 1
agents:
  default:
    tool_grants: [Git, Shell, Bash, Python, "git_*", "*_file", "*_files"]
    fs_grants:
      - { path: /usr, mode: r }
      - { path: "\${project}", mode: r, hide: [".env*", "*.pem"], tracked: shown }
    net_grants: []
    limits: {}
approvals: { mode: ask, timeout_s: 300 }
sandbox: { require: kernel }
policy: { rules: [] }
store: sqlite
`;
