// Programs that ask for more rights, or put work where the box does not reach.

import { destroy, interactive, privilege } from "../rules/effect-rule.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { startCommand, startScript, wrapper } from "../rules/start-rule.ts";
import type { CommandLine } from "../words/command-line.ts";
import { commandAfterAssignments } from "./assignments.ts";
import { showsItself } from "./terminals.ts";

const onlyShows = /^(?:--version|--help|-V|-h)$/;
const isMore = ({ args }: CommandLine): boolean => !(args.length === 1 && onlyShows.test(args[0]?.text ?? ""));

const asksForRights = privilege(isMore);
const changesMachine = privilege(isMore);
const schedules = privilege(
  (command) => isMore(command) && !(command.name === "at" && readOptions(command.args).has("-l", "-c")),
);
const changesUsers = privilege(isMore);
const editsForPerson = interactive((command) => !showsItself(command) && !readOptions(command.args).has("-c", "-V"));

const readingVerbs = new Set(
  (
    "status show cat list-units list-unit-files list-timers list-sockets list-dependencies list-jobs list-machines " +
    "is-active is-enabled is-failed is-system-running get-default help show-environment"
  ).split(" "),
);

const systemdStarting = wrapper({
  values: "-u --unit -p --property -E --setenv -M --machine -H --host --what --who --why --mode --uid --gid --slice",
});
const sudoValues =
  "-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -T --command-timeout -U --other-user -D --chdir -R --chroot -a -c";

const crontabOptions: OptionSpec = { values: "-u" };

export const rightsPrograms: readonly Program[] = [
  program("sudo doas pkexec run0", {
    effects: [asksForRights],
    starts: ({ args }) => {
      const read = readOptions(args, { values: sudoValues, stand: "before operands" });
      return startCommand(commandAfterAssignments(read.operands), read.value("-D", "--chdir"));
    },
  }),
  program("su runuser sg", {
    effects: [asksForRights],
    starts: ({ name, args }) => {
      const read = readOptions(args, {
        values: "-c --command -s --shell -g --group -G --supp-group -u --user -w -C --session-command",
      });
      const script = startScript(read.value("-c", "--command", "-C", "--session-command"));
      if (script.length > 0) return script;
      if (name === "runuser" && read.has("-u", "--user")) return startCommand(read.operands);
      return name === "sg" ? startScript(read.operands[1]) : [];
    },
  }),
  program("sudoedit", { effects: [asksForRights, editsForPerson] }),
  program("setpriv", {
    effects: [asksForRights],
    starts: wrapper({
      values:
        "--ambient-caps --inh-caps --bounding-set --ruid --euid --rgid --egid --reuid --regid --groups --securebits --pdeathsig --selinux-label --apparmor-profile",
    }),
  }),
  program("newgrp please super gksudo kdesu", { effects: [asksForRights] }),
  program("chroot", {
    effects: [changesMachine],
    starts: wrapper({ values: "--userspec --groups", skip: 1 }),
  }),
  program("nsenter", {
    effects: [changesMachine],
    starts: wrapper({ values: "-t --target -S --setuid -G --setgid", optional: "-m -u -i -n -p -U -C -T -r -w" }),
  }),
  program("unshare", {
    effects: [changesMachine],
    starts: wrapper({
      values: "-S --setuid -G --setgid -R --root -w --wd --map-user --map-group --propagation --setgroups",
    }),
  }),
  program("insmod modprobe rmmod kexec swapon swapoff losetup pivot_root capsh setcap", { effects: [changesMachine] }),
  program("mount umount", {
    effects: privilege(({ name, args }) => {
      const read = readOptions(args, {
        values: "-t -o -O -L -U",
        switches: "--all --bind --move --types --options",
      });
      return (
        read.operands.length > 0 || read.has("-a", "--all") || (name === "umount" && read.has("-A", "--all-targets"))
      );
    }),
  }),
  program("systemctl service rc-service initctl", {
    effects: privilege(({ name, args }) => {
      const { operands } = readOptions(args, {
        values: "-t -H -M -n -o -p --type --host --machine --property --state",
      });
      const verb = operands[name === "systemctl" || name === "initctl" ? 0 : 1];
      return verb !== undefined && !readingVerbs.has(verb.text ?? "");
    }),
  }),
  program("shutdown reboot poweroff halt telinit", { effects: [schedules] }),
  program("systemd-run", { effects: [schedules], starts: systemdStarting }),
  program("systemd-inhibit", { starts: systemdStarting }),
  program("at batch", {
    effects: [schedules],
    starts: ({ args, hasInput }) => (hasInput && !readOptions(args).has("-l", "-d", "-r") ? [{ kind: "input" }] : []),
  }),
  program("crontab", {
    effects: [
      privilege(({ args }) => {
        const read = readOptions(args, crontabOptions);
        return !read.has("-l", "-r", "-e", "-V") || read.operands.length > 0;
      }),
      destroy("files", ({ args }) => readOptions(args, crontabOptions).has("-r")),
      interactive(({ args }) => readOptions(args, crontabOptions).has("-e")),
    ],
  }),
  program("useradd userdel usermod adduser deluser groupadd groupdel groupmod addgroup delgroup chpasswd", {
    effects: [changesUsers],
  }),
  program("visudo vipw vigr", { effects: [changesUsers, editsForPerson] }),
];
