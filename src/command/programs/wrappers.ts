// Programs that start the command behind their own words, and change how it runs: its time, priority, limits, terminal.

import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { joinedScript, startCommand, starting, startScript, unknownStart, wrapper } from "../rules/start-rule.ts";

export const wrappers: readonly Program[] = [
  program("timeout gtimeout", {
    starts: wrapper({ values: "-k --kill-after -s --signal", skip: 1 }, [
      ["timeout 5 rm x", "rm x"],
      ["timeout -k 1 -s KILL 5 rm x", "rm x"],
      ["timeout --signal=KILL --foreground 5s rm x", "rm x"],
    ]),
  }),
  program("nice gnice", {
    starts: wrapper({ values: "-n --adjustment" }, [
      ["nice -n 5 rm x", "rm x"],
      ["nice -5 rm x", "rm x"],
      ["nice rm x", "rm x"],
    ]),
  }),
  program("ionice", {
    starts: wrapper({ values: "-c --class -n --classdata -p -P -u", unless: "-p -P -u" }, [
      ["ionice -c 3 rm x", "rm x"],
      ["ionice -c3 rm x", "rm x"],
    ]),
  }),
  program("nohup setsid time gtime exec builtin", {
    starts: wrapper({ values: "-f --format -o --output -a" }, [
      ["nohup rm x &", "rm x"],
      ["setsid -w rm x", "rm x"],
      ["/usr/bin/time -f %e rm x", "rm x"],
      ["exec -a ls rm x", "rm x"],
      ["builtin eval 'rm x'", "eval rm x", "rm x"],
    ]),
  }),
  program("command", {
    starts: wrapper({ unless: "-v -V" }, [["command rm x", "rm x"], ["command -p rm x", "rm x"], ["command -v rm"]]),
  }),
  program("stdbuf", {
    starts: wrapper({ values: "-i -o -e --input --output --error" }, [["stdbuf -oL -e 0 rm x", "rm x"]]),
  }),
  program("taskset", { starts: wrapper({ skip: 1, unless: "-p --pid" }, [["taskset -c 0,1 rm x", "rm x"]]) }),
  program("chrt", { starts: wrapper({ values: "-T -P -D", skip: 1, unless: "-p -m" }, [["chrt -i 0 rm x", "rm x"]]) }),
  program("prlimit", {
    starts: wrapper({ values: "-p --pid -o --output", unless: "-p --pid" }, [["prlimit --nproc=1 rm x", "rm x"]]),
  }),
  program("setarch", { starts: wrapper({ skip: 1 }, [["setarch x86_64 rm x", "rm x"]]) }),
  program(
    "linux32 linux64 catchsegv fakeroot unbuffer valgrind dbus-run-session torsocks firejail caffeinate eatmydata chronic ifne",
    {
      starts: wrapper({}, [
        ["fakeroot rm x", "rm x"],
        ["eatmydata -- rm x", "rm x"],
        ["chronic -ve rm x", "rm x"],
        ["ls | ifne -n rm x", "rm x"],
      ]),
    },
  ),
  program("xvfb-run rlwrap proxychains proxychains4 numactl", {
    starts: wrapper({ values: "-e -f -n -p -s -w -C -N -m" }, [["xvfb-run -s 'a b' rm x", "rm x"]]),
  }),
  program("tini dumb-init catatonit nocache tsocks torify trickle ssh-agent heaptrack sshpass", {
    starts: wrapper(
      {
        values: "-p -e -t -a -k -g -f -d -u -s -c -P -o",
      },
      [
        ["tini -g -- rm x", "rm x"],
        ["sshpass -p y rm x", "rm x"],
      ],
    ),
  }),
  program("gosu su-exec setuidgid s6-setuidgid s6-envdir envdir cgexec", {
    starts: wrapper({ values: "-g", skip: 1 }, [
      ["gosu nobody rm x", "rm x"],
      ["envdir e rm x", "rm x"],
    ]),
  }),
  program("faketime datefudge", {
    starts: wrapper({ values: "-p --pid", skip: 1 }, [["faketime -f '2020-01-01' rm x", "rm x"]]),
  }),
  program("proot fakechroot", {
    starts: wrapper({ values: "-r --rootfs -b --bind -q --qemu -w --cwd -R -S --kill-on-exit" }, [
      ["proot -r / -b /a:/b rm x", "rm x"],
    ]),
  }),
  program("ld-linux-x86-64 ld-linux-aarch64 ld-linux-armhf ld-linux ld-musl-x86_64 ld-musl-aarch64 ld64 ld.so", {
    starts: wrapper(
      {
        values: "--library-path --preload --argv0 --audit --inhibit-rpath --glibc-hwcaps-prepend --glibc-hwcaps-mask",
        unless: "--list --verify --list-tunables --list-diagnostics --help --version",
      },
      [
        ["/lib64/ld-linux-x86-64.so.2 /bin/rm x", "/bin/rm x"],
        ["/lib64/ld-linux-x86-64.so.2 --library-path /a /bin/rm x", "/bin/rm x"],
        ["/lib64/ld-linux-x86-64.so.2 --list /bin/rm"],
      ],
    ),
  }),
  program("busybox toybox", {
    starts: wrapper({ unless: "--list --help --install" }, [
      ["busybox rm x", "rm x"],
      ["busybox sh -c 'rm x'", "sh -c rm x", "rm x"],
    ]),
  }),
  program("watch entr", {
    starts: starting(
      [
        ["watch -n 1 rm x", "rm x"],
        ["watch -x rm x", "rm x"],
        ["watch 'rm x; ls'", "rm x", "ls"],
        ["ls | entr -r rm x", "rm x"],
      ],
      ({ name, args }) => {
        const read = readOptions(args, {
          values: "-n --interval -q --equexit -s --shotsdir",
          stand: "before operands",
        });
        const isDirect = name === "entr" ? !read.has("-s") : read.has("-x", "--exec");
        return isDirect || read.operands.length === 0
          ? startCommand(read.operands)
          : startScript(joinedScript(read.operands));
      },
    ),
  }),
  program("flock", {
    starts: starting([["flock x rm y", "rm y"], ["flock -n x -c 'rm y'", "rm y"], ["flock 9"]], ({ args }) => {
      const read = readOptions(args, { values: "-w --timeout -E --conflict-exit-code", stand: "before operands" });
      const behind = read.operands.slice(1);
      if (/^(?:-c|--command)$/.test(behind[0]?.text ?? "")) return startScript(behind[1]);
      return startCommand(behind);
    }),
  }),
  program("script", {
    starts: starting(
      [
        ["script -q -c 'rm x' log", "rm x"],
        ["script -qc 'rm x'", "rm x"],
      ],
      ({ args }) =>
        startScript(readOptions(args, { values: "-c --command -I -O -B -T -E -o -m" }).value("-c", "--command")),
    ),
  }),
  program("run-parts", {
    starts: starting([["run-parts x", "…"], ["run-parts --list x"], ["run-parts --test x"]], ({ args }) =>
      readOptions(args).has("--list", "--test") ? [] : [unknownStart],
    ),
  }),
];
