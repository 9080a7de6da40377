import type { ProgramExamples } from "./program-examples.ts";

export const editorsExamples: ProgramExamples = {
  vim: {
    effects: [
      {
        kind: "interactive",
        is: ["vim a.txt", "vi", "vim -R x", "env vi x"],
        isNot: [
          "vim --version",
          "vim -es -c q",
          "ex -s x",
          "nvim --headless +q",
          "vim -h",
          // Without a terminal a pager prints.
          "less a.txt",
          "cat a.txt | less",
          "more a.txt",
        ],
      },
    ],
    starts: [
      ["vim -es -c '!rm x' -c q", "rm x"],
      ["vim -es +':silent !rm x' +q", "rm x"],
      ["vim -es --cmd 'call system(\"rm x\")'", "…"],
      ["ex -s a <<< '!rm x'", "rm x"],
      ["vim -es -c 'normal x' -c wq a"],
      ["nvim --headless +qa"],
    ],
  },
  ed: { starts: [["ed -s a <<< '!rm x'", "rm x"], ["ed -s a <<< '1p'"]] },
  nano: {
    effects: [
      {
        kind: "interactive",
        is: ["nano a.txt", "emacs x", "dialog --yesno x 5 5", "tig"],
        isNot: ["emacs --batch -l x.el", "nano --version", "emacs -batch"],
      },
    ],
  },
  man: { starts: [["man -P 'rm x' ls", "rm x …"], ["man ls"]] },
  fzf: { starts: [["fzf -f a --preview 'rm x'", "rm x …"], ["fzf -f a"]] },
};
