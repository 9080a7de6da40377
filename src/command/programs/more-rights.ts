// Programs that ask for more rights, or put work where the box does not reach.

import { destroy, interactive, privilege } from "../rules/effect-rule.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { startCommand, starting, startScript, wrapper } from "../rules/start-rule.ts";
import type { CommandLine } from "../words/command-line.ts";
import { commandAfterAssignments } from "./assignments.ts";
import { showsItself } from "./terminals.ts";

const onlyShows = /^(?:--version|--help|-V|-h)$/;
const isMore = ({ args }: CommandLine): boolean => !(args.length === 1 && onlyShows.test(args[0]?.text ?? ""));

const asksForRights = privilege(
  {
    is: [
      "sudo id",
      "sudo -n true",
      "su",
      "su - root -c id",
      "doas id",
      "pkexec id",
      "env A=1 sudo id",
      "/usr/bin/sudo id",
    ],
    isNot: ["echo sudo id", "sudo --version", "git commit -m 'sudo rm'", "man sudo"],
  },
  isMore,
);
const changesMachine = privilege(
  {
    is: ["chroot / sh", "unshare -r id", "nsenter -t 1 -m sh", "insmod x.ko", "setcap cap_net_raw+ep x"],
    isNot: ["chroot --help", "modprobe -V"],
  },
  isMore,
);
const schedules = privilege(
  {
    is: ["shutdown -h now", "reboot", "systemd-run id", "echo id | at now"],
    isNot: ["at -l", "reboot --help", "at -c 1"],
  },
  (command) => isMore(command) && !(command.name === "at" && readOptions(command.args).has("-l", "-c")),
);
const changesUsers = privilege(
  { is: ["useradd x", "usermod -aG sudo x", "visudo"], isNot: ["useradd --help"] },
  isMore,
);
const editsForPerson = interactive(
  { is: ["visudo", "sudoedit x"], isNot: ["visudo -c"] },
  (command) => !showsItself(command) && !readOptions(command.args).has("-c", "-V"),
);

const readingVerbs = new Set(
  (
    "status show cat list-units list-unit-files list-timers list-sockets list-dependencies list-jobs list-machines " +
    "is-active is-enabled is-failed is-system-running get-default help show-environment"
  ).split(" "),
);

const systemdStarting = wrapper(
  {
    values: "-u --unit -p --property -E --setenv -M --machine -H --host --what --who --why --mode --uid --gid --slice",
  },
  [["systemd-run --user -p A=b rm x", "rm x"]],
);
const sudoValues =
  "-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -T --command-timeout -U --other-user -D --chdir -R --chroot -a -c";

const crontabOptions: OptionSpec = { values: "-u" };

export const rightsPrograms: readonly Program[] = [
  program("sudo doas pkexec run0", {
    effects: [asksForRights],
    starts: starting(
      [
        ["sudo rm x", "rm x"],
        ["sudo -u root A=b rm x", "rm x"],
        ["sudo -n -- rm x", "rm x"],
        ["doas -u root rm x", "rm x"],
        ["pkexec --user root rm x", "rm x"],
        ["sudo sh -c 'rm x'", "sh -c rm x", "rm x"],
        ["sudo -l"],
      ],
      ({ args }) => {
        const read = readOptions(args, { values: sudoValues, stand: "before operands" });
        return startCommand(commandAfterAssignments(read.operands), read.value("-D", "--chdir"));
      },
    ),
  }),
  program("su runuser sg", {
    effects: [asksForRights],
    starts: starting(
      [
        ["su -c 'rm x'", "rm x"],
        ["su - root -c 'rm x'", "rm x"],
        ["runuser -u root -- rm x", "rm x"],
        ["sg root 'rm x'", "rm x"],
        ["su root"],
      ],
      ({ name, args }) => {
        const read = readOptions(args, {
          values: "-c --command -s --shell -g --group -G --supp-group -u --user -w -C --session-command",
        });
        const script = startScript(read.value("-c", "--command", "-C", "--session-command"));
        if (script.length > 0) return script;
        if (name === "runuser" && read.has("-u", "--user")) return startCommand(read.operands);
        return name === "sg" ? startScript(read.operands[1]) : [];
      },
    ),
  }),
  program("sudoedit", { effects: [asksForRights, editsForPerson] }),
  program("setpriv", {
    effects: [asksForRights],
    starts: wrapper(
      {
        values:
          "--ambient-caps --inh-caps --bounding-set --ruid --euid --rgid --egid --reuid --regid --groups --securebits --pdeathsig --selinux-label --apparmor-profile",
      },
      [["setpriv --no-new-privs --reuid 0 rm x", "rm x"]],
    ),
  }),
  program("newgrp please super gksudo kdesu", { effects: [asksForRights] }),
  program("chroot", {
    effects: [changesMachine],
    starts: wrapper({ values: "--userspec --groups", skip: 1 }, [["chroot --userspec=a / rm x", "rm x"]]),
  }),
  program("nsenter", {
    effects: [changesMachine],
    starts: wrapper({ values: "-t --target -S --setuid -G --setgid", optional: "-m -u -i -n -p -U -C -T -r -w" }, [
      ["nsenter -t 1 -m rm x", "rm x"],
    ]),
  }),
  program("unshare", {
    effects: [changesMachine],
    starts: wrapper(
      { values: "-S --setuid -G --setgid -R --root -w --wd --map-user --map-group --propagation --setgroups" },
      [["unshare -r -n rm x", "rm x"]],
    ),
  }),
  program("insmod modprobe rmmod kexec swapon swapoff losetup pivot_root capsh setcap", { effects: [changesMachine] }),
  program("mount umount", {
    effects: privilege(
      {
        is: ["mount /dev/sda1 /mnt", "mount -o remount,rw /", "mount -a", "umount x"],
        isNot: ["mount", "mount -l", "umount -V"],
      },
      ({ name, args }) => {
        const read = readOptions(args, {
          values: "-t -o -O -L -U",
          switches: "--all --bind --move --types --options",
        });
        return (
          read.operands.length > 0 || read.has("-a", "--all") || (name === "umount" && read.has("-A", "--all-targets"))
        );
      },
    ),
  }),
  program("systemctl service rc-service initctl", {
    effects: privilege(
      {
        is: ["systemctl start x", "systemctl --user enable x", "systemctl daemon-reload", "service nginx restart"],
        isNot: [
          "systemctl status nginx",
          "systemctl",
          "systemctl --version",
          "service nginx status",
          "systemctl list-units",
        ],
      },
      ({ name, args }) => {
        const { operands } = readOptions(args, {
          values: "-t -H -M -n -o -p --type --host --machine --property --state",
        });
        const verb = operands[name === "systemctl" || name === "initctl" ? 0 : 1];
        return verb !== undefined && !readingVerbs.has(verb.text ?? "");
      },
    ),
  }),
  program("shutdown reboot poweroff halt telinit", { effects: [schedules] }),
  program("systemd-run", { effects: [schedules], starts: systemdStarting }),
  program("systemd-inhibit", { starts: systemdStarting }),
  program("at batch", {
    effects: [schedules],
    starts: starting(
      [["echo 'rm x' | at now", "rm x"], ["at now <<< 'rm x'", "rm x"], ["at -l"]],
      ({ args, hasInput }) => (hasInput && !readOptions(args).has("-l", "-d", "-r") ? [{ kind: "input" }] : []),
    ),
  }),
  program("crontab", {
    effects: [
      privilege(
        { is: ["crontab x", "echo '* * * * * id' | crontab -", "crontab -u x y"], isNot: ["crontab -l", "crontab -V"] },
        ({ args }) => {
          const read = readOptions(args, crontabOptions);
          return !read.has("-l", "-r", "-e", "-V") || read.operands.length > 0;
        },
      ),
      destroy("files", { is: ["crontab -r", "crontab -u x -r", "crontab -ir"], isNot: ["crontab -l"] }, ({ args }) =>
        readOptions(args, crontabOptions).has("-r"),
      ),
      interactive({ is: ["crontab -e"], isNot: ["crontab -l"] }, ({ args }) =>
        readOptions(args, crontabOptions).has("-e"),
      ),
    ],
  }),
  program("useradd userdel usermod adduser deluser groupadd groupdel groupmod addgroup delgroup chpasswd", {
    effects: [changesUsers],
  }),
  program("visudo vipw vigr", { effects: [changesUsers, editsForPerson] }),
];
