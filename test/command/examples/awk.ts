import type { ProgramExamples } from "./program-examples.ts";

export const awkExamples: ProgramExamples = {
  awk: {
    shell: {
      passes: [
        "awk --version",
        "awk -W version",
        "awk '$3 > 100 {print $1}' data.txt",
        "awk -F: '{print $1, ($2 > 3)}' a",
        "awk '/a|b/' a",
        "awk '!seen[$0]++' a",
        "awk -v n=3 'NR==n' a",
        "awk '{printf \"%s>%s\\n\", $1, $2}' a",
      ],
      refused: [
        "awk 'BEGIN{print 1 > \"x\"}'",
        "awk '{print >> \"x\"}' a",
        "awk 'BEGIN{\"touch x\" | getline}'",
        "awk '{print | \"sh\"}' a",
        "awk 'BEGIN{system(\"id\")}'",
        "awk 'BEGIN{while (getline line) n++}'",
        "awk -f p.awk",
        "awk -fp.awk",
        "awk -i inplace 1 a",
        "awk -o 1 a",
        "awk -W exec=p.awk",
        "awk -W version 1 a",
        "awk -Wversion -Wexec=p.awk",
        "awk --version 'BEGIN{system(\"id\")}'",
        "awk '@load \"filefuncs\"'",
        "awk -F,",
      ],
    },
    starts: [
      ["awk 'BEGIN{system(\"rm x\")}'", "rm x"],
      ["awk 'BEGIN{system(\"rm \" f)}'", "…"],
      ["awk '{print | \"sh\"}' a", "…"],
      ["awk 'BEGIN{\"date +%Y\" | getline d; print d}'", "date +%Y"],
      ["awk 'BEGIN{x \"date\" | getline d}'", "…"],
      ["awk -F: -v n=1 '{print $n | \"sort -u\"}' a", "sort -u"],
      ["gawk -e 'BEGIN{system(\"rm x\")}'", "rm x"],
      ["awk '/a|b/ || $3 > 1 {print $1}' a"],
      ["awk '{print > \"out\"}' a"],
      ["awk -f p.awk a"],
    ],
  },
};
