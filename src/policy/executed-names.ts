// The one list of names that other programs execute later: git, editors, agents, shells, package managers and build services run
// such a file, or a setting in it, without anybody naming it again. Landings, questions and the warnings of a push use it.
// A name is one to three path components and counts at any depth; a leading `*` stands for any beginning of the last one.

export type ExecutedKind = "file" | "directory";

export interface ExecutedName {
  readonly name: string;
  readonly kind: ExecutedKind;
  /**
   * How the gate treats the name in a directory that the agent may change.
   * `guarded`: nothing of this name lands without a yes.
   * `warned`: the agent may change it; the review of a push names it.
   */
  readonly care: "guarded" | "warned";
  /** `opened`: it runs when a person opens, enters, installs or commits there. `built`: it runs on a build service, by itself. */
  readonly when: "opened" | "built";
}

function rows(kind: ExecutedKind, care: ExecutedName["care"], names: string, when: ExecutedName["when"] = "opened") {
  return names.split(/\s+/).map((name): ExecutedName => ({ name, kind, care, when }));
}

export const executedNames: readonly ExecutedName[] = [
  // git, and what runs on a commit
  ...rows("directory", "guarded", ".git .husky"),
  ...rows("file", "guarded", ".gitmodules .gitconfig"),
  ...rows("directory", "guarded", ".githooks .lefthook .config/git"),
  ...rows("file", "guarded", ".huskyrc .pre-commit-config.yaml .pre-commit-config.yml"),
  ...rows("file", "guarded", "lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml"),
  // editors
  ...rows("directory", "guarded", ".vscode .idea .devcontainer"),
  ...rows("directory", "guarded", ".zed .fleet .vs .run .emacs.d .config/nvim"),
  ...rows("file", "guarded", ".devcontainer.json *.code-workspace *.sublime-project .exrc .vimrc .gvimrc .nvimrc"),
  ...rows("file", "guarded", ".nvim.lua .lvimrc .dir-locals.el .dir-locals-2.el .emacs"),
  // agents
  ...rows("directory", "guarded", ".claude .cursor .codex .gemini .windsurf .continue"),
  ...rows("file", "guarded", ".mcp.json"),
  ...rows("directory", "guarded", ".kiro .roo .opencode .amazonq .cline .junie .augment .goose"),
  ...rows("file", "guarded", "opencode.json opencode.jsonc .aider.conf.yml"),
  ...rows("file", "warned", "AGENTS.md CLAUDE.md GEMINI.md .cursorrules .windsurfrules .clinerules .goosehints"),
  ...rows("file", "warned", ".github/copilot-instructions.md"),
  // shells, and programs that run their settings when they start
  ...rows("file", "guarded", ".envrc .bashrc .bash_profile .bash_login .bash_logout .profile"),
  ...rows("file", "guarded", ".zshrc .zshenv .zprofile .zlogin"),
  ...rows("file", "guarded", ".bash_aliases .inputrc .cshrc .tcshrc .kshrc .mkshrc .login .logout .zlogout"),
  ...rows("file", "guarded", ".xprofile .xinitrc .xsession .xsessionrc .pam_environment .tmux.conf .screenrc"),
  ...rows("file", "guarded", ".gdbinit .lldbinit .psqlrc .sqliterc .irbrc .pryrc .pdbrc .ghci .Rprofile"),
  ...rows("directory", "guarded", ".ssh .config/fish .config/environment.d .config/autostart .config/systemd"),
  ...rows("directory", "guarded", ".config/direnv .config/tmux"),
  // package managers and tools that run on install, or on every command
  ...rows("file", "guarded", ".npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .mise.toml mise.toml .config/mise.toml"),
  ...rows("file", "guarded", ".cargo/config .cargo/config.toml"),
  ...rows("directory", "guarded", ".yarn/releases .yarn/plugins"),
  ...rows("directory", "warned", ".cargo .yarn"),
  ...rows("file", "warned", ".pnp.cjs .pnp.loader.mjs .bazelrc"),
  // build machines: what each maker reads
  ...rows("directory", "warned", ".circleci .buildkite .woodpecker .azure-pipelines .pipelines .teamcity", "built"),
  ...rows("directory", "warned", ".semaphore .github/workflows .github/actions .gitea/workflows", "built"),
  ...rows("directory", "warned", ".forgejo/workflows .gitlab/ci", "built"),
];
