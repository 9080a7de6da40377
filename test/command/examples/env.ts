import type { ProgramExamples } from "./program-examples.ts";

export const envExamples: ProgramExamples = {
  env: {
    shell: {
      passes: [
        "env",
        "env FOO=bar ls -la",
        "env -i A=b sort a.txt",
        "env -u HOME pwd",
        "env -C src ls",
        "env - ls",
        "env env ls",
        "env python3 -c 1",
        "env git status",
        "env LC_ALL=C git log --oneline",
        "env -i A=b env -C src git -C deep diff",
        "env git --version",
      ],
      refused: [
        "env touch x",
        "env -i sh -c id",
        "env -S 'touch x'",
        "env --split='touch x'",
        "env -vS 'touch x'",
        "env PATH=bin ls",
        "env sort -o x a",
        "env ./ls",
        "env env env env env env env env env ls",
        "env -a x ls",
        "env git -c core.fsmonitor=x status",
        "env PATH=bin git status",
        "env ./git status",
      ],
    },
    starts: [
      ["env -i A=b rm x", "rm x"],
      ["env -u A -C src rm x", "rm x"],
      ["env - rm x", "rm x"],
      ["env -S 'A=b rm -f' x", "rm -f x"],
      ["env -vS 'rm x'", "rm x"],
      ["env -S rm -f x", "rm -f x"],
      ["env --split-string='rm x'", "rm x"],
      ["env env rm x", "env rm x", "rm x"],
      ['env "$x" rm x', "… rm x"],
      ["env GIT_SSH_COMMAND='rm x; y' git fetch", "rm x"],
    ],
  },
};
