import type { ProgramExamples } from "./program-examples.ts";

export const xargsExamples: ProgramExamples = {
  xargs: {
    shell: {
      passes: [
        "xargs",
        "xargs -a list.txt cat",
        "xargs -n1 wc -l",
        "xargs sort --",
        "xargs -I{} cat src/{}",
        "xargs grep -n TODO",
        "xargs python3",
      ],
      refused: [
        "xargs -a list.txt touch",
        "xargs sort",
        "xargs -0p cat",
        "xargs -o cat",
        "xargs -I{} {}",
        "xargs -I ls ls",
        "xargs env",
        "xargs sed -n p",
        "xargs uniq --",
        "xargs -I{} sort {} --",
        "xargs find .",
        "xargs --process-slot-var=A cat",
        "xargs git log",
        "xargs env git log",
      ],
    },
    starts: [
      ["xargs rm -f", "rm -f …"],
      ["xargs -0 -n 1 rm", "rm …"],
      ["xargs -I{} rm x/{} y", "rm … y"],
      ["xargs -I {} sh -c 'rm {}'", "sh -c …", "rm …"],
      ["xargs --max-args=1 -P4 rm", "rm …"],
      ["xargs"],
    ],
  },
  parallel: {
    starts: [
      ["parallel rm {} ::: a b", "rm …"],
      ["parallel -j 4 'rm -f {}' ::: a", "rm -f …"],
      ["parallel rm", "rm …"],
    ],
  },
};
