// Language tooling: interpreters, compilers, package runners. They run any code they are given, in the box, with the
// agent's grants; their words are not judged.

import { type ProgramRow, runner } from "../program-row.ts";

export const languagePrograms: readonly ProgramRow[] = [
  runner("python python3", {
    passes: ["python3 --version", `python3 -c "open('x','w')"`, "python -m pytest"],
    refused: ["./python3 -V"],
  }),
  runner("node npx npm", { passes: ["node -e 1", "npx --yes some-package", "npm run build"], refused: [] }),
  runner("uv pip pip3", { passes: ["uv sync", "pip install .", "pip3 list"], refused: [] }),
  runner("cargo", { passes: ["cargo build"], refused: [] }),
  runner(
    "go",
    {
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
    findGoProblem,
  ),
  runner("java javac", { passes: ["java -javaagent:x.jar -version", "javac A.java"], refused: [] }),
  runner("make", { passes: ["make", "make -n", "make --eval='$(shell id)' ."], refused: [] }),
];

function findGoProblem(args: readonly string[]): string | null {
  const first = /^--?C$/.test(args[0] ?? "") ? 2 : /^--?C=/.test(args[0] ?? "") ? 1 : 0;
  if (args[first] !== "env") return null;
  const writes = args.slice(first + 1).find((word) => /^--?[wu](=|$)/.test(word));
  return writes === undefined ? null : `env ${writes} writes the user's configuration`;
}
