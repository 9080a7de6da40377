import type { ProgramExamples } from "./program-examples.ts";

export const fileInspectionExamples: ProgramExamples = {
  ls: { shell: { passes: ["ls", "ls -la", "ls -I '*.o' src", "ls --color=auto ."], refused: ["./ls", "bin/ls -la"] } },
  stat: { shell: { passes: ["stat -c %s a.txt", "stat --printf='%s/%n' a.txt"], refused: [] } },
  file: {
    shell: {
      passes: ["file a.txt", "file -b --mime-type a.txt", "file -m my.magic a.txt"],
      refused: [
        "file -C -m a.txt",
        "file -bC",
        "file --comp",
        "file -z a.gz",
        "file --uncompress a.gz",
        "file -bZ a.gz",
        "file --preserve a",
      ],
    },
  },
  du: { shell: { passes: ["du -sh .", "du -d1 --exclude='*.o' src"], refused: [] } },
  wc: { shell: { passes: ["wc -l src/a.py src/b.py", "wc --files0-from=list"], refused: [] } },
  head: { shell: { passes: ["head -50 src/main.py", "head -n 5 a.txt", "head --lines=3 a b"], refused: [] } },
  tail: { shell: { passes: ["tail -n +5 a.txt", "tail -20 a.txt"], refused: [] } },
  cat: { shell: { passes: ["cat src/exec.ts", "cat -n 'my file.txt'", "cat -- -n"], refused: [] } },
  less: {
    shell: {
      passes: ["less a.txt", "less -NS a.txt", "less +100 a.txt", "less -p TODO a.txt", "less --LINE-NUMBERS a.txt"],
      refused: [
        "less -o log a.txt",
        "less -NOlog a.txt",
        "less '+!id' a.txt",
        "less -k keys a.txt",
        "less --lesskey-src=k a.txt",
        "less -Ttags a.txt",
        "less '-px$olog' a.txt",
        "less -b5olog a.txt",
        "less --log-file=x a.txt",
      ],
    },
  },
  sort: {
    shell: {
      passes: [
        "sort -u data.txt",
        "sort -k2,2n data.txt",
        "sort -t, -k1 --reverse data.txt",
        "sort --rev a.txt",
        "sort -- -o",
      ],
      refused: [
        "sort -o out a.txt",
        "sort a.txt -oout",
        "sort -uo out a.txt",
        "sort --outp=out a.txt",
        "sort --output out a.txt",
        "sort -S 64k --compress-prog=./x.sh big.txt",
        "sort --c=x a.txt",
        "sort --ke 2 a.txt",
      ],
    },
    starts: [["sort --compress-program=./x a", "./x …"], ["sort -u a"]],
  },
  uniq: {
    shell: { passes: ["uniq -c data.txt", "uniq -f 1 data.txt"], refused: ["uniq a.txt out", "uniq -c -- a.txt out"] },
  },
  diff: {
    shell: {
      passes: ["diff -u a.txt b.txt", "diff -rq --exclude=.git a b"],
      refused: ["diff -l a b", "diff -ul a b", "diff --pag a b"],
    },
  },
  comm: { shell: { passes: ["comm -12 a.txt b.txt"], refused: [] } },
  tr: { shell: { passes: ["tr 'a-z' 'A-Z'", "tr -d '/'"], refused: [] } },
  cut: { shell: { passes: ["cut -d: -f1 a.txt", "cut -d / -f 2 a.txt"], refused: [] } },
  paste: { shell: { passes: ["paste -d, a.txt b.txt"], refused: [] } },
  column: { shell: { passes: ["column -t -s, data.csv"], refused: [] } },
};
