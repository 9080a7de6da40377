import type { ProgramExamples } from "./program-examples.ts";

export const terminalProgramsExamples: ProgramExamples = {
  top: {
    effects: [
      {
        kind: "interactive",
        is: ["top", "htop", "top -d 1"],
        isNot: ["top -b -n1", "top -bn1", "top -v", "htop --version"],
      },
    ],
  },
  tmux: {
    effects: [
      {
        kind: "interactive",
        is: ["tmux", "tmux attach", "tmux new -s x", "tmux a -t x"],
        isNot: [
          "tmux ls",
          "tmux new -d -s x",
          "tmux new-session -ds x",
          "tmux kill-server",
          "tmux -V",
          "tmux send-keys -t x y",
        ],
      },
    ],
    starts: [["tmux new -d 'rm x'", "rm x"], ["tmux run-shell 'rm x'", "rm x"], ["tmux ls"]],
  },
  screen: {
    effects: [
      {
        kind: "interactive",
        is: ["screen", "screen -r x", "screen -S x"],
        isNot: ["screen -ls", "screen -dmS x sleep 1", "screen -d -m x", "screen -S x -X quit", "screen --version"],
      },
    ],
    starts: [["screen -dmS a rm x", "rm x"], ["screen -ls"]],
  },
  passwd: {
    effects: [
      {
        kind: "interactive",
        is: ["passwd", "passwd root", "chsh"],
        isNot: ["passwd -S", "passwd --status root", "passwd --help"],
      },
    ],
  },
  gpg: {
    effects: [
      {
        kind: "interactive",
        is: ["gpg --gen-key", "gpg --full-generate-key", "gpg --edit-key x"],
        isNot: ["gpg --batch --gen-key p", "gpg -k", "gpg --verify x", "gpg --version"],
      },
    ],
  },
  lynx: {
    effects: [
      {
        kind: "interactive",
        is: ["lynx http://x", "w3m http://x"],
        isNot: ["lynx -dump http://x", "w3m -dump http://x", "elinks --dump http://x", "w3m -dump_head http://x"],
      },
    ],
  },
};
