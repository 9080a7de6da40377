// Programs that start the command behind their own words, and change how it runs: its time, priority, limits, terminal.

import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { joinedScript, startCommand, startScript, unknownStart, wrapper } from "../rules/start-rule.ts";

export const wrappers: readonly Program[] = [
  program("timeout gtimeout", {
    starts: wrapper({ values: "-k --kill-after -s --signal", skip: 1 }),
  }),
  program("nice gnice", {
    starts: wrapper({ values: "-n --adjustment" }),
  }),
  program("ionice", {
    starts: wrapper({ values: "-c --class -n --classdata -p -P -u", unless: "-p -P -u" }),
  }),
  program("nohup setsid time gtime exec builtin", {
    starts: wrapper({ values: "-f --format -o --output -a" }),
  }),
  program("command", {
    starts: wrapper({ unless: "-v -V" }),
  }),
  program("stdbuf", {
    starts: wrapper({ values: "-i -o -e --input --output --error" }),
  }),
  program("taskset", { starts: wrapper({ skip: 1, unless: "-p --pid" }) }),
  program("chrt", { starts: wrapper({ values: "-T -P -D", skip: 1, unless: "-p -m" }) }),
  program("prlimit", {
    starts: wrapper({ values: "-p --pid -o --output", unless: "-p --pid" }),
  }),
  program("setarch", { starts: wrapper({ skip: 1 }) }),
  program(
    "linux32 linux64 catchsegv fakeroot unbuffer valgrind dbus-run-session torsocks firejail caffeinate eatmydata chronic ifne",
    {
      starts: wrapper({}),
    },
  ),
  program("xvfb-run rlwrap proxychains proxychains4 numactl", {
    starts: wrapper({ values: "-e -f -n -p -s -w -C -N -m" }),
  }),
  program("tini dumb-init catatonit nocache tsocks torify trickle ssh-agent heaptrack sshpass", {
    starts: wrapper({
      values: "-p -e -t -a -k -g -f -d -u -s -c -P -o",
    }),
  }),
  program("gosu su-exec setuidgid s6-setuidgid s6-envdir envdir cgexec", {
    starts: wrapper({ values: "-g", skip: 1 }),
  }),
  program("faketime datefudge", {
    starts: wrapper({ values: "-p --pid", skip: 1 }),
  }),
  program("proot fakechroot", {
    starts: wrapper({ values: "-r --rootfs -b --bind -q --qemu -w --cwd -R -S --kill-on-exit" }),
  }),
  program("ld-linux-x86-64 ld-linux-aarch64 ld-linux-armhf ld-linux ld-musl-x86_64 ld-musl-aarch64 ld64 ld.so", {
    starts: wrapper({
      values: "--library-path --preload --argv0 --audit --inhibit-rpath --glibc-hwcaps-prepend --glibc-hwcaps-mask",
      unless: "--list --verify --list-tunables --list-diagnostics --help --version",
    }),
  }),
  program("busybox toybox", {
    starts: wrapper({ unless: "--list --help --install" }),
  }),
  program("watch entr", {
    starts: ({ name, args }) => {
      const read = readOptions(args, {
        values: "-n --interval -q --equexit -s --shotsdir",
        stand: "before operands",
      });
      const isDirect = name === "entr" ? !read.has("-s") : read.has("-x", "--exec");
      return isDirect || read.operands.length === 0
        ? startCommand(read.operands)
        : startScript(joinedScript(read.operands));
    },
  }),
  program("flock", {
    starts: ({ args }) => {
      const read = readOptions(args, { values: "-w --timeout -E --conflict-exit-code", stand: "before operands" });
      const behind = read.operands.slice(1);
      if (/^(?:-c|--command)$/.test(behind[0]?.text ?? "")) return startScript(behind[1]);
      return startCommand(behind);
    },
  }),
  program("script", {
    starts: ({ args }) =>
      startScript(readOptions(args, { values: "-c --command -I -O -B -T -E -o -m" }).value("-c", "--command")),
  }),
  program("run-parts", {
    starts: ({ args }) => (readOptions(args).has("--list", "--test") ? [] : [unknownStart]),
  }),
];
