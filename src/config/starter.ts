// The first configuration that `sallyport init` writes: the built-in one, with comments.

export const starterConfig = `# Sallyport: what agents may do on this machine.
# This file says the same as the defaults that hold without it. Change what you like; \`sallyport policy check\` tells
# whether it is in order, and \`sallyport doctor\` what holds. A file that is wrong anywhere stops every call.
version: 1

agents:
  # The agent that is meant when none is named with --agent. Nothing is granted that is not written here.
  default:
    # Tools by name; * stands for any characters. Exec, which starts any program, is not among them.
    tool_grants: [Git, Shell, Bash, Python, "git_*", "*_file", "*_files"]

    # What programs see of this machine. r: see and run; rw: change as well. The longest path that covers a file decides.
    fs_grants:
      - { path: /usr, mode: r }
      # The project: where the agent was started, or --project. What \`hide\` names is never shown, at any depth;
      # with \`tracked: shown\`, files that git tracks (.env.example) are.
      # (A project that holds this very file, such as your home directory, is refused: name a directory below it.)
      - { path: "\${project}", mode: r, hide: [".env*", "*.pem"], tracked: shown }

    # [] is no network; ["*"] is the whole network of this machine. In between, hosts: example.org (port 443), example.org:8080,
    # "*.example.org", localhost:5432, 10.1.0.0/16:443, and sets such as npm, pypi, crates, go, debian, github (docs/configuration.md
    # says what each opens). [ask]: programs may try any host, and you are asked about each.
    net_grants: []

    # What one run may use: memory_mb, fsize_mb (the largest file), nofile (open files), nproc (processes). What is not
    # written is what builds and test suites need for Bash, Python and Shell, and less for Exec and Git.
    limits: {}

# The files that agents may change, at /workspace. If this is not written: a draft, which is a private layer over the project, at its
# own path; or files in memory, if there can be no draft. Your project then changes only by a push that you allow.
#   workspace: { kind: draft }                            # a draft, or no calls
#   workspace: { kind: memory }                           # no draft
#   workspace: { kind: directory, path: ~/agent-work }    # a directory of yours, changed directly

# A call that needs more than is granted asks you, and waits so many seconds. \`deny\` refuses at once.
approvals: { mode: ask, timeout_s: 300 }

# kernel: nothing runs where the box cannot be held by the kernel.
sandbox: { require: kernel }

# Rules beyond the grants; the strictest that matches wins. For example:
#   - { decide: deny, effect: push, branch: main, because: "main is changed by pull request" }
policy: { rules: [] }

# Where the record of every call is kept: a file in the state directory.
store: sqlite
`;
