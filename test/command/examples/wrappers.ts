import type { ProgramExamples } from "./program-examples.ts";

export const wrappersExamples: ProgramExamples = {
  timeout: {
    starts: [
      ["timeout 5 rm x", "rm x"],
      ["timeout -k 1 -s KILL 5 rm x", "rm x"],
      ["timeout --signal=KILL --foreground 5s rm x", "rm x"],
    ],
  },
  nice: {
    starts: [
      ["nice -n 5 rm x", "rm x"],
      ["nice -5 rm x", "rm x"],
      ["nice rm x", "rm x"],
    ],
  },
  ionice: {
    starts: [
      ["ionice -c 3 rm x", "rm x"],
      ["ionice -c3 rm x", "rm x"],
    ],
  },
  nohup: {
    starts: [
      ["nohup rm x &", "rm x"],
      ["setsid -w rm x", "rm x"],
      ["/usr/bin/time -f %e rm x", "rm x"],
      ["exec -a ls rm x", "rm x"],
      ["builtin eval 'rm x'", "eval rm x", "rm x"],
    ],
  },
  command: { starts: [["command rm x", "rm x"], ["command -p rm x", "rm x"], ["command -v rm"]] },
  stdbuf: { starts: [["stdbuf -oL -e 0 rm x", "rm x"]] },
  taskset: { starts: [["taskset -c 0,1 rm x", "rm x"]] },
  chrt: { starts: [["chrt -i 0 rm x", "rm x"]] },
  prlimit: { starts: [["prlimit --nproc=1 rm x", "rm x"]] },
  setarch: { starts: [["setarch x86_64 rm x", "rm x"]] },
  linux32: {
    starts: [
      ["fakeroot rm x", "rm x"],
      ["eatmydata -- rm x", "rm x"],
      ["chronic -ve rm x", "rm x"],
      ["ls | ifne -n rm x", "rm x"],
    ],
  },
  "xvfb-run": { starts: [["xvfb-run -s 'a b' rm x", "rm x"]] },
  tini: {
    starts: [
      ["tini -g -- rm x", "rm x"],
      ["sshpass -p y rm x", "rm x"],
    ],
  },
  gosu: {
    starts: [
      ["gosu nobody rm x", "rm x"],
      ["envdir e rm x", "rm x"],
    ],
  },
  faketime: { starts: [["faketime -f '2020-01-01' rm x", "rm x"]] },
  proot: { starts: [["proot -r / -b /a:/b rm x", "rm x"]] },
  "ld-linux-x86-64": {
    starts: [
      ["/lib64/ld-linux-x86-64.so.2 /bin/rm x", "/bin/rm x"],
      ["/lib64/ld-linux-x86-64.so.2 --library-path /a /bin/rm x", "/bin/rm x"],
      ["/lib64/ld-linux-x86-64.so.2 --list /bin/rm"],
    ],
  },
  busybox: {
    starts: [
      ["busybox rm x", "rm x"],
      ["busybox sh -c 'rm x'", "sh -c rm x", "rm x"],
    ],
  },
  watch: {
    starts: [
      ["watch -n 1 rm x", "rm x"],
      ["watch -x rm x", "rm x"],
      ["watch 'rm x; ls'", "rm x", "ls"],
      ["ls | entr -r rm x", "rm x"],
    ],
  },
  flock: { starts: [["flock x rm y", "rm y"], ["flock -n x -c 'rm y'", "rm y"], ["flock 9"]] },
  script: {
    starts: [
      ["script -q -c 'rm x' log", "rm x"],
      ["script -qc 'rm x'", "rm x"],
    ],
  },
  "run-parts": { starts: [["run-parts x", "…"], ["run-parts --list x"], ["run-parts --test x"]] },
};
