import type { ProgramExamples } from "./program-examples.ts";

export const shellsExamples: ProgramExamples = {
  sh: {
    starts: [
      ["sh -c 'rm x'", "rm x"],
      ["bash -ec 'rm x' name arg", "rm x"],
      ["bash -o pipefail -c 'rm x'", "rm x"],
      ["bash --norc -O extglob -lc 'rm x; ls'", "rm x", "ls"],
      ["bash -c -- 'rm x'", "rm x"],
      ["bash <<< 'rm x'", "rm x"],
      ["bash <<'E'\nrm x\nE", "rm x"],
      ["sh +x -c 'rm x'", "rm x"],
      ["bash x.sh"],
    ],
  },
  fish: { starts: [["fish -c 'rm x'", "…"]] },
  eval: {
    starts: [
      ["eval 'rm x'", "rm x"],
      ["eval rm x ';' ls", "rm x", "ls"],
      ['eval "$x"', "…"],
      ["eval -- 'rm x'", "rm x"],
    ],
  },
  source: { starts: [["source x", "…"], [". ./x", "…"], ["alias a=b", "…"], ["alias"]] },
  trap: {
    starts: [
      ["trap 'rm x' EXIT", "rm x"],
      ["trap -- 'rm x' INT TERM", "rm x"],
      ["trap - EXIT"],
      ["trap '' INT"],
      ["trap -p"],
    ],
  },
  hash: { starts: [["hash -p /bin/rm ls; ls", "/bin/rm …"], ["hash -r"]] },
  mapfile: {
    starts: [
      ["mapfile -C 'rm x' -c 1 a", "rm x …"],
      ["compgen -C 'rm x'", "rm x …"],
    ],
  },
};
