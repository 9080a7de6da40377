import type { ProgramExamples } from "./program-examples.ts";

export const launchersExamples: ProgramExamples = {
  doppler: {
    starts: [
      ["doppler run -- rm x", "rm x"],
      ["aws-vault exec p -- rm x", "rm x"],
      ["watchexec -e ts rm x", "rm x"],
      ["nodemon --exec 'rm x' a.js", "rm x …"],
      ["concurrently 'rm x' 'ls y'", "rm x", "ls y"],
      ["op item list"],
    ],
  },
  "cross-env": {
    starts: [
      ["cross-env A=b rm x", "rm x"],
      ["cross-env-shell 'rm x; ls'", "rm x"],
    ],
  },
  bwrap: {
    starts: [
      ["bwrap --ro-bind / / --chdir / --unshare-net rm x", "rm x"],
      ["bwrap --dev /dev -- rm x", "rm x"],
    ],
  },
  direnv: { starts: [["direnv exec . rm x", "rm x"], ["direnv allow"]] },
  asdf: { starts: [["asdf exec rm x", "rm x"], ["pyenv exec rm x", "rm x"], ["asdf list"]] },
  mise: { starts: [["mise exec node@20 -- rm x", "rm x"], ["mise x -c 'rm x'", "rm x"], ["mise ls"]] },
  "start-stop-daemon": {
    starts: [
      ["start-stop-daemon --start --exec /bin/rm -- x", "/bin/rm x"],
      ["start-stop-daemon -S -b -a /bin/rm -- x", "/bin/rm x"],
      ["start-stop-daemon --stop --pidfile x"],
    ],
  },
  "nix-shell": {
    starts: [
      ["nix-shell -p x --run 'rm x'", "rm x"],
      ["nix develop -c rm x", "rm x"],
      ["guix shell x -- rm y", "rm y"],
      ["nix build"],
    ],
  },
};
