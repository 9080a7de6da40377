import type { ProgramExamples } from "./program-examples.ts";

export const sedExamples: ProgramExamples = {
  sed: {
    shell: {
      passes: [
        "sed 's/foo;bar/x|y/' a.txt",
        "sed -n 1,5p a.txt",
        "sed -e 's/a/b/' -e 's/w/e/g' a.txt",
        "sed --expr='$!N;P;D' a",
        "sed --posix 's/a/b/' a.txt",
        "sed --version",
        "sed -En '/^a/,/b$/{s|/|-|g;p}' a",
      ],
      refused: [
        "sed '1e touch x' a",
        "sed 's/.*/touch x/e' a",
        "sed 's/a/b/gw out' a",
        "sed -n 'w out' a",
        "sed '$r /etc/hostname' a",
        "sed -i s/a/b/ a",
        "sed -ni.bak p a",
        "sed s/a/b/ a --in-pl",
        "sed -f s.sed a",
        "sed -e p -fs.sed a",
        "sed --version -i",
        "sed --posix -n 'w out' a",
        "sed",
        "sed -n",
      ],
    },
    starts: [
      ["sed '1e rm x' a", "rm x"],
      ["sed -n -e p -e '$e rm x' a", "rm x"],
      ["sed 's/.*/rm x/e' a", "…"],
      ["sed 'w out\n1e rm x' a", "rm x"],
      ["sed -i 's/a/b/g;s|x|y|w log' a"],
      ["sed -n '/a/,/b/{s/e/f/;p}' a"],
      ["sed -f s.sed a"],
    ],
  },
};
