import type { ProgramExamples } from "./program-examples.ts";

export const packageManagersExamples: ProgramExamples = {
  npm: {
    shell: { passes: ["npm run build"], refused: [] },
    effects: [
      {
        kind: "network",
        is: [
          "npm install",
          "npm ci",
          "npm pack left-pad",
          "npm i -D x",
          "yarn",
          "npm --prefix x install",
          "npm i --registry http://x.invalid y",
        ],
        isNot: [
          "npm pack",
          "npm pack --dry-run",
          "npm init -y",
          "npm ci --offline",
          "npm test",
          "npm run build",
          "npm --version",
          "yarn test",
        ],
        hosts: [
          "registry.npmjs.org:443 *",
          "registry.npmjs.org:443 *",
          "registry.npmjs.org:443 *",
          "registry.npmjs.org:443 *",
          "registry.yarnpkg.com:443 *",
          "registry.npmjs.org:443 *",
          "x.invalid:80 *",
        ],
      },
    ],
    starts: [
      ["uv run rm x", "rm x"],
      ["bundle exec rm x", "rm x"],
      ["npm exec -- rm x", "rm x"],
      ["npx rm x", "rm x"],
      ["npm install x"],
    ],
  },
  npx: {
    shell: { passes: ["npx --yes some-package"], refused: [] },
    effects: [
      {
        kind: "network",
        is: ["npx -y x"],
        hosts: ["registry.npmjs.org:443 *"],
        isNot: ["npx tsc", "npx --no-install tsc"],
      },
    ],
  },
  uv: {
    shell: { passes: ["uv sync"], refused: [] },
    effects: [
      {
        kind: "network",
        is: ["pip install x", "uv pip install x"],
        isNot: ["pip list", "pip install --no-index x"],
        hosts: ["pypi.org:443 files.pythonhosted.org:443 *", "pypi.org:443 files.pythonhosted.org:443 *"],
      },
    ],
  },
  pip: { shell: { passes: ["pip install .", "pip3 list"], refused: [] } },
  cargo: {
    shell: { passes: ["cargo build"], refused: [] },
    effects: [
      {
        kind: "network",
        is: ["cargo install x"],
        isNot: ["cargo build", "cargo install --offline x"],
        hosts: ["index.crates.io:443 static.crates.io:443 *"],
      },
    ],
  },
  go: {
    shell: {
      passes: ["go run x.go", "go vet -vettool=./x.sh ./...", "go env GOPATH", "go env -json"],
      refused: [
        "go env -w GOFLAGS=-toolexec=./x.sh",
        "go env --w A=b",
        "go env -w=true A=b",
        "go env -u GOFLAGS",
        "go -C sub env -w A=b",
        "go -C=sub env -w A=b",
      ],
    },
    effects: [
      {
        kind: "network",
        is: ["go mod download"],
        isNot: ["go test ./..."],
        hosts: ["proxy.golang.org:443 sum.golang.org:443 *"],
      },
    ],
  },
  bundle: { effects: [{ kind: "network", is: ["bundle install"], isNot: ["bundle exec x"], hosts: ["*"] }] },
  conda: {
    starts: [["conda run -n a rm x", "rm x"], ["conda run --no-capture-output rm x", "rm x"], ["conda install x"]],
  },
  gem: { effects: [{ kind: "network", is: ["gem install x"], isNot: ["gem list"], hosts: ["*"] }] },
  apt: {
    effects: [
      {
        kind: "network",
        is: ["apt-get -y install x"],
        isNot: ["apt list"],
        hosts: ["deb.debian.org:80 security.debian.org:80 *"],
      },
    ],
  },
  docker: { effects: [{ kind: "network", is: ["docker pull x"], isNot: ["docker ps"], hosts: ["*"] }] },
};
